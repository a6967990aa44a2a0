! SPDX-License-Identifier: BSD-3-Clause
! dlb_test.f90 - DLB's Fortran headers: a program that takes part, is its own administrator, and is called back.
module dlb_test_callback
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: calls = 0, threads = -1
contains
  subroutine set_threads(number) bind(c)
    integer(c_int), value :: number
    calls = calls + 1
    threads = number
  end subroutine
end module

program dlb_test
  use, intrinsic :: iso_c_binding
  use dlb_test_callback
  implicit none
  include 'dlbf.h'
  include 'dlbf_drom.h'
  interface
    integer(c_int) function getpid() bind(c)
      import
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface
  integer, parameter :: set_num_threads = 1
  integer(c_int64_t), target :: both(16), mask(16)
  integer(c_int) :: number, pids(4)
  character(kind=c_char) :: value(64)
  type(c_funptr) :: callback
  integer :: failures, pid

  failures = 0
  pid = getpid()
  both = 0
  both(1) = 3
  call expect(dlb_finalize() == DLB_NOUPDT, 'finalize before init')
  call expect(dlb_polldrom(number, c_loc(mask)) == DLB_ERR_NOINIT, 'poll before init')
  call expect(strlen(dlb_strerror(DLB_ERR_NOINIT)) > 10, 'a sentence')
  call expect(dlb_drom_attach() == DLB_SUCCESS, 'attach')
  call expect(dlb_drom_getnumcpus(number) == DLB_SUCCESS .and. number > 0, 'number of CPUs')
  call expect(dlb_drom_setprocessmaskstr(0, c_char_'0-1'//c_null_char, 0) == DLB_ERR_NOPROC, 'no process yet')
  call expect(dlb_init(0, c_loc(both), c_char_'--drom'//c_null_char) == DLB_SUCCESS, 'init')
  call expect(dlb_init(0, c_null_ptr, c_char_''//c_null_char) == DLB_ERR_INIT, 'init again')
  call expect(dlb_getvariable(c_char_'--drom'//c_null_char, value) == DLB_SUCCESS, 'an option')
  call expect(value(1) == 'y' .and. value(4) == c_null_char, 'it is set')
  call expect(dlb_setvariable(c_char_'--drom'//c_null_char, c_char_'no'//c_null_char) == DLB_ERR_PERM, 'and stays so')
  call expect(dlb_drom_getpidlist(pids, number, 4) == DLB_SUCCESS, 'list')
  call expect(number == 1 .and. pids(1) == pid, 'itself')
  call expect(dlb_callbackset(set_num_threads, c_funloc(set_threads)) == DLB_SUCCESS, 'set a callback')
  call expect(dlb_callbackget(set_num_threads, callback) == DLB_SUCCESS, 'get it')
  call expect(c_associated(callback, c_funloc(set_threads)), 'it is the same')
  call expect(dlb_drom_setprocessmaskstr(0, c_char_'1'//c_null_char, 0) == DLB_SUCCESS, 'one CPU by text')
  call expect(calls == 1 .and. threads == 1, 'called back with 1')
  call expect(dlb_drom_getprocessmask(0, c_loc(mask), 0) == DLB_SUCCESS, 'its mask')
  call expect(mask(1) == 2 .and. all(mask(2:) == 0), 'it has CPU 1')
  call expect(dlb_drom_setprocessmask(0, c_loc(both), 16) == DLB_SUCCESS, 'both, at the next poll')
  call expect(dlb_polldrom(number, c_loc(mask)) == DLB_SUCCESS, 'polled')
  call expect(number == 2 .and. mask(1) == 3, 'it has both')
  call expect(dlb_polldrom(number, c_null_ptr) == DLB_NOUPDT, 'nothing new')
  call expect(dlb_polldrom_update() == DLB_NOUPDT, 'nothing to follow')
  call expect(dlb_disable() == DLB_SUCCESS, 'disable')
  call expect(dlb_polldrom_update() == DLB_ERR_DISBLD, 'poll meanwhile')
  call expect(dlb_enable() == DLB_SUCCESS, 'enable')
  call expect(dlb_drom_recoverstolencpus(0) == DLB_NOUPDT, 'nothing stolen')
  call expect(dlb_finalize() == DLB_SUCCESS, 'finalize')
  call expect(dlb_drom_postfinalize(pid, 0) == DLB_ERR_NOPROC, 'it has gone by itself')
  call expect(dlb_drom_detach() == DLB_SUCCESS, 'detach')
  call expect(dlb_drom_detach() == DLB_ERR_NOSHMEM, 'detach again')
  if (failures > 0) error stop 1
  print '(a)', 'Fortran: as in DLB'
contains
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print '(2a)', 'wrong: ', what
  end subroutine
end program
