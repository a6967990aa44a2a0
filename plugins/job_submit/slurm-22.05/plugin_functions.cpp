// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the function that job_submit plugins have in this form in Slurm up to 22.05.
#include "job_submit_malleable.hpp"

using namespace drom::slurm;

extern "C" {

// This series has no way to say why.
int job_modify(job_desc_msg_t* job, void*, uint32_t) {
    return guarded([&] { return modify(*job, nullptr); }, let_through);
}

}  // extern "C"
