// SPDX-License-Identifier: BSD-3-Clause
// run_environment.cpp - the variables that drom run reads of the user's, and those that it gives to the program.
#include "verbs/run_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "libdrom/base/env.hpp"
#include "libdrom/openmp/thread_count.hpp"
#include "output/messages.hpp"
#include "verbs/run_names.hpp"

namespace drom::command {

namespace {

void add_thread_count(const CommandOptions& options, unsigned threads, std::vector<std::string>& environment) {
    const std::string ours = fmt::format("OMP_NUM_THREADS={}", threads);
    if (const char* said = text_of("OMP_NUM_THREADS"); said != nullptr)
        warn(options, fmt::format("OMP_NUM_THREADS={} is no number of threads; the program gets {}", said, ours));
    environment.push_back(ours);
}

}  // namespace

bool is_disabled() { return env::flag("DROM_DISABLE", false); }

unsigned threads_of_user() { return first_thread_count(text_of("OMP_NUM_THREADS")); }

void add_environment(const CommandOptions& options, Preload& preload, RunReport& report,
                     std::vector<std::string>& environment) {
    // Not without --max: a number that is set changes programs. BLIS uses threads only then, nproc repeats the number,
    // and a program that is bound to fewer CPUs has a team for more.
    if (options.run.max && threads_of_user() == 0 && !is_disabled())
        add_thread_count(options, *options.run.max, environment);
    if (!report.resize.empty()) environment.push_back("DROM_RESIZE=" + report.resize);
    if (!preload.agent) return;
    const std::string directory = library_directory();
    if (directory.find_first_of(" :") != std::string::npos) {
        warn(options,
             fmt::format("{} cannot be preloaded: LD_PRELOAD knows no blanks and colons; install drom elsewhere",
                         directory));
        preload = {};
        return;
    }
    if (preload.mpi && access((directory + "/libdrom-mpi.so").c_str(), R_OK) != 0) {
        mention(options, "libdrom-mpi.so is not there (it is for x86-64 only): MPI calls are no safe points");
        preload.mpi = false;
    }
    const char* present = text_of("LD_PRELOAD");
    const std::string libraries = preload_text(preload, directory, present == nullptr ? "" : present);
    if (!libraries.empty()) environment.push_back("LD_PRELOAD=" + libraries);
    const char* asan = text_of("ASAN_OPTIONS");
    environment.push_back("ASAN_OPTIONS=" + asan_options(asan == nullptr ? "" : asan));
    report.preloaded = libraries_of(preload);
}

}  // namespace drom::command
