// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the function that job_submit plugins have in this form in Slurm from 23.02 on.
#include "job_submit_malleable.hpp"

using namespace drom::slurm;

extern "C" {

int job_modify(job_desc_msg_t* job, void*, uint32_t, char** message) {
    return guarded([&] { return modify(*job, message); }, let_through);
}

}  // extern "C"
