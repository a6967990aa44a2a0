// SPDX-License-Identifier: BSD-3-Clause
// recording.hpp - any scheduler, with a record of what it is told and what it decides.
//
// The record can be told again to a scheduler of the same policy: drom-sim replay does that.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "policy/energy/model.hpp"
#include "policy/registry/registry.hpp"

namespace drom::policy {

/// Takes the lines of a record one after the other, each without its end.
using RecordSink = std::function<void(const std::string& line)>;

/// Returns the policy with all its options as a setting, "easy:prediction=request,safety=0".
std::string setting_of(const Policy& policy);

/// Makes a scheduler of `policy` that gives its record to `sink`. The first line names the policy, those after it the
/// energy model (null: none), the numbers of the names in its limits, and the machine, which is empty at the first
/// pass. Lines of a pass come when it is over.
std::unique_ptr<Scheduler> recording(const Policy& policy, const EnergyModel* model, RecordSink sink);

namespace record {

/// The first word of a record, and its version.
constexpr std::string_view kBeginning = "drom-record ";
constexpr std::string_view kVersion = "1";

}  // namespace record

}  // namespace drom::policy
