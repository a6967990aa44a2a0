// SPDX-License-Identifier: BSD-3-Clause
// typed.cpp - from the words of a command line to what they ask for.
#include "command_line/typed.hpp"

#include <cstdlib>
#include <utility>

#include "libdrom/base/env.hpp"
#include "trace/files.hpp"

namespace drom::command {

namespace {

constexpr uint64_t kDay = 24ULL * 3600 * 1000;

void read_request(Typed& typed, NumberReader& reader) {
    Request& request = typed.options.request;
    if (typed.no_wait && !typed.wait.empty()) reader.complain("--wait and --no-wait exclude each other");
    if (!typed.wait.empty() && typed.wait != "released" && typed.wait != "resized")
        reader.complain("--wait '" + typed.wait + "' is neither released nor resized");
    if (typed.no_wait) request.wait = Wait::kNothing;
    if (typed.wait == "resized") request.wait = Wait::kResized;
    if (!typed.timeout.empty())
        request.timeout = std::chrono::milliseconds(reader.whole(typed.timeout, "--timeout", "milliseconds", 1, kDay));
    if (typed.grace == "never")
        request.never_confine = true;
    else if (typed.grace == "now")
        request.grace = std::chrono::milliseconds(0);
    else if (!typed.grace.empty())
        request.grace =
            std::chrono::milliseconds(reader.whole(typed.grace, "--grace", "milliseconds", 0, kDay, "now or never"));
}

/// Complains about a name that is too long: the name that a person chose is taken whole, or not at all. Only the name
/// of a program is cut.
void check_length(const char* from, const std::string& name, NumberReader& reader) {
    constexpr size_t kMax = sizeof(drom_client_info::name) - 1;
    if (name.size() > kMax)
        reader.complain(from + name + " is longer than " + std::to_string(kMax) + " characters; shorten it");
}

struct Limit {
    std::optional<unsigned> cpus;
    std::string said;
};

/// Returns a limit of drom run: that of the option, else that of the variable, where 0 is none. A variable that is no
/// number has been complained about by itself, and is none.
Limit limit_of(const Typed& typed, const std::string& text, const char* option, const char* variable,
               NumberReader& reader) {
    if (!text.empty()) return {reader.cpus(text, option), std::string(option) + " " + text};
    const long value = typed.options.verb == "run" ? env::number(variable, 0) : 0;
    if (value == 0) return {};
    const std::string said = std::string(variable) + "=" + env::text(variable);
    if (value > long{CpuSet::kMaxCpus})
        reader.complain(said + " is out of range; 0 to " + std::to_string(CpuSet::kMaxCpus) + " CPUs can be meant");
    return {static_cast<unsigned>(value), said};
}

void read_run(Typed& typed, NumberReader& reader) {
    RunOptions& run = typed.options.run;
    run.ncpus = reader.cpus(typed.ncpus, "--ncpus");
    const Limit max = limit_of(typed, typed.max, "--max", "DROM_MAX_CPUS", reader);
    const Limit min = limit_of(typed, typed.min, "--min", "DROM_MIN_CPUS", reader);
    run.max = max.cpus;
    run.min = min.cpus;
    run.max_said = max.said;
    run.min_said = min.said;
    constexpr unsigned kHighest = 1'000'000;
    if (!typed.priority.empty())
        run.priority = static_cast<unsigned>(reader.whole(typed.priority, "--priority", "", 0, kHighest));
    if (!typed.priority.empty() && !run.queue) reader.complain("--priority needs --queue, where it counts");
    run.wait = run.wait || run.queue;
    if (!run.resize.empty() && run.resize != "keep" && run.resize != "follow" && run.resize != "auto")
        reader.complain("--resize '" + run.resize + "' is neither keep nor follow nor auto");
    if (run.ncpus && !run.cpus.empty()) reader.complain("--cpus and --ncpus exclude each other");
    if (run.ncpus && run.max && *run.ncpus > *run.max)
        reader.complain("--ncpus " + typed.ncpus + " is more than " + max.said);
    if (run.ncpus && run.min && *run.min > *run.ncpus)
        reader.complain(min.said + " is more than --ncpus " + typed.ncpus);
    if (run.min && run.max && *run.min > *run.max) reader.complain(min.said + " is more than " + max.said);
    if (!run.name.empty() && run.name.find_first_not_of("0123456789") == std::string::npos)
        reader.complain("--name " + run.name + " would be taken for a pid; a name needs a letter");
    if (run.name.starts_with('-'))
        reader.complain("--name " + run.name + " would be taken for an option; a name begins with a letter");
    if (run.name.starts_with('#'))
        reader.complain("--name " + run.name + " would be taken for a slot; a name begins with a letter");
    const char* variable = std::getenv("DROM_NAME");
    if (!run.name.empty()) return check_length("--name ", run.name, reader);
    if (typed.options.verb == "run" && variable != nullptr) check_length("DROM_NAME=", variable, reader);
}

void read_numbers(Typed& typed, NumberReader& reader) {
    CommandOptions& options = typed.options;
    if (!typed.count.empty()) options.count = reader.cpus(typed.count, "N").value_or(0);
    if (!typed.seq.empty()) options.seq = reader.whole(typed.seq, "--seq", "requests", 1, UINT64_MAX);
    if (!typed.sample.empty())
        options.sample = std::chrono::milliseconds(reader.whole(typed.sample, "--sample", "milliseconds", 1, 60'000));
    if (!typed.runs.empty())
        options.verify.runs = static_cast<unsigned>(reader.whole(typed.runs, "--runs", "runs", 1, 100'000));
    if (!typed.seed.empty()) options.verify.seed = reader.whole(typed.seed, "--seed", "", 0, UINT64_MAX);
    if (!typed.limit.empty())
        options.verify.limit_s = static_cast<unsigned>(reader.whole(typed.limit, "--limit", "seconds", 1, 86'400));
    if (!typed.duration.empty())
        options.watch.duration =
            std::chrono::milliseconds(1000 * reader.whole(typed.duration, "--for", "seconds", 1, 10'000'000));
    if (options.verb == "top") options.stats.window = std::chrono::seconds(2);
    if (!typed.window.empty())
        options.stats.window = std::chrono::seconds(reader.whole(typed.window, "--window", "seconds", 1, 86'400));
    if (!typed.interval.empty())
        options.advise.interval =
            std::chrono::seconds(reader.whole(typed.interval, "--interval", "seconds", 1, 86'400));
    if (!typed.events.empty()) options.watch.count = reader.whole(typed.events, "--count", "events", 1, UINT64_MAX);
}

/// Reads every name between the commas, an empty one too.
void read_columns(Typed& typed, NumberReader& reader) {
    for (const std::string& word : typed.columns) {
        if (word.empty()) return reader.complain("--columns needs a value");
        for (size_t begin = 0; begin <= word.size();) {
            const size_t end = std::min(word.find(',', begin), word.size());
            if (begin == end) return reader.complain("--columns '" + word + "' has a comma too many");
            typed.options.list.columns.push_back(word.substr(begin, end - begin));
            begin = end + 1;
        }
    }
}

/// Reads what --job changes. With --job there is no CLIENT: the first positional is what follows it otherwise.
void read_job(const VerbText& verb, Typed& typed, NumberReader& reader) {
    CommandOptions& options = typed.options;
    if (!typed.per_rank.empty()) options.per_rank = reader.cpus(typed.per_rank, "--per-rank").value_or(0);
    if (options.job.empty()) {
        if (!typed.per_rank.empty()) reader.complain("--per-rank needs --job; for one client give N");
        return;
    }
    std::string& last = verb.arguments.find("MASK") != std::string_view::npos ? options.mask : typed.count;
    if (!options.client.empty() && !last.empty()) reader.complain("CLIENT and --job exclude each other");
    if (last.empty()) last = std::exchange(options.client, "");
    if (!typed.per_rank.empty() && !typed.count.empty()) reader.complain("N and --per-rank exclude each other");
}

/// Checks what goes with --regions, which looks once, at one table.
void read_regions(const Typed& typed, NumberReader& reader) {
    const CommandOptions& options = typed.options;
    if (!options.stats.regions) return;
    if (options.stats.merge || options.stats.csv || options.stats.talp)
        reader.complain("--regions goes with neither merge nor --csv nor --talp");
    if (!typed.window.empty())
        reader.complain("--regions and --window exclude each other: programs count from their start");
    if (options.all_users) reader.complain("--regions and --all-users exclude each other; name a table with --table");
}

/// Reads the words of drom stats: a client, or "merge" and files.
void read_stats_words(Typed& typed, NumberReader& reader) {
    CommandOptions& options = typed.options;
    options.stats.merge = options.client == "merge";
    read_regions(typed, reader);
    if (options.stats.csv + options.stats.talp + options.json > 1)
        reader.complain("--csv, --talp and --json exclude each other");
    if (!options.job.empty() && !options.client.empty()) reader.complain("CLIENT and --job exclude each other");
    if (!options.stats.merge && !options.stats.files.empty())
        reader.complain("'" + options.stats.files.front() + "' is one argument too many; files follow merge");
    if (!options.stats.merge) return;
    if (options.stats.files.empty()) reader.complain("FILE is missing; usage: drom stats merge FILE...");
    if (!typed.window.empty()) reader.complain("merge and --window exclude each other: the files have their windows");
}

/// Reads the format of a trace: as said, or as the file's name ends.
void read_trace(Typed& typed, NumberReader& reader) {
    CommandOptions& options = typed.options;
    std::string& format = options.trace.format;
    if (options.json) reader.complain("--json is not for traces; --format perfetto is a JSON object");
    if (!typed.duration.empty() && !options.command.empty())
        reader.complain("--for and COMMAND exclude each other: the trace ends with the command");
    if (format.empty()) format = trace::format_of(options.out);
    if (format == "perfetto" || format == "paraver" || format == "csv") return;
    if (!format.empty()) return reader.complain("--format '" + format + "' is neither perfetto nor paraver nor csv");
    if (!options.out.empty())
        reader.complain("FILE ends neither with .json nor with .prv nor with .csv; say its --format");
}

/// Checks what goes with --all-users.
void read_all_users(const Typed& typed, NumberReader& reader) {
    const CommandOptions& options = typed.options;
    if (!options.all_users) return;
    if (options.stats.merge) reader.complain("merge and --all-users exclude each other: the files have their programs");
    if (!options.client.empty() || !options.table.empty())
        reader.complain("--all-users means whole tables of all users; give neither CLIENT nor --table with it");
    if (!options.job.empty()) reader.complain("--all-users means whole tables of all users; give no --job with it");
    if (options.stats.talp) reader.complain("--talp is about one program, and --all-users about those of all tables");
    if (options.verb == "top" && !options.once)
        reader.complain("--all-users needs --once: the screen is about one table");
}

/// Checks the positionals that a verb cannot do without; CLI11 cannot know them.
void read_positionals(const VerbText& verb, const Typed& typed, NumberReader& reader) {
    const auto takes = [&](const char* word) { return verb.arguments.find(word) != std::string_view::npos; };
    const std::string usage = " is missing; " + usage_of(verb);
    const bool optional_client = takes("[CLIENT]");
    const bool names_job = !typed.options.job.empty() || !typed.options.slurm_job.empty();
    if (takes("CLIENT") && !optional_client && typed.options.client.empty() && !names_job)
        reader.complain("CLIENT" + usage + " (a slot is written '#3', in quotes)");
    if (!typed.options.slurm_job.empty() && !typed.options.client.empty())
        reader.complain("CLIENT and --slurm exclude each other");
    if (optional_client && typed.empty_client) reader.complain("CLIENT is empty; name a client, or leave it out");
    if (takes("MASK") && typed.options.mask.empty()) reader.complain("MASK" + usage);
    if (takes(" N") && typed.count.empty() && typed.per_rank.empty()) reader.complain("N" + usage);
    if (takes("FILE [") && typed.options.out.empty()) reader.complain("FILE" + usage);
    if (takes("COMMAND") && !takes(kOptionalCommand) && typed.options.command.empty())
        reader.complain("COMMAND" + usage);
    if (takes("COMMAND") && !typed.options.command.empty() && typed.options.command.front().empty())
        reader.complain("COMMAND is empty; name a program");
}

}  // namespace

std::string usage_of(const VerbText& verb) {
    const std::string arguments = verb.arguments.empty() ? "" : " " + std::string(verb.arguments);
    return "usage: drom " + std::string(verb.name) + arguments;
}

void read_typed(const VerbText& verb, Typed& typed, NumberReader& reader) {
    if (verb.name == "stats") read_stats_words(typed, reader);
    if (verb.name == "trace") read_trace(typed, reader);
    if (verb.name == "metrics" && typed.options.json)
        reader.complain("--json is not for OpenMetrics; drom stats --json says the same as an object");
    if (verb.name != "run" && verb.name != "stats") read_job(verb, typed, reader);
    read_all_users(typed, reader);
    read_positionals(verb, typed, reader);
    read_request(typed, reader);
    read_run(typed, reader);
    read_numbers(typed, reader);
    read_columns(typed, reader);
}

}  // namespace drom::command
