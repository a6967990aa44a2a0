! SPDX-License-Identifier: BSD-3-Clause
! dlbf.h - dlb.h for Fortran. A program that says `use iso_c_binding`
! includes it among its declarations, in free or in fixed form.

      include 'dlbf-errors.h'

      interface
        function dlb_init(ncpus, mask, dlb_args)                        &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_Init')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: ncpus
          type(c_ptr), value :: mask
          character(kind=c_char), intent(in) :: dlb_args(*)
        end function dlb_init

        function dlb_finalize()                                         &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_Finalize')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_finalize

        function dlb_enable()                                           &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_Enable')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_enable

        function dlb_disable()                                          &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_Disable')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_disable

        function dlb_callbackset(which, callback)                       &
     &      result(ierr)                                                &
     &      bind(c, name='DLBF_CallbackSet')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: which
          type(c_funptr), value :: callback
        end function dlb_callbackset

        function dlb_callbackget(which, callback)                       &
     &      result(ierr)                                                &
     &      bind(c, name='DLBF_CallbackGet')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: which
          type(c_funptr), intent(out) :: callback
        end function dlb_callbackget

! The new mask is written to where `mask` points; it may be null.
        function dlb_polldrom(ncpus, mask)                              &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_PollDROM')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), intent(out) :: ncpus
          type(c_ptr), value :: mask
        end function dlb_polldrom

        function dlb_polldrom_update()                                  &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_PollDROM_Update')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_polldrom_update

        function dlb_setvariable(variable, val)                         &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_SetVariable')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          character(kind=c_char), intent(in) :: variable(*)
          character(kind=c_char), intent(in) :: val(*)
        end function dlb_setvariable

        function dlb_getvariable(variable, val)                         &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_GetVariable')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          character(kind=c_char), intent(in) :: variable(*)
          character(kind=c_char), intent(out) :: val(*)
        end function dlb_getvariable

        function dlb_strerror(errnum)                                   &
     &      result(text)                                                &
     &      bind(c, name='DLB_Strerror')
          use, intrinsic :: iso_c_binding
          type(c_ptr) :: text
          integer(c_int), value :: errnum
        end function dlb_strerror
      end interface
