// SPDX-License-Identifier: BSD-3-Clause
// verb_functions.hpp - one function a verb; each returns the exit status.
#pragma once

#include "command_line/options.hpp"

namespace drom::command {

int verb_run(const Options& options);
int verb_verify(const Options& options);
int verb_list(const Options& options);
int verb_request(const Options& options);      ///< set, shrink, expand, give, take
int verb_job_request(const Options& options);  ///< the same with --job
int verb_drain(const Options& options);        ///< drain, restore
int verb_wait(const Options& options);
int verb_watch(const Options& options);
int verb_explain(const Options& options);
int verb_check(const Options& options);
int verb_env(const Options& options);

}  // namespace drom::command
