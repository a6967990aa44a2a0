// SPDX-License-Identifier: BSD-3-Clause
// model.hpp - an energy model as lines of a record. Names of applications are in no line: no policy reads them.
//
//   energy nodes=512 nominal=1 idle=120 curve=yes fixed=0.475 exponent=2.4
//   state ghz=2.4 a=1 b=0 c=0 d=1 e=0 f=0
//   application number=1
//   signature partition=0 seconds=100 watts=300 cpi=0 tpi=0 slope=0
//   larger nodes=32
//
// A line "energy" begins the next partition, and the states after it are its own. So it is with signatures of an
// application. Those after a line "larger" are of its jobs of as many nodes or more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/energy/model.hpp"

namespace drom::policy::record {

/// Returns the lines, each without its end.
std::vector<std::string> lines_of(const EnergyModel& model);

/// Returns true when the line is one of a model.
bool is_of_model(std::string_view line);

/// Adds one line to the model. Errors: what is wrong with the line, as the rest of a sentence.
tl::expected<void, std::string> add_line(EnergyModel& model, std::string_view line);

/// Returns what the model lacks, or has that cannot be right, as the rest of a sentence; empty: nothing.
std::string lack_of(const EnergyModel& model);

}  // namespace drom::policy::record
