! SPDX-License-Identifier: BSD-3-Clause
! drom.f90 - drom.h for Fortran 2008: the client's calls, and an administrator's that move CPUs.
!
! Functions return DROM_OK (0), a positive status for information, or a negative error, as in C. drom.h explains them,
! their costs and their errors. `error` may be left out; drom_text(error) is one finished sentence. A mask is an array
! of words of 64 CPUs: bit i of word w is CPU 64 (w - 1) + i.
module drom
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: drom_error, drom_options, drom_new_options, drom_text, drom_count, drom_has, drom_add
  public :: drom_init, drom_finalize, drom_poll, drom_poll_apply, drom_disable, drom_enable, drom_limits
  public :: drom_region_begin, drom_region_end
  public :: drom_open, drom_close, drom_get_mask, drom_set_mask, drom_set_masks, drom_shrink, drom_expand, drom_wait, drom_check

  integer, parameter, public :: drom_word = c_int64_t

  integer(c_int), parameter, public :: DROM_UNCHANGED = 2, DROM_PENDING = 1, DROM_OK = 0
  integer(c_int), parameter, public :: DROM_E_INVAL = -1, DROM_E_NOTABLE = -2, DROM_E_VERSION = -3, DROM_E_PERM = -4, &
    DROM_E_BUSY = -5, DROM_E_NOPROC = -6, DROM_E_TIMEOUT = -7, DROM_E_NOCPU = -8, DROM_E_FULL = -9, DROM_E_CORRUPT = -10, &
    DROM_E_OS = -11, DROM_E_NOINIT = -12

  ! DROM_FLAG_ADD and DROM_FLAG_REMOVE are C's DROM_ADD and DROM_REMOVE: names here do not differ by case, and there is
  ! drom_add.
  integer(c_int64_t), parameter, public :: DROM_WAIT_RELEASED = 1, DROM_WAIT_RESIZED = 2, DROM_NEVER_CONFINE = 4, &
    DROM_TAKE = 8, DROM_RETURN = 16, DROM_FAST = 32, DROM_CREATE = 64, DROM_READONLY = 128, DROM_ASYNC = 256, &
    DROM_RIGID = 512, DROM_NODE = 1024, DROM_FLAG_ADD = 2048, DROM_FLAG_REMOVE = 4096, DROM_VIRTUAL = 8192, DROM_TREE = 16384

  type, bind(c) :: drom_error
    integer(c_int) :: status = 0
    character(kind=c_char) :: text(252) = c_null_char
  end type

  !> The same as in C, but for the texts, which drom_new_options takes. Flags are added up.
  type, bind(c) :: drom_options
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: flags = 0
    integer(c_int32_t) :: timeout_ms = 0, grace_ms = 0
    type(c_ptr) :: name = c_null_ptr, job = c_null_ptr
    integer(c_int32_t) :: min_cpus = 0, max_cpus = 0, cpus = 0, clients = 0
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: client_mask
    integer(c_int32_t) :: pid, reserved
    type(c_ptr) :: words
    integer(c_size_t) :: nwords
  end type

  interface
    integer(c_int) function c_init(words, nwords, options, error) bind(c, name='drom_init')
      import
      type(c_ptr), value :: words, options, error
      integer(c_size_t), value :: nwords
    end function
    integer(c_int) function c_finalize(error) bind(c, name='drom_finalize')
      import
      type(c_ptr), value :: error
    end function
    integer(c_int) function c_poll(words, nwords, error) bind(c, name='drom_poll')
      import
      type(c_ptr), value :: words, error
      integer(c_size_t), value :: nwords
    end function
    integer(c_int) function c_poll_apply(error) bind(c, name='drom_poll_apply')
      import
      type(c_ptr), value :: error
    end function
    !> Postpones adoption until drom_enable. Pairs of them nest.
    integer(c_int) function drom_disable() bind(c, name='drom_disable')
      import
    end function
    integer(c_int) function drom_enable() bind(c, name='drom_enable')
      import
    end function
    integer(c_int) function c_limits(min_cpus, max_cpus, error) bind(c, name='drom_limits')
      import
      integer(c_int32_t), value :: min_cpus, max_cpus
      type(c_ptr), value :: error
    end function
    integer(c_int) function c_region_begin(name) bind(c, name='drom_region_begin')
      import
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function c_region_end(name) bind(c, name='drom_region_end')
      import
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function c_open(table, where, options, error) bind(c, name='drom_open')
      import
      type(c_ptr) :: table
      type(c_ptr), value :: where, options, error
    end function
    subroutine drom_close(table) bind(c, name='drom_close')
      import
      type(c_ptr), value :: table
    end subroutine
    integer(c_int) function c_get_mask(table, pid, owned, wanted, nwords, error) bind(c, name='drom_get_mask')
      import
      type(c_ptr), value :: table, owned, wanted, error
      integer(c_int32_t), value :: pid
      integer(c_size_t), value :: nwords
    end function
    integer(c_int) function c_set_mask(table, pid, words, nwords, options, error) bind(c, name='drom_set_mask')
      import
      type(c_ptr), value :: table, words, options, error
      integer(c_int32_t), value :: pid
      integer(c_size_t), value :: nwords
    end function
    integer(c_int) function c_set_masks(table, masks, n, options, error) bind(c, name='drom_set_masks')
      import
      type(c_ptr), value :: table, masks, options, error
      integer(c_size_t), value :: n
    end function
    integer(c_int) function c_shrink(table, pid, count, options, error) bind(c, name='drom_shrink')
      import
      type(c_ptr), value :: table, options, error
      integer(c_int32_t), value :: pid, count
    end function
    integer(c_int) function c_expand(table, pid, count, options, error) bind(c, name='drom_expand')
      import
      type(c_ptr), value :: table, options, error
      integer(c_int32_t), value :: pid, count
    end function
    integer(c_int) function c_wait(table, pid, seq, timeout_ms, error) bind(c, name='drom_wait')
      import
      type(c_ptr), value :: table, error
      integer(c_int32_t), value :: pid, timeout_ms
      integer(c_int64_t), value :: seq
    end function
    integer(c_int) function c_check(table, options, error) bind(c, name='drom_check')
      import
      type(c_ptr), value :: table, options, error
    end function
  end interface

