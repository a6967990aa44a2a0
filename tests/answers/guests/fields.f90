! SPDX-License-Identifier: BSD-3-Clause
! fields.f90 - Fortran programs with the same habits as partition.c, kept.c and state.c.
!
!   do           parallel do with reductions, without asking; workshare and sections
!   next         omp_get_max_threads() before each region, slices by its answer
!   forever      omp_get_max_threads() once
!   told         omp_get_num_threads() in the first region, allocatable arrays sized by it
!   common       a threadprivate common block that lives from region to region
!   sets         call omp_set_num_threads by the program
program fields
    use omp_lib
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: items = 2048, work_per_item = 24
    integer(int64), parameter :: prime = 1000003_int64, modulus = 2147483647_int64
    integer(int64) :: mine
    common /state/ mine
    !$omp threadprivate(/state/)
    character(len=32) :: mode, text
    integer(int64) :: total
    integer :: scale, rounds, round

    mode = ''
    scale = 100
    if (command_argument_count() >= 1) call get_command_argument(1, mode)
    if (command_argument_count() >= 2) then
        call get_command_argument(2, text)
        read (text, *) scale
    end if
    rounds = max(3, 4000 * scale / 100)
    total = 0

    select case (mode)
    case ('do');      do round = 1, rounds; total = mixed(total, plain(round)); end do
    case ('next');    do round = 1, rounds; total = mixed(total, next_region(round)); end do
    case ('forever'); total = forever()
    case ('told');    total = told()
    case ('common');  total = common_block()
    case ('sets');    total = sets()
    case default
        write (0, '(3a)') "guest: mode '", trim(mode), "' is not one of this program's"
        stop 2
    end select
    print '(2a,i0)', trim(mode), ' checksum ', total

contains

    pure integer(int64) function mixed(sum, value)
        integer(int64), intent(in) :: sum, value
        mixed = mod(sum * 31_int64 + mod(value, modulus), modulus)
    end function

    pure integer(int64) function item(round, i)
        integer, intent(in) :: round, i
        integer :: k
        item = mod(int(round, int64) * items + i, modulus)
        do k = 1, work_per_item
            item = mod(item * prime + 12345_int64, modulus)
        end do
    end function

    integer(int64) function plain(round)
        integer, intent(in) :: round
        integer(int64) :: sum, largest, row(64)
        integer :: i
        sum = 0
        largest = 0
        !$omp parallel do reduction(+: sum) reduction(max: largest)
        do i = 1, items
            sum = sum + item(round, i)
            largest = max(largest, item(round, i) / 2)
        end do
        !$omp end parallel do
        !$omp parallel workshare
        row = mod(sum, modulus)
        !$omp end parallel workshare
        plain = mixed(sum + largest, row(1) + row(64))
    end function

    integer(int64) function slice(t, n, round)
        integer, intent(in) :: t, n, round
        integer :: i
        slice = 0
        do i = items * t / n + 1, items * (t + 1) / n
            slice = slice + item(round, i)
        end do
    end function

    integer(int64) function by_answer(n, partial, round)
        integer, intent(in) :: n, round
        integer(int64), intent(inout) :: partial(0:)
        !$omp parallel
        partial(omp_get_thread_num()) = slice(omp_get_thread_num(), n, round)
        !$omp end parallel
        by_answer = sum(partial(0:n - 1))
    end function

    integer(int64) function next_region(round)
        integer, intent(in) :: round
        integer(int64), allocatable :: partial(:)
        integer :: n
        n = omp_get_max_threads()
        allocate (partial(0:n - 1))
        next_region = by_answer(n, partial, round)
    end function

    integer(int64) function forever()
        integer(int64), allocatable :: partial(:)
        integer :: n, round
        n = omp_get_max_threads()
        allocate (partial(0:n - 1))
        forever = 0
        do round = 1, rounds
            forever = mixed(forever, by_answer(n, partial, round))
        end do
    end function

    integer(int64) function told()
        integer(int64), allocatable :: partial(:)
        integer :: n, round
        told = plain(0)
        !$omp parallel
        !$omp single
        n = omp_get_num_threads()
        allocate (partial(0:n - 1))
        !$omp end single
        !$omp end parallel
        do round = 1, rounds
            told = mixed(told, by_answer(n, partial, round))
        end do
    end function

    integer(int64) function common_block()
        integer :: round, i
        integer(int64) :: sum
        !$omp parallel
        mine = 0
        !$omp end parallel
        do round = 1, rounds
            !$omp parallel do schedule(static)
            do i = 1, items
                mine = mine + item(round, i)
            end do
            !$omp end parallel do
        end do
        sum = 0
        !$omp parallel reduction(+: sum)
        sum = sum + mine
        !$omp end parallel
        common_block = mod(sum, modulus)
    end function

    integer(int64) function sets()
        integer(int64) :: partial(0:2)
        integer :: round, n
        sets = 0
        do round = 1, rounds
            n = 1 + mod(round / 7, 3)
            call omp_set_num_threads(n)
            sets = mixed(sets, by_answer(n, partial, round))
        end do
    end function
end program
