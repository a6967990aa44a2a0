! SPDX-License-Identifier: BSD-3-Clause
! dlb_fixed_test.f - DLB's Fortran headers in fixed form.
      program dlb_fixed_test
      use iso_c_binding
      implicit none
      include 'dlbf.h'
      include 'dlbf_drom.h'
      integer ncpus
      if (dlb_drom_attach() .ne. DLB_SUCCESS) stop 1
      if (dlb_drom_getnumcpus(ncpus) .ne. DLB_SUCCESS) stop 2
      if (ncpus .lt. 1) stop 3
      if (dlb_drom_detach() .ne. DLB_SUCCESS) stop 4
      end program
