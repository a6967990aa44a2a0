! SPDX-License-Identifier: BSD-3-Clause
! follow_f.f90 - a client in Fortran that adopts masks itself, and computes with as many OpenMP threads as it has CPUs.
program follow_f
  use drom
  use omp_lib, only: omp_set_num_threads
  implicit none
  type(drom_error) :: error
  integer(drom_word) :: mask(64)
  real(8) :: total

  total = 0
  if (drom_init(error=error) < 0) print '(a)', drom_text(error)  ! it runs on without drom
  do  ! until it is terminated
    if (drom_poll(mask, error) == DROM_OK) then
      call omp_set_num_threads(drom_count(mask))
      print '(a, i0)', 'follow_f: threads from now on: ', drom_count(mask)
      flush (6)
    end if
    call compute(total)
  end do

contains

  subroutine compute(total)
    real(8), intent(inout) :: total
    integer :: i
    !$omp parallel do reduction(+: total)
    do i = 1, 2000000
      total = total + 1 / real(i, 8) ** 2
    end do
  end subroutine

end program