contains

  !> Makes options. Their texts point into `name` and `job`, which have to live as long and to end with c_null_char.
  function drom_new_options(flags, timeout_ms, grace_ms, name, job, min_cpus, max_cpus) result(options)
    integer(c_int64_t), intent(in), optional :: flags
    integer, intent(in), optional :: timeout_ms, grace_ms, min_cpus, max_cpus
    character(kind=c_char, len=*), intent(in), target, optional :: name, job
    type(drom_options) :: options
    options%size = c_sizeof(options)
    if (present(flags)) options%flags = flags
    if (present(timeout_ms)) options%timeout_ms = timeout_ms
    if (present(grace_ms)) options%grace_ms = grace_ms
    if (present(min_cpus)) options%min_cpus = min_cpus
    if (present(max_cpus)) options%max_cpus = max_cpus
    if (present(name)) options%name = c_loc(name)
    if (present(job)) options%job = c_loc(job)
  end function

  !> Returns the sentence of the error.
  function drom_text(error) result(text)
    type(drom_error), intent(in) :: error
    character(len=:), allocatable :: text
    integer :: i
    text = ''
    do i = 1, size(error%text)
      if (error%text(i) == c_null_char) return
      text = text // error%text(i)
    end do
  end function

  pure integer function drom_count(words)
    integer(drom_word), intent(in) :: words(:)
    drom_count = sum(popcnt(words))
  end function

  pure logical function drom_has(words, cpu)
    integer(drom_word), intent(in) :: words(:)
    integer, intent(in) :: cpu
    drom_has = .false.
    if (cpu >= 0 .and. cpu < 64 * size(words)) drom_has = btest(words(cpu / 64 + 1), mod(cpu, 64))
  end function

  !> Does nothing for a CPU that the words have no room for.
  pure subroutine drom_add(words, cpu)
    integer(drom_word), intent(inout) :: words(:)
    integer, intent(in) :: cpu
    if (cpu >= 0 .and. cpu < 64 * size(words)) words(cpu / 64 + 1) = ibset(words(cpu / 64 + 1), mod(cpu, 64))
  end subroutine

  !> Joins the table with the CPUs of `words`; without them, those that the process may run on.
  integer(c_int) function drom_init(words, options, error)
    integer(drom_word), intent(in), target, contiguous, optional :: words(:)
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    if (present(words)) then
      drom_init = c_init(c_loc(words), size(words, kind=c_size_t), at_options(options), at_error(error))
    else
      drom_init = c_init(c_null_ptr, 0_c_size_t, at_options(options), at_error(error))
    end if
  end function

  integer(c_int) function drom_finalize(error)
    type(drom_error), intent(out), target, optional :: error
    drom_finalize = c_finalize(at_error(error))
  end function

  !> Returns DROM_OK and the new mask, inside which every thread is already; or DROM_UNCHANGED.
  integer(c_int) function drom_poll(words, error)
    integer(drom_word), intent(inout), target, contiguous :: words(:)
    type(drom_error), intent(out), target, optional :: error
    drom_poll = c_poll(c_loc(words), size(words, kind=c_size_t), at_error(error))
  end function

  !> Does as drom_poll, and the OpenMP team follows. Call it outside parallel regions.
  integer(c_int) function drom_poll_apply(error)
    type(drom_error), intent(out), target, optional :: error
    drom_poll_apply = c_poll_apply(at_error(error))
  end function

  integer(c_int) function drom_limits(min_cpus, max_cpus, error)
    integer, intent(in) :: min_cpus, max_cpus
    type(drom_error), intent(out), target, optional :: error
    drom_limits = c_limits(int(min_cpus, c_int32_t), int(max_cpus, c_int32_t), at_error(error))
  end function

  !> Begins a region of the process. Blanks at the end of a name do not count.
  integer(c_int) function drom_region_begin(name)
    character(len=*), intent(in) :: name
    drom_region_begin = c_region_begin(trim(name) // c_null_char)
  end function

  !> Ends it. DROM_UNCHANGED: it is not open.
  integer(c_int) function drom_region_end(name)
    character(len=*), intent(in) :: name
    drom_region_end = c_region_end(trim(name) // c_null_char)
  end function

  !> Opens the table in `where`; '' or left out: DROM_TABLE, else the user's own table.
  integer(c_int) function drom_open(table, where, options, error)
    type(c_ptr), intent(out) :: table
    character(len=*), intent(in), optional :: where
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    character(kind=c_char, len=:), allocatable, target :: path
    path = c_null_char
    if (present(where)) path = trim(where) // c_null_char
    table = c_null_ptr
    if (len(path) > 1) then
      drom_open = c_open(table, c_loc(path), at_options(options), at_error(error))
    else
      drom_open = c_open(table, c_null_ptr, at_options(options), at_error(error))
    end if
  end function

  !> Fills in the CPUs that are the client's, and those it has once everything posted is done.
  integer(c_int) function drom_get_mask(table, pid, owned, wanted, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pid
    integer(drom_word), intent(out), target, contiguous :: owned(:), wanted(:)
    type(drom_error), intent(out), target, optional :: error
    drom_get_mask = c_get_mask(table, int(pid, c_int32_t), c_loc(owned), c_loc(wanted), &
                               min(size(owned, kind=c_size_t), size(wanted, kind=c_size_t)), at_error(error))
  end function

  integer(c_int) function drom_set_mask(table, pid, words, options, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pid
    integer(drom_word), intent(in), target, contiguous :: words(:)
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    drom_set_mask = c_set_mask(table, int(pid, c_int32_t), c_loc(words), size(words, kind=c_size_t), at_options(options), &
      at_error(error))
  end function

  !> Gives each client exactly its mask, all of them or, with an error, none: words(:, i) for pids(i).
  integer(c_int) function drom_set_masks(table, pids, words, options, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pids(:)
    integer(drom_word), intent(in), target, contiguous :: words(:, :)
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    type(client_mask), target :: masks(max(1, size(pids)))
    integer :: i
    do i = 1, size(pids)
      masks(i) = client_mask(int(pids(i), c_int32_t), 0_c_int32_t, c_loc(words(1, i)), size(words, 1, kind=c_size_t))
    end do
    drom_set_masks = c_set_masks(table, c_loc(masks), size(pids, kind=c_size_t), at_options(options), at_error(error))
  end function

  !> Leaves the client with `count` CPUs in all: the farthest go.
  integer(c_int) function drom_shrink(table, pid, count, options, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pid, count
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    drom_shrink = c_shrink(table, int(pid, c_int32_t), int(count, c_int32_t), at_options(options), at_error(error))
  end function

  !> Gives the client `count` CPUs in all: the nearest free ones, with DROM_TAKE also those of other clients.
  integer(c_int) function drom_expand(table, pid, count, options, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pid, count
    type(drom_options), intent(in), target, optional :: options
    type(drom_error), intent(out), target, optional :: error
    drom_expand = c_expand(table, int(pid, c_int32_t), int(count, c_int32_t), at_options(options), at_error(error))
  end function

  !> Waits until the client's newest request is released.
  integer(c_int) function drom_wait(table, pid, timeout_ms, error)
    type(c_ptr), intent(in) :: table
    integer, intent(in) :: pid, timeout_ms
    type(drom_error), intent(out), target, optional :: error
    drom_wait = c_wait(table, int(pid, c_int32_t), 0_c_int64_t, int(timeout_ms, c_int32_t), at_error(error))
  end function

  integer(c_int) function drom_check(table, error)
    type(c_ptr), intent(in) :: table
    type(drom_error), intent(out), target, optional :: error
    drom_check = c_check(table, c_null_ptr, at_error(error))
  end function

  type(c_ptr) function at_error(error)
    type(drom_error), intent(in), target, optional :: error
    at_error = c_null_ptr
    if (present(error)) at_error = c_loc(error)
  end function

  type(c_ptr) function at_options(options)
    type(drom_options), intent(in), target, optional :: options
    at_options = c_null_ptr
    if (present(options)) at_options = c_loc(options)
  end function

end module drom
