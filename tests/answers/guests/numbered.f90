! SPDX-License-Identifier: BSD-3-Clause
! numbered.f90 - Fortran programs that know their threads by number, as those of numbers.c do.
!
!   blocks    each thread keeps the block that it computed for itself
!   buckets   filled by thread number in one region, emptied by thread number in the next
!   private   a threadprivate variable of a module, and an allocatable one
!   streams   a random stream per thread
!   counted   the threads count themselves by a reduction once
!
! and some that know their number of threads by another way than a question, as those of sizes.c do:
!
!   environment  OMP_NUM_THREADS, read by the program
!   argument     the third argument
!   roles        thread 0 makes, thread 1 takes, and each waits for the other
!   barrier      a barrier of the program's own, which waits for as many threads as came to the first region
module numbered_state
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer(int64), save :: mine = 0
    integer(int64), allocatable, save :: bins(:)
    !$omp threadprivate(mine, bins)
end module

program numbered
    use omp_lib
    use numbered_state
    implicit none
    integer, parameter :: items = 2001, work_per_item = 96, last = 255
    integer(int64), parameter :: prime = 1000003_int64, modulus = 2147483647_int64
    character(len=32) :: mode, text
    integer :: scale, rounds

    mode = ''
    scale = 100
    if (command_argument_count() >= 1) call get_command_argument(1, mode)
    if (command_argument_count() >= 2) then
        call get_command_argument(2, text)
        read (text, *) scale
    end if
    rounds = max(3, 1000 * scale / 100)

    select case (mode)
    case ('blocks');  call tell(blocks())
    case ('buckets'); call tell(buckets())
    case ('private'); call tell(private_sums())
    case ('streams'); call tell(streams())
    case ('counted'); call tell(counted())
    case ('environment'); call tell(by_number(from_environment()))
    case ('argument'); call tell(by_number(from_argument()))
    case ('roles'); call tell(roles())
    case ('barrier'); call tell(barrier())
    case default
        write (0, '(3a)') "guest: mode '", trim(mode), "' is not one of this program's"
        stop 2
    end select

contains

    subroutine tell(total)
        integer(int64), intent(in) :: total
        print '(2a,i0)', trim(mode), ' checksum ', total
    end subroutine

    pure integer(int64) function item(round, i)
        integer, intent(in) :: round, i
        integer :: k
        item = mod(int(round, int64) * items + i, modulus)
        do k = 1, work_per_item
            item = mod(item * prime + 12345_int64, modulus)
        end do
    end function

    integer(int64) function blocks() result(total)
        integer :: low(0:last), high(0:last), threads, me, q, r, i, round
        total = 0
        !$omp parallel private(threads, me, q, r)
        threads = omp_get_num_threads()
        me = omp_get_thread_num()
        q = items / threads
        r = mod(items, threads)
        if (me < r) then
            q = q + 1
            r = 0
        end if
        low(me) = q * me + r
        high(me) = low(me) + q - 1
        !$omp end parallel
        do round = 1, rounds
            !$omp parallel private(i, me) reduction(+:total)
            me = omp_get_thread_num()
            do i = low(me), high(me)
                total = total + item(round, i)
            end do
            !$omp end parallel
        end do
    end function

    integer(int64) function buckets() result(total)
        integer(int64), allocatable :: bucket(:, :)
        integer :: filled(0:last), me, i, round
        allocate (bucket(items, 0:last))
        total = 0
        filled = 0
        do round = 1, rounds
            !$omp parallel private(me)
            me = omp_get_thread_num()
            !$omp do schedule(static)
            do i = 1, items
                filled(me) = filled(me) + 1
                bucket(filled(me), me) = item(round, i)
            end do
            !$omp end parallel
            !$omp parallel private(me, i) reduction(+:total)
            me = omp_get_thread_num()
            do i = 1, filled(me)
                total = total + bucket(i, me)
            end do
            filled(me) = 0
            !$omp end parallel
        end do
    end function

    integer(int64) function private_sums() result(total)
        integer :: i, round
        total = 0
        !$omp parallel
        allocate (bins(8))
        bins = 0
        !$omp end parallel
        do round = 1, rounds
            !$omp parallel do schedule(static)
            do i = 1, items
                mine = mine + item(round, i)
                bins(1 + mod(i, 8)) = bins(1 + mod(i, 8)) + i
            end do
        end do
        !$omp parallel reduction(+:total)
        total = total + mine + sum(bins)
        !$omp end parallel
    end function

    integer(int64) function streams() result(total)
        integer(int64) :: stream(0:last)
        integer :: me, i, round
        total = 0
        !$omp parallel
        stream(omp_get_thread_num()) = omp_get_thread_num() + 5
        !$omp end parallel
        do round = 1, rounds
            !$omp parallel do schedule(static) private(me) reduction(+:total)
            do i = 1, items
                me = omp_get_thread_num()
                stream(me) = item(round, int(mod(stream(me) + i, 100000_int64)))
                total = total + stream(me)
            end do
        end do
    end function

    integer(int64) function counted() result(total)
        integer :: threads
        threads = 0
        !$omp parallel reduction(+:threads)
        threads = threads + 1
        !$omp end parallel
        total = by_number(threads)
    end function

    integer function from_environment() result(threads)
        character(len=32) :: said
        integer :: status
        threads = omp_get_max_threads()
        call get_environment_variable('OMP_NUM_THREADS', said, status=status)
        if (status == 0) read (said, *) threads
    end function

    integer function from_argument() result(threads)
        threads = 2
        if (command_argument_count() < 3) return
        call get_command_argument(3, text)
        read (text, *) threads
    end function

    ! Sums every threads-th item: if the team is smaller, some items are left out.
    integer(int64) function by_number(threads) result(total)
        integer, intent(in) :: threads
        integer :: i, round
        total = 0
        do round = 1, rounds
            !$omp parallel private(i) reduction(+:total)
            do i = omp_get_thread_num() + 1, items, threads
                total = total + item(round, i)
            end do
            !$omp end parallel
        end do
    end function

    subroutine wait_for(counter, value)
        integer, intent(in) :: counter, value
        integer :: seen
        do
            !$omp atomic read
            seen = counter
            if (seen >= value) exit
        end do
        !$omp flush
    end subroutine

    integer(int64) function roles() result(total)
        integer(int64) :: box
        integer :: made, taken, round
        total = 0
        do round = 1, max(3, rounds / 10)
            made = 0
            taken = 0
            !$omp parallel reduction(+:total)
            if (omp_get_thread_num() == 0) then
                box = item(round, 1)
                !$omp flush
                !$omp atomic write
                made = 1
                call wait_for(taken, 1)
            else if (omp_get_thread_num() == 1) then
                call wait_for(made, 1)
                total = total + box
                !$omp flush
                !$omp atomic write
                taken = 1
            end if
            !$omp end parallel
        end do
    end function

    integer(int64) function barrier() result(total)
        integer :: threads, here, round
        total = 0
        !$omp parallel
        !$omp single
        threads = omp_get_num_threads()
        !$omp end single
        !$omp end parallel
        do round = 1, max(3, rounds / 10)
            here = 0
            !$omp parallel reduction(+:total)
            total = total + item(round, omp_get_thread_num())
            !$omp atomic update
            here = here + 1
            call wait_for(here, threads)
            !$omp end parallel
        end do
    end function
end program
