// SPDX-License-Identifier: BSD-3-Clause
// schedule_trace.hpp - a simulated schedule as a trace, for viewers of timelines. Pure.
#pragma once

#include "engine/outcome.hpp"
#include "report/gantt.hpp"
#include "trace/trace.hpp"

namespace drom::sim {

/// Returns what the jobs did in the window, which Outcome::stretches has to cover. A client is a job, and what it owns
/// are nodes, numbered through all partitions. Its request is posted at its submission, and released at its start;
/// where that was before the window, at the begin of the window. Useful are its cores, all together.
trace::Trace trace_of(const Outcome& outcome, Window window);

}  // namespace drom::sim
