// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - what the command line asked for, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line/help.hpp"
#include "drom/drom.hpp"
#include "output/messages.hpp"

namespace drom::command {

struct RunOptions {
    std::string cpus;
    std::optional<unsigned> ncpus;
    std::optional<unsigned> max;
    std::optional<unsigned> min;
    std::string max_said;  ///< where `max` comes from: "--max 2" or "DROM_MAX_CPUS=2"
    std::string min_said;
    bool rigid = false;
    bool no_preload = false;
    bool follow = false;    ///< the container, without a table
    std::string resize;     ///< keep, follow or auto; empty: DROM_RESIZE, else auto
    bool wait = false;      ///< until there is room, instead of being refused
    bool queue = false;     ///< waits for its turn, too
    unsigned priority = 0;  ///< in the queue; higher ones start first
    std::string name;
    std::string job;
};

struct VerifyOptions {
    std::string check;
    unsigned runs = 10;
    uint64_t seed = 1;
    unsigned limit_s = 0;  ///< 0: ten times the undisturbed run
    bool no_record = false;
};

struct WatchOptions {
    std::optional<std::chrono::milliseconds> duration;
    uint64_t count = 0;  ///< 0: no limit
    bool all = false;
};

struct ListOptions {
    std::vector<std::string> columns;
    bool raw = false;
};

struct StatsOptions {
    std::chrono::seconds window{10};
    bool csv = false;
    bool talp = false;
    bool merge = false;
    bool regions = false;            ///< the regions that programs count, in place of efficiencies
    std::vector<std::string> files;  ///< merge: the reports
};

struct TraceOptions {
    std::string format;  ///< perfetto, paraver or csv
};

struct AdviseOptions {
    std::string policy = "efficiency";
    std::optional<std::chrono::seconds> interval;  ///< from the begin of a round to that of the next; none: one round
    bool apply = false;
    std::string journal;  ///< file that rounds are appended to; empty: none
};

struct CommandOptions : Asked {
    std::string table;       ///< empty: DROM_TABLE, else the user's own
    bool all_users = false;  ///< the tables of all users, for root

    std::string client;
    std::string job;        ///< set, shrink, expand, add, remove: all its clients instead of one
    std::string slurm_job;  ///< explain: a job of Slurm instead of a client
    std::string mask;
    unsigned count = 0;
    unsigned per_rank = 0;  ///< shrink, expand --job: instead of `count`; 0: not given
    uint64_t seq = 0;
    bool once = false;  ///< top: one table
    std::string out;    ///< metrics: the file; empty: standard output; trace: the file
    std::chrono::milliseconds sample{200};
    Request request;
    std::vector<std::string> command;

    RunOptions run;
    VerifyOptions verify;
    WatchOptions watch;
    ListOptions list;
    StatsOptions stats;
    TraceOptions trace;
    AdviseOptions advise;
};

/// Returns the options of a verb; "": those of drom itself.
std::vector<OptionRow> option_rows_of(const std::string& verb);

/// Returns the options, or the exit status of a command line that asked for help or was wrong (and has been answered).
tl::expected<CommandOptions, int> parse_options(int argc, char** argv);

}  // namespace drom::command
