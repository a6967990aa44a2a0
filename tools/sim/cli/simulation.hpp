// SPDX-License-Identifier: BSD-3-Clause
// simulation.hpp - from a command line to workloads and outcomes: what run and compare have in common.
#pragma once

#include <span>

#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "policy/record/recording.hpp"
#include "report/digest.hpp"
#include "workload/machine_file.hpp"

namespace drom::sim {

/// A workload, the machine for it, and what was done to the log.
struct Input {
    Workload workload;
    Provenance provenance;
    int nodes = 0, cores_per_node = 1;   ///< of all partitions; cores of the first one
    int widest = 0;                      ///< nodes of the largest partition
    std::vector<PartitionFile> machine;  ///< empty: one partition that the log or the options tell
    std::shared_ptr<const policy::EnergyModel> energy;
    std::optional<std::uint64_t> seed{};  ///< of the generated workload; none: a log
};

/// A failure: an exit status, and the sentence.
struct Failure {
    int status = kRefused;
    std::string sentence;  ///< finished
};

/// Prints a remark on stderr, unless quiet.
void remark(const SimulationOptions& options, const std::string& text);

/// Reads the machine and its applications from the files of --machine and --apps.
tl::expected<void, Failure> read_machine(const SimulationOptions& options, Input& input);

/// Says why a policy with these options cannot run on the machine; empty: it can.
std::string unfit(const Input& input, const policy::Policy& policy);

/// Draws the applications of a workload where a mix is given, or the preset is eamc: out of those of the model, else
/// of the thesis's eight. Errors: the rest of a sentence.
tl::expected<void, std::string> draw(const Source& source, std::uint64_t seed, const policy::EnergyModel* energy,
                                     Workload& workload);

/// Makes a synthetic workload. Errors: the rest of a sentence.
tl::expected<Workload, std::string> generate(const Source& source, std::uint64_t seed);

/// Reads or generates the jobs. `seed` is that of a generator. Remarks on stderr unless quiet.
tl::expected<Input, Failure> load(const SimulationOptions& options, std::uint64_t seed);

/// Reads "3d-4d" and the like; empty text: a day in the middle of the submits; "none": an empty window. Errors: a
/// sentence.
tl::expected<Window, std::string> read_window(const std::string& text, const Workload& workload);

/// Returns true for a regular file.
bool is_file(const std::string& path);

/// Refuses a folder for --out that has a result already, also an unfinished one, or a file that is there, unless
/// --force was given.
tl::expected<void, Failure> check_out(const SimulationOptions& options);

/// Refuses a file for the option that is one of those that are read, under whatever name, also with --force.
tl::expected<void, Failure> check_apart(const SimulationOptions& options, const std::string& file, const char* option);

/// Results of a simulation besides the times of its jobs.
struct Kept {
    Window window;            ///< of the chart; empty: there is none
    bool nodes = false;       ///< of each job
    policy::RecordSink sink;  ///< takes the record of its passes; empty: there is none
};

/// Runs one setting. `command` repeats it.
Outcome run_setting(const Input& input, const Parameters& parameters, const std::string& command, Kept kept,
                    Progress& progress, const std::atomic<bool>& stop);

/// Says once per reason on stderr, unless quiet, which jobs a policy never starts, and why one that shares nodes could
/// not do so. Says which parameters had no effect, too.
void remark_on_idle_policies(const SimulationOptions& options, std::span<const Digest> digests);

/// Prints a finished sentence on stderr. Returns its status.
int fail(const Failure& failure);

/// Makes the folder and those above it. Errors: a finished sentence.
tl::expected<void, std::string> make_folder(const std::string& path);

/// Names of folders for settings, in their order: letters, digits, and . _ + - only, so that every file system, make
/// and scp take them. No two are the same.
std::vector<std::string> folders_of(const std::vector<std::string>& settings);

/// Returns the numbers of several simulations as an aligned table for people, one row each.
std::string table(const std::vector<std::string>& labels, const std::vector<Metrics>& metrics);

/// Writes schedule.swf: the workload with the waits that the policy gave. Jobs without a start are left out.
tl::expected<void, std::string> write_schedule(const std::string& path, const Input& input, const Outcome& outcome);

}  // namespace drom::sim
