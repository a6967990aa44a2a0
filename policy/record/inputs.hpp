// SPDX-License-Identifier: BSD-3-Clause
// inputs.hpp - what a scheduler is told between two passes, and its machine, one line each.
//
//   label of=qos number=3 name=short
//   partition nodes=50 cores=48
//   class partition=0 nodes=0-49 features=0 memory=0
//   submit at=100 job=12 submit=100 request=3600 count=4 min_cores=1 kind=malleable partition=0 application=-1 ...
//   iteration at=130 partition=0 slot=2 seconds=29.5 mtct=0.25
//   shrunk at=130 partition=0 slot=2
//   end at=150 job=12 run=50
//   cancel at=160 job=13
//   pass at=160 ended=yes
//
// Only lines that begin with `label` have names of partitions and QOS; names of applications are in no line. A job that
// is submitted has no NodeFilter::within.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <tl/expected.hpp>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy::record {

/// The number that jobs have for a name in the policy's limits, of a partition or a QOS.
struct LabelLine {
    bool is_qos = false;
    int number = 0;
    std::string name;
};

struct PartitionLine {
    int nodes = 0, cores_per_node = 0;
};

/// Nodes of one partition that are alike.
struct ClassLine {
    int partition = 0;
    NodeClass nodes;
};

struct Submitted {
    Job job;                             ///< without Job::resize
    std::optional<ResizeTraits> resize;  ///< that it points to
};

struct Cancelled {
    JobId job = 0;
};

struct Ended {
    JobId job = 0;
    Seconds run = 0;
};

/// A posted shrink has been carried out.
struct Shrunk {
    int partition = 0, slot = 0;
};

struct Passed {
    bool ended = false;
};

using Input = std::variant<Submitted, Cancelled, Ended, Iteration, Shrunk, Passed>;

/// An input with the time of the pass that follows it. The time of a pass is its own.
struct TimedInput {
    Seconds at = 0;
    Input input;
};

using InputLine = std::variant<LabelLine, PartitionLine, ClassLine, TimedInput>;

/// Returns one line, without its end.
std::string text_of(const LabelLine& label);
std::string text_of(const PartitionLine& partition);
std::string text_of(const ClassLine& nodes);
std::string text_of(const TimedInput& input);

/// Reads what text_of() wrote. Errors: what is wrong with the line, as the rest of a sentence ("has no job=").
tl::expected<InputLine, std::string> parse_input(std::string_view text);

}  // namespace drom::policy::record
