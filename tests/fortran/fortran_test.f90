! SPDX-License-Identifier: BSD-3-Clause
! fortran_test.f90 - the Fortran module: this process is a client, and the administrator that asks it.
program fortran_test
  use, intrinsic :: iso_c_binding
  use drom
  implicit none
  interface
    integer(c_int) function getpid() bind(c)
      import
    end function
  end interface
  type(drom_error) :: error
  type(drom_options) :: options
  type(c_ptr) :: table
  integer(drom_word) :: mask(1), owned(1), wanted(1)
  character(kind=c_char, len=8), target :: name = 'fortran' // c_null_char
  integer :: failures, pid

  failures = 0
  pid = getpid()
  call expect(drom_poll(mask, error) == DROM_E_NOINIT, 'poll before init')
  call expect(index(drom_text(error), 'drom_init first') > 0, 'the sentence: ' // drom_text(error))
  call expect(drom_open(table, options=drom_new_options(), error=error) == DROM_E_NOTABLE, 'no table yet: ' // drom_text(error))
  mask = 0
  call drom_add(mask, 0)
  call drom_add(mask, 1)
  call drom_add(mask, 64)
  call expect(drom_count(mask) == 2 .and. drom_has(mask, 1), 'a mask of two')
  call expect(.not. (drom_has(mask, 2) .or. drom_has(mask, 64)), 'and of no more')
  options = drom_new_options(name=name)
  call expect(drom_init(mask, options, error) == DROM_OK, 'init: ' // drom_text(error))
  call expect(drom_open(table, error=error) == DROM_OK, 'open: ' // drom_text(error))
  call expect(drom_get_mask(table, pid, owned, wanted, error) == DROM_OK .and. owned(1) == 3 .and. wanted(1) == 3, 'it owns two')
  do while (drom_poll(mask) == DROM_OK)  ! the request that joining made
  end do
  call expect(drom_shrink(table, pid, 1, error=error) == DROM_PENDING, 'shrink is posted: ' // drom_text(error))
  call expect(drom_poll(mask, error) == DROM_OK .and. drom_count(mask) == 1, 'poll has the new mask: ' // drom_text(error))
  call expect(drom_poll(mask, error) == DROM_UNCHANGED, 'and then nothing new')
  call expect(drom_wait(table, pid, 1000, error) == DROM_OK, 'it is released: ' // drom_text(error))
  call expect(drom_expand(table, pid, 2, error=error) >= 0, 'expand: ' // drom_text(error))
  call expect(drom_expand(table, pid, 1, error=error) == DROM_E_INVAL, 'not upwards: ' // drom_text(error))
  call expect(drom_disable() == DROM_OK, 'disable')
  call expect(drom_enable() == DROM_OK, 'enable')
  call expect(drom_region_begin('solve   ') == DROM_OK, 'a region begins')
  call expect(drom_region_end('solve') == DROM_OK, 'and ends')
  call expect(drom_region_end('solve') == DROM_UNCHANGED, 'once')
  call expect(drom_region_begin('  ') == DROM_E_INVAL, 'a blank name')
  call expect(drom_region_begin(repeat('x', 128)) == DROM_E_INVAL, 'a name that is too long')
  call expect(drom_limits(2, 0, error) == DROM_OK, 'limits: ' // drom_text(error))
  mask = 1
  options = drom_new_options(flags=DROM_WAIT_RELEASED + DROM_TAKE, timeout_ms=50)
  call expect(drom_set_mask(table, pid, mask, options, error) < 0, 'below its least: ' // drom_text(error))
  options = drom_new_options(flags=DROM_WAIT_RELEASED, timeout_ms=50)
  mask = 3
  call expect(drom_set_masks(table, [pid], reshape(mask, [1, 1]), options, error) == DROM_UNCHANGED, 'masks: ' // drom_text(error))
  call expect(drom_set_masks(table, [pid, pid], reshape([mask, mask], [1, 2]), options, error) == DROM_E_INVAL, 'twice')
  call expect(index(drom_text(error), 'named twice') > 0, 'the sentence: ' // drom_text(error))
  call expect(drom_check(table, error) >= 0, 'check: ' // drom_text(error))
  call drom_close(table)
  call expect(drom_finalize(error) == DROM_OK, 'finalize: ' // drom_text(error))
  if (failures > 0) error stop 1
  print '(a)', 'fortran: all as expected'

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print '(2a)', 'not so: ', what
  end subroutine

end program
