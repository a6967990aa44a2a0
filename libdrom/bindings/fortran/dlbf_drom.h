! SPDX-License-Identifier: BSD-3-Clause
! dlbf_drom.h - dlb_drom.h for Fortran, after dlbf.h. DLB's has four of
! these; DLB_DROM_PreInit is for programs in C.

      interface
        function dlb_drom_attach()                                      &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_Attach')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_drom_attach

        function dlb_drom_detach()                                      &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_Detach')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
        end function dlb_drom_detach

        function dlb_drom_getnumcpus(ncpus)                             &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_GetNumCpus')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), intent(out) :: ncpus
        end function dlb_drom_getnumcpus

        function dlb_drom_getpidlist(pidlist, nelems, max_len)          &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_GetPidList')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), intent(out) :: pidlist(*)
          integer(c_int), intent(out) :: nelems
          integer(c_int), value :: max_len
        end function dlb_drom_getpidlist

        function dlb_drom_getprocessmask(pid, mask, flags)              &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_GetProcessMask')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: pid
          type(c_ptr), value :: mask
          integer(c_int), value :: flags
        end function dlb_drom_getprocessmask

        function dlb_drom_setprocessmask(pid, mask, flags)              &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_SetProcessMask')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: pid
          type(c_ptr), value :: mask
          integer(c_int), value :: flags
        end function dlb_drom_setprocessmask

        function dlb_drom_setprocessmaskstr(pid, mask, flags)           &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_SetProcessMaskStr')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: pid
          character(kind=c_char), intent(in) :: mask(*)
          integer(c_int), value :: flags
        end function dlb_drom_setprocessmaskstr

        function dlb_drom_postfinalize(pid, flags)                      &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_PostFinalize')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: pid
          integer(c_int), value :: flags
        end function dlb_drom_postfinalize

        function dlb_drom_recoverstolencpus(pid)                        &
     &      result(ierr)                                                &
     &      bind(c, name='DLB_DROM_RecoverStolenCpus')
          use, intrinsic :: iso_c_binding
          integer(c_int) :: ierr
          integer(c_int), value :: pid
        end function dlb_drom_recoverstolencpus
      end interface
