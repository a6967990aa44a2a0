// SPDX-License-Identifier: GPL-2.0-or-later
// select_options.hpp - what SchedulerParameters says to select/malleable: the options that begin with sd_. Pure.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "policy/sharing/slowdown.hpp"

namespace drom::slurm {

struct SelectOptions {
    policy::SlowdownRules rules;
    policy::Seconds delay_max = 0;  ///< sd_delay_max: by so much in all sharing may move a promised start
    std::string log;                ///< sd_log=PATH: the journal of decisions; empty: none
    std::string metrics;            ///< sd_metrics=PATH: counters; empty: none
};

/// Reads NAME=VALUE, separated by commas; options that do not begin with sd_ are Slurm's own. Errors: one sentence that
/// names the option.
tl::expected<SelectOptions, std::string> read_scheduler_parameters(std::string_view parameters);

}  // namespace drom::slurm
