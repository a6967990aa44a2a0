! SPDX-License-Identifier: BSD-3-Clause
! ring.F90 - a Fortran rank: a ring and a reduction until a file is there; says what was wrong.
! MPI is that of `use mpi`, with -DF08 of `use mpi_f08`, with -DMPIF of mpif.h.
program ring
#if defined(F08)
  use mpi_f08
  implicit none
#elif defined(MPIF)
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  integer :: rank, ranks, code, next, last, sent, got, total, wrong, round, stop_now
  character(len=4096) :: file
  logical :: there
#ifdef F08
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  call get_command_argument(1, file)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  wrong = 0
  round = 0
  stop_now = 0
  do while (stop_now == 0)
    round = round + 1
    sent = mod(round, 1000) * 10 + rank
    call MPI_Sendrecv(sent, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status, code)
    if (got /= mod(round, 1000) * 10 + last) wrong = wrong + 1
    call MPI_Allreduce(sent, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (total /= ranks * mod(round, 1000) * 10 + ranks * (ranks - 1) / 2) wrong = wrong + 1
    inquire(file=trim(file), exist=there)
    if (there) stop_now = 1
    call MPI_Bcast(stop_now, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
  end do
  if (rank == 0) print '(a,i0)', 'wrong ', wrong
  call MPI_Finalize(code)
end program
