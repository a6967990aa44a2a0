! SPDX-License-Identifier: BSD-3-Clause
! cell.F90 - the program of the Fortran rows of the matrix: the same as cell.c.
! MPI is that of mpif.h (-DMPIF), `use mpi` (-DMPI) or `use mpi_f08` (-DF08).
program cell
  use, intrinsic :: iso_fortran_env, only: int64
#if defined(F08)
  use mpi_f08
  implicit none
#elif defined(MPI)
  use mpi
  implicit none
#elif defined(MPIF)
  implicit none
  include 'mpif.h'
#else
  implicit none
#endif
  integer, parameter :: items = 3000
  integer(int64), parameter :: whole = int(items, int64) * (items + 1) / 2
  integer :: rank, ranks, code
  integer(int64) :: wrong, rounds, step
  character(len=4096) :: stop_file

  rank = 0
  ranks = 1
  wrong = 0
  rounds = 0
  call get_command_argument(1, stop_file)
#ifdef WITH_MPI
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
#endif
  do
    rounds = rounds + 1
    step = mod(rounds, 1000_int64)
    if (total_of(team_sum(step + rank)) /= whole * (ranks * step + int(ranks, int64) * (ranks - 1) / 2)) wrong = wrong + 1
    if (is_over()) exit
  end do
  wrong = total_of(wrong)
  if (rank == 0) print '(a,i0,a,i0)', 'rounds ', rounds, ' wrong ', wrong
#ifdef WITH_MPI
  call MPI_Finalize(code)
#endif
  if (wrong /= 0) error stop 1

contains

  integer(int64) function team_sum(factor) result(total)
    integer(int64), intent(in) :: factor
    integer :: i
    total = 0
    !$omp parallel do reduction(+: total)
    do i = 1, items
      total = total + i * factor
    end do
    !$omp end parallel do
  end function

  integer(int64) function total_of(own) result(total)
    integer(int64), intent(in) :: own
    total = own
#ifdef WITH_MPI
    call MPI_Allreduce(own, total, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, code)
#endif
  end function

  !> Looks on rank 0, and lets all know.
  logical function is_over()
    integer :: over
    logical :: there
    over = 0
    if (rank == 0) then
      inquire(file=trim(stop_file), exist=there)
      if (there) over = 1
    end if
#ifdef WITH_MPI
    call MPI_Bcast(over, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
#endif
    is_over = over == 1
  end function
end program
