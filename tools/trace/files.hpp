// SPDX-License-Identifier: BSD-3-Clause
// files.hpp - a trace as text for other tools. Pure.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace drom::trace {

/// Returns a heading and one line per fact, fields separated by commas: when it began and ended, in seconds since the
/// begin of the trace, what it is, of which client, on which CPU, and its number.
std::string csv_of(const Trace& trace);

/// Returns an object of Chrome's trace events, for ui.perfetto.dev. A process of it is a client, a thread a CPU that
/// the client had; numbers of CPUs are counters.
std::string perfetto_of(const Trace& trace);

/// The three files of a Paraver trace (BSC, "Paraver: trace format", version 3).
struct ParaverFiles {
    std::string prv;  ///< the records
    std::string pcf;  ///< names and colours of states and events
    std::string row;  ///< names of CPUs and threads
};

/// Returns them. An application is a job, or a client without one; a task is a client of the job; a thread is a CPU
/// that the client had. `began`: the time of day, for the heading.
ParaverFiles paraver_of(const Trace& trace, const std::tm& began);

struct File {
    std::string path;
    std::string text;
};

/// Returns the format that the end of a path stands for: perfetto, paraver or csv; empty: none.
std::string format_of(const std::string& path);

/// Returns the paths of a trace of this format: paraver has three, FILE.prv, .pcf and .row.
std::vector<std::string> paths_of(const std::string& format, const std::string& path);

/// Returns the files of a trace. `began`: as for paraver_of().
std::vector<File> files_of(const std::string& format, const std::string& path, const Trace& trace,
                           const std::tm& began);

}  // namespace drom::trace
