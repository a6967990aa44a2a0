// SPDX-License-Identifier: BSD-3-Clause
// main.cpp - the command `drom`: reads the command line and hands it to the verb.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "command_line/completion.hpp"
#include "command_line/options.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "program/environment.hpp"
#include "program/stack.hpp"
#include "verbs/verb_functions.hpp"

namespace {

using drom::command::Asked;
using drom::command::CommandOptions;
using drom::command::with_output;

struct Row {
    const char* verb;
    int (*function)(const CommandOptions&);
};

constexpr Row kRows[] = {
    {"run", drom::command::verb_run},         {"verify", drom::command::verb_verify},
    {"list", drom::command::verb_list},       {"set", drom::command::verb_request},
    {"shrink", drom::command::verb_request},  {"expand", drom::command::verb_request},
    {"add", drom::command::verb_request},     {"remove", drom::command::verb_request},
    {"drain", drom::command::verb_drain},     {"restore", drom::command::verb_drain},
    {"wait", drom::command::verb_wait},       {"watch", drom::command::verb_watch},
    {"explain", drom::command::verb_explain}, {"stats", drom::command::verb_stats},
    {"top", drom::command::verb_top},         {"metrics", drom::command::verb_metrics},
    {"trace", drom::command::verb_trace},     {"advise", drom::command::verb_advise},
    {"check", drom::command::verb_check},     {"env", drom::command::verb_env},
};

/// Returns whether as many files can be opened as a verb needs. A verb that fails later for want of one would blame the
/// file that it was to read.
bool has_descriptors() {
    constexpr int kNeeded = 16;
    int open_ones[kNeeded];
    int count = 0;
    while (count < kNeeded && (open_ones[count] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0) ++count;
    for (int i = 0; i < count; ++i) close(open_ones[i]);
    return count == kNeeded;
}

int refuse_without_descriptors(const CommandOptions& options) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return refused(options, sentence(options, DROM_E_OS,
                                     fmt::format("it needs 16 more open files, and the limit is {}; raise it (ulimit "
                                                 "-n 1024), or start drom with fewer files open",
                                                 limit.rlim_cur)));
}

int dispatch(const CommandOptions& options) {
    if (!has_descriptors()) return refuse_without_descriptors(options);
    if (options.verb != "env")
        for (const auto& text : drom::command::complaints_about_variables()) drom::command::warn(options, text);
    for (const Row& row : kRows)
        if (options.verb == row.verb) return row.function(options);
    return drom::command::misused(options, "this verb has no function");
}

/// Opens a substitute for each stream that was closed. A table must not get its number: messages would be written into
/// it. The substitute fails as the closed stream would, so that output is not lost unseen. Programs that are executed
/// find the streams closed as they were.
void keep_streams_apart() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0 &&
            open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
            return;
}

int act(int argc, char** argv, Asked& asked) {
    if (argc > 1 && std::string_view(argv[1]) == "--complete")
        return with_output("", drom::command::complete({argv + 2, argv + argc}));
    const auto options = drom::command::parse_options(argc, argv);
    if (!options) return with_output("", options.error());
    asked = *options;
    return with_output(options->verb, dispatch(*options));
}

/// Prints a refusal that needs no memory for its sentence.
int refuse_without_means(const Asked& asked, const char* why) {
    const char* mark = asked.verb.empty() ? "" : ": ";
    std::fprintf(stderr, "drom: %s%s%s\n", asked.verb.c_str(), mark, why);
    try {
        if (asked.json)
            drom::command::print(
                drom::command::error_json(asked.verb, {DROM_E_OS, fmt::format("drom: {}{}{}", asked.verb, mark, why)}));
    } catch (const std::exception&) {
        return drom::command::kRefused;  // the sentence has been said
    }
    return drom::command::kRefused;
}

int act_or_refuse(int argc, char** argv) {
    Asked asked;
    // Only a shortage of memory or of threads can throw here, or a broken installation of a library.
    try {
        return act(argc, argv, asked);
    } catch (const std::bad_alloc&) {
        return refuse_without_means(asked,
                                    "it needs more memory than it can get; raise the limit (ulimit -v), or end other "
                                    "programs");
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::resource_unavailable_try_again) return refuse_without_means(asked, error.what());
        return refuse_without_means(asked,
                                    "it needs one more thread than it can get; raise the limit of processes (ulimit "
                                    "-u), or end other programs");
    } catch (const std::exception& error) {
        return refuse_without_means(asked, error.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
    keep_streams_apart();
    int status = 0;
    drom::command::with_stack([&] { status = act_or_refuse(argc, argv); });
    return status;
}
