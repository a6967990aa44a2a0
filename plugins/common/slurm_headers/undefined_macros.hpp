// SPDX-License-Identifier: GPL-2.0-or-later
// undefined_macros.hpp - takes back Slurm's macros that the C++ library cannot bear. Include it behind Slurm's internal
// headers.
#undef free
#undef error
#undef info
#undef verbose
#undef debug
#undef fatal
#undef MIN
#undef MAX
