// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - what the command line of drom-sim asked for, as plain values.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/settings.hpp"
#include "policy/energy/mapping.hpp"
#include "workload/slurm/slurm_conf.hpp"
#include "workload/slurm/slurm_log.hpp"
#include "workload/swf/swf.hpp"

namespace drom::sim {

enum Exit : int { kDone = 0, kRefused = 1, kUsage = 2, kInterrupted = 130 };

/// The jobs: a log, or a generator.
struct Source {
    std::string log;     ///< path, also of the file of place; "-" is the standard input
    std::string preset;  ///< of a generated workload
    std::uint64_t seed = 1;
    std::size_t first_jobs = 0;  ///< only so many; 0: all
    std::int64_t jobs = 0;       ///< that a generator makes; 0: as the preset
    std::string app_mix;         ///< empty: applications are those of the log; eamc: evenly
    ReadOptions read;
};

/// A parameter, and the values that it is given one after the other.
struct Varied {
    std::string name;
    std::vector<std::string> values;
};

struct SimulationOptions {
    std::string verb;  ///< run, compare, generate, replay, policies, import, place, map
    Source source;
    SlurmOptions slurm;                 ///< import: how Source::log is read
    int nodes = 0, cores_per_node = 0;  ///< 0: as slurm.conf, the log's header or the preset says
    std::string slurm_conf;             ///< path; empty: none
    std::string partition;              ///< the only one that is simulated; empty: all
    SlurmSite site;                     ///< what with_site() read from slurm_conf
    std::string machine, apps;          ///< files; empty: one partition without an energy model
    std::vector<std::string> settings;  ///< run has one, compare's first is the baseline, policies tells of these
    Assignments parameters;             ///< given to all settings that have them
    std::vector<Varied> varied;  ///< compare: each combination of their values makes a setting, of the last setting
    unsigned seeds = 1;          ///< compare: generated workloads, with seeds from Source::seed on
    unsigned threads = 0;        ///< of compare; 0: as many as CPUs
    std::string out;             ///< folder, or the file that generate, replay, import or place writes
    std::string record;          ///< run: file that takes the record of the passes; empty: none
    std::string trace;           ///< run: file that takes the schedule for viewers of timelines; empty: none
    /// "FROM-TO" in seconds, or with s, m, h, d behind; "none"; empty: a day in the middle of the log.
    std::string window;
    bool node_list = false;  ///< jobs.csv has the nodes of each job
    bool json = false, quiet = false;
    bool force = false;              ///< the folder may have a result, which is written over
    bool markdown = false;           ///< policies: as the page of the documents
    policy::MappingWeights weights;  ///< map: of the criteria
    bool decisions = false;          ///< replay: all of them, not only those that differ
    /// The command line that makes the same numbers again, quoted for a shell. Options that change no number are left
    /// out, and folders of the log. So the same simulation has the same command wherever it is made.
    std::string command;
    std::string source_command;  ///< those of its options that name the jobs
    /// Behind `command`: what makes the page with its figures, too. The folder is one for all, so that the same
    /// simulation has the same page wherever it is made.
    std::string page_options;
};

/// Reads the command line. Errors: an exit status; what there was to say was said.
tl::expected<SimulationOptions, int> parse_options(int argc, char** argv);

/// Prints "drom-sim: VERB: text" on stderr; returns kUsage.
int misused(const SimulationOptions& options, const std::string& text);

}  // namespace drom::sim
