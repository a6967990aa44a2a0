/* SPDX-License-Identifier: GPL-2.0-or-later
 * config.h - what Slurm's internal headers want to know of the machine; Slurm's own is made by its configure, which is
 * not run. */
#ifndef DROM_SLURM_CONFIG_H
#define DROM_SLURM_CONFIG_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define WITH_PTHREADS 1
/* As the distribution builds it: several slurmd on one machine. Changes no struct that is used here. */
#define MULTIPLE_SLURMD 1

#endif
