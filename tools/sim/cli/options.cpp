// SPDX-License-Identifier: BSD-3-Clause
// options.cpp - the command line; the only file that includes CLI11, which takes seconds to compile.
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>

#include "cli/help.hpp"
#include "libdrom/base/number_text.hpp"
#include "text/nearest.hpp"
#include "text/wrapped.hpp"
#include "workload/local_times.hpp"
#include "workload/slurm/slurm_values.hpp"

namespace drom::sim {
namespace {

/// The command line as typed. Numbers stay text until NumberReader has looked at them: CLI11 would read 010 as 8.
struct Typed {
    SimulationOptions options;
    std::string nodes, cores, seed, jobs, first, seeds, threads, policy, default_limit, weights;
    std::vector<std::string> vary;
    std::string processors = "requested";
    std::map<std::string, std::string> parameters;
    bool version = false, help = false, long_help = false;
    bool keep_overrun = false, drop_cancelled = false, drop_unrun = false;
};

/// Turns text into values; keeps the first complaint.
class NumberReader {
public:
    template <class Whole>
    void whole(const std::string& text, const char* name, std::int64_t min, std::int64_t max, Whole& into) {
        if (text.empty()) return;
        std::int64_t value = 0;
        const std::errc error = parse_number(text, value);
        if (error == std::errc::invalid_argument)
            return complain(fmt::format("{} '{}' is not a whole number", name, text));
        if (error != std::errc{} || value < min || value > max)
            return complain(fmt::format("{} {} is out of range; {} to {} can be meant", name, text, min, max));
        into = static_cast<Whole>(value);
    }
    void complain(std::string text) {
        if (complaint.empty()) complaint = std::move(text);
    }
    std::string complaint;
};

/// Says that a value is empty, as that of a shell variable without one; nothing else is wrong with it yet.
std::string is_empty(const std::string& value) { return value.empty() ? "the value is empty" : ""; }

CLI::Option* add_value(CLI::App& app, const char* names, std::string& into) {
    return app.add_option(names, into)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->check(is_empty);
}

void add_source(CLI::App& app, Typed& typed) {
    add_value(app, "--swf", typed.options.source.log);
    add_value(app, "--generate", typed.options.source.preset);
    add_value(app, "--workload-seed", typed.seed);
    add_value(app, "--jobs", typed.jobs);
    add_value(app, "--first", typed.first);
    add_value(app, "--processors", typed.processors);
    app.add_flag("--keep-overrun", typed.keep_overrun);
    app.add_flag("--drop-cancelled", typed.drop_cancelled);
    app.add_flag("--drop-unrun", typed.drop_unrun);
    app.add_flag("--skip-bad-lines", typed.options.source.read.skip_bad_lines);
    add_value(app, "--nodes", typed.nodes);
    add_value(app, "--cores-per-node", typed.cores);
    add_value(app, "--machine", typed.options.machine);
    add_value(app, "--apps", typed.options.apps);
    add_value(app, "--app-mix", typed.options.source.app_mix);
}

void add_common(CLI::App& app, Typed& typed) {
    app.add_flag("-h", typed.help);
    app.add_flag("--help", typed.long_help);
    app.add_flag("-q,--quiet", typed.options.quiet);
    add_value(app, "-o,--out", typed.options.out);
    app.add_flag("--force", typed.options.force);
}

void add_replay(CLI::App& app, Typed& typed) {
    app.add_option("LOG", typed.options.source.log);
    app.add_flag("-J,--json", typed.options.json);
    app.add_flag("--decisions", typed.options.decisions);
    for (const ParameterRow& row : parameters_in_decision_log())
        add_value(app, option_of(row.name).c_str(), typed.parameters[row.name]);
}

void add_policies(CLI::App& app, Typed& typed) {
    app.add_option("POLICY", typed.options.settings);
    app.add_flag("--markdown", typed.options.markdown);
    app.add_flag("-J,--json", typed.options.json);
}

void add_import(CLI::App& app, Typed& typed) {
    SlurmOptions& slurm = typed.options.slurm;
    add_value(app, "--slurm", typed.options.source.log);
    add_value(app, "--salt", slurm.salt);
    add_value(app, "--timezone", slurm.zone);
    add_value(app, "--default-limit", typed.default_limit);
    add_value(app, "--slurm-conf", typed.options.slurm_conf);
    add_value(app, "--nodes", typed.nodes);
    add_value(app, "--cores-per-node", typed.cores);
    app.add_flag("--whole-nodes", slurm.whole_nodes);
    app.add_flag("--skip-bad-lines", slurm.skip_bad_lines);
}

void add_place(CLI::App& app, Typed& typed) {
    app.add_option("FILE", typed.options.source.log);
    app.add_flag("-J,--json", typed.options.json);
}

void add_map(CLI::App& app, Typed& typed) {
    add_value(app, "--machine", typed.options.machine);
    add_value(app, "--apps", typed.options.apps);
    add_value(app, "--weights", typed.weights);
    app.add_flag("-J,--json", typed.options.json);
}

void add_simulation(CLI::App& app, Typed& typed) {
    app.add_flag("-J,--json", typed.options.json);
    add_value(app, "--gantt", typed.options.window);
    app.add_flag("--node-list", typed.options.node_list);
    add_value(app, "--slurm-conf", typed.options.slurm_conf);
    add_value(app, "--partition", typed.options.partition);
    for (const ParameterRow& row : all_parameters())
        add_value(app, option_of(row.name).c_str(), typed.parameters[row.name]);
}

void read_machine(Typed& typed, NumberReader& reader) {
    reader.whole(typed.nodes, "--nodes", 1, 10'000'000, typed.options.nodes);
    reader.whole(typed.cores, "--cores-per-node", 1, 100'000, typed.options.cores_per_node);
}

void read_import(Typed& typed, NumberReader& reader) {
    SlurmOptions& slurm = typed.options.slurm;
    if (typed.options.source.log.empty())
        reader.complain("there is no log; give the text of sacct -P with --slurm FILE, or - for the standard input");
    read_machine(typed, reader);
    slurm.nodes = typed.options.nodes;
    slurm.cores = typed.options.cores_per_node;
    if (const std::string mistake = zone_mistake(slurm.zone); !mistake.empty())
        reader.complain((slurm.zone == zone_here() ? "TZ: " : "--timezone: ") + mistake);
    if (typed.default_limit.empty()) return;
    const auto limit = slurm::read_span(typed.default_limit);
    if (!limit || *limit == 0)
        reader.complain(fmt::format("--default-limit '{}' is no time limit like 1-00:00:00", typed.default_limit));
    slurm.default_limit = limit.value_or(0);
}

/// Complains about options that are for logs only, or for generated workloads only.
void check_kind_of_source(const Typed& typed, NumberReader& reader) {
    const bool generated = typed.options.source.log.empty();
    const bool seeded = !typed.seed.empty() && typed.options.source.app_mix.empty();
    if (!generated && seeded) reader.complain("--workload-seed is for generated workloads; a log is what it is");
    if (!generated && !typed.jobs.empty())
        reader.complain("--jobs is for generated workloads; --first N takes the first jobs of a log");
    const std::pair<const char*, bool> of_logs[] = {{"--processors", typed.processors != "requested"},
                                                    {"--keep-overrun", typed.keep_overrun},
                                                    {"--drop-cancelled", typed.drop_cancelled},
                                                    {"--drop-unrun", typed.drop_unrun},
                                                    {"--skip-bad-lines", typed.options.source.read.skip_bad_lines}};
    for (const auto& [option, given] : of_logs)
        if (generated && given)
            reader.complain(fmt::format("{} is for logs; a generated workload needs no repair", option));
}

void read_source(Typed& typed, NumberReader& reader) {
    Source& source = typed.options.source;
    reader.whole(typed.seed, "--workload-seed", 0, std::numeric_limits<std::int64_t>::max(), source.seed);
    reader.whole(typed.jobs, "--jobs", 1, 100'000'000, source.jobs);
    reader.whole(typed.first, "--first", 1, std::numeric_limits<std::int64_t>::max(), source.first_jobs);
    read_machine(typed, reader);
    using Width = ReadOptions::Width;
    const std::map<std::string, Width> widths = {
        {"requested", Width::kRequested}, {"allocated", Width::kAllocated}, {"larger", Width::kLarger}};
    if (const auto width = widths.find(typed.processors); width != widths.end())
        source.read.width = width->second;
    else
        reader.complain(fmt::format("--processors '{}' is none of requested, allocated, larger", typed.processors));
    source.read.overrun = typed.keep_overrun ? ReadOptions::Overrun::kKeep : ReadOptions::Overrun::kClip;
    source.read.keep_cancelled = !typed.drop_cancelled;
    source.read.keep_unrun = !typed.drop_unrun;
    if (!typed.options.partition.empty() && typed.options.slurm_conf.empty())
        reader.complain("--partition is one of a slurm.conf; give that with --slurm-conf FILE");
    if (typed.options.machine.empty() != typed.options.apps.empty())
        reader.complain("a model of energy needs both files; give --machine and --apps");
    if (!typed.options.machine.empty() && !(typed.nodes + typed.cores).empty())
        reader.complain("--machine says how large the machine is; leave out --nodes and --cores-per-node");
    if (!typed.options.machine.empty() && !typed.options.slurm_conf.empty())
        reader.complain("--machine and --slurm-conf both say how large the machine is; give one");
    if (source.log.empty() == source.preset.empty())
        reader.complain(source.log.empty() ? "there are no jobs; give a log with --swf FILE, or --generate PRESET"
                                           : "--swf and --generate are both given; give one");
    check_kind_of_source(typed, reader);
}

// In the order of the table, so that `base` comes before what it sets.
void read_parameters(Typed& typed, const CLI::App& app) {
    for (const ParameterRow& row : all_parameters()) {
        const CLI::Option* option = app.get_option_no_throw(option_of(row.name));
        if (option != nullptr && option->count() > 0)
            typed.options.parameters.emplace_back(row.name, typed.parameters[row.name]);
    }
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        items.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

/// Reads the weight of one criterion, NAME=WEIGHT, into `weights` where it is below 0 until then.
void read_weight(const std::string& text, policy::MappingWeights& weights, NumberReader& reader) {
    double* const weight_of[] = {&weights.time, &weights.energy, &weights.room};
    constexpr std::string_view kNames[] = {"time=", "energy=", "room="};
    const auto* name = std::ranges::find_if(kNames, [&](std::string_view known) { return text.starts_with(known); });
    double value = -1;
    if (name == std::end(kNames) || !is_number(std::string_view(text).substr(name->size()), value) ||
        !(value >= 0 && value <= 1e6))
        return reader.complain(
            fmt::format("--weights: '{}' is not time=W, energy=W or room=W, with a number from 0 to 1e6", text));
    double& weight = *weight_of[name - std::begin(kNames)];
    if (weight >= 0)
        return reader.complain(fmt::format("--weights: {} is given twice", name->substr(0, name->size() - 1)));
    weight = value;
}

void read_weights(const std::string& text, policy::MappingWeights& weights, NumberReader& reader) {
    weights = {-1, -1, -1};
    for (const std::string& item : split(text)) read_weight(item, weights, reader);
    for (double* weight : {&weights.time, &weights.energy, &weights.room}) *weight = std::max(*weight, 0.0);
    if (weights.time + weights.energy + weights.room <= 0)
        reader.complain("--weights: no weight is above 0, so that no partition is better than another");
}

void read_map(Typed& typed, NumberReader& reader) {
    SimulationOptions& options = typed.options;
    if (options.machine.empty() || options.apps.empty())
        reader.complain("a map is of a machine and of applications; give --machine FILE and --apps FILE");
    if (!options.out.empty()) reader.complain("--out is not for a map, which is printed; > FILE writes it into a file");
    if (options.force) reader.complain("--force is not for a map, which is printed and writes over nothing");
    if (!typed.weights.empty()) read_weights(typed.weights, options.weights, reader);
}

void read_vary(const std::string& text, std::vector<Varied>& varied, NumberReader& reader) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
        return reader.complain(fmt::format("--vary '{}' is no NAME=VALUE,VALUE,...", text));
    const std::string name = text.substr(0, equals);
    for (const Varied& other : varied)
        if (other.name == name)
            return reader.complain(fmt::format("--vary {} is given twice; give all of its values at once", name));
    varied.push_back({name, split(text.substr(equals + 1))});
}

std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

bool is_one_of(const CLI::Option& option, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), option.get_name()) != names.end();
}

/// Returns an option as it has to be typed, with a space in front, and files without their folders; empty when it was
/// not given.
std::string retyped(const CLI::Option& option) {
    if (option.count() == 0) return {};
    std::string name = option.nonpositional() ? ' ' + option.get_name() : std::string();
    if (option.get_items_expected_max() == 0) return name;
    std::vector<std::string> values = option.results();
    if (option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast)
        values.erase(values.begin(), values.end() - 1);
    if (is_one_of(option, {"--swf", "--slurm-conf", "--machine", "--apps"}))
        values.back() = std::filesystem::path(values.back()).filename().string();
    std::string text;
    for (const std::string& value : values) text += name + ' ' + quoted(value);
    return text;
}

/// Returns whether the option names the log or the generator, or what is made of it.
bool names_jobs(const CLI::Option& option) {
    return is_one_of(option, {"--swf", "--generate", "--workload-seed", "--jobs", "--first", "--processors",
                              "--keep-overrun", "--drop-cancelled", "--drop-unrun", "--skip-bad-lines", "--slurm-conf",
                              "--partition", "--machine", "--apps", "--app-mix"});
}

void retype(SimulationOptions& options, const CLI::App& app) {
    options.command = "drom-sim";
    if (options.verb != "run") options.command += ' ' + options.verb;
    for (const CLI::Option* option : app.get_options()) {
        if (names_jobs(*option)) options.source_command += retyped(*option);
        if (is_one_of(*option, {"--gantt"})) options.page_options = retyped(*option);
        if (!is_one_of(*option, {"--out", "--record", "--trace", "--quiet", "--json", "--force", "--threads", "--gantt",
                                 "--node-list"}))
            options.command += retyped(*option);
    }
    options.page_options += " --out report";
}

constexpr const char* kVerbs[] = {"run", "compare", "generate", "replay", "policies", "import", "place", "map", "help"};

// The first word may be a verb; without one it is `run`.
std::string verb_of(std::vector<std::string>& words) {
    for (const char* verb : kVerbs) {
        if (words.empty() || words.front() != verb) continue;
        words.erase(words.begin());
        return verb;
    }
    return "run";
}

void add_verb(CLI::App& app, Typed& typed) {
    const std::string& verb = typed.options.verb;
    add_common(app, typed);
    if (verb == "generate") {
        app.add_option("PRESET", typed.options.source.preset);
        add_value(app, "--workload-seed", typed.seed);
        add_value(app, "--jobs", typed.jobs);
        add_value(app, "--app-mix", typed.options.source.app_mix);
        return;
    }
    if (verb == "replay") return add_replay(app, typed);
    if (verb == "policies") return add_policies(app, typed);
    if (verb == "import") return add_import(app, typed);
    if (verb == "place") return add_place(app, typed);
    if (verb == "map") return add_map(app, typed);
    add_source(app, typed);
    add_simulation(app, typed);
    if (verb == "run") {
        add_value(app, "--policy", typed.policy);
        add_value(app, "--record", typed.options.record);
        add_value(app, "--trace", typed.options.trace);
        app.add_flag("-V,--version", typed.version);
        return;
    }
    app.add_option("SETTING", typed.options.settings);
    app.add_option("--vary", typed.vary)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_value(app, "--seeds", typed.seeds);
    add_value(app, "--threads", typed.threads);
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = nearest(word, known);
    return near.empty() ? "" : "; did you mean " + near + "?";
}

/// Says why a word means nothing where it stands.
std::string surplus(const std::string& word, const CLI::App& app, const Typed& typed) {
    const std::string& verb = typed.options.verb;
    if (word.starts_with('-')) {
        std::vector<std::string> known;
        for (const CLI::Option* option : app.get_options())
            for (const auto& name : option->get_lnames()) known.push_back("--" + name);
        const std::string name = word.substr(0, word.find('='));
        return fmt::format("there is no option {}{} (drom-sim {} --help lists them)", name, meant(name, known), verb);
    }
    if (verb != "run")
        return fmt::format("'{}' is one argument too many; drom-sim {} -h says what it takes", word, verb);
    const std::vector<std::string> verbs(std::begin(kVerbs), std::end(kVerbs));
    if (std::ranges::find(verbs, word) != verbs.end())
        return fmt::format("the verb '{}' has to be the first word, in front of all options", word);
    return fmt::format("there is no verb '{}'{} (drom-sim -h lists them)", word, meant(word, verbs));
}

void finish(Typed& typed, const CLI::App& app, NumberReader& reader) {
    SimulationOptions& options = typed.options;
    if (options.verb == "generate") {
        reader.whole(typed.seed, "--workload-seed", 0, std::numeric_limits<std::int64_t>::max(), options.source.seed);
        reader.whole(typed.jobs, "--jobs", 1, 100'000'000, options.source.jobs);
        if (options.source.preset.empty()) reader.complain("there is no preset; drom-sim generate --help lists them");
        return;
    }
    if (options.verb == "policies") {
        if (options.json && options.markdown) reader.complain("--json and --markdown are both given; give one");
        return;
    }
    if (options.verb == "import") return read_import(typed, reader);
    if (options.verb == "place") {
        if (options.source.log.empty()) reader.complain("there is no file; name it, or - for the standard input");
        return;
    }
    if (options.verb == "map") return read_map(typed, reader);
    read_parameters(typed, app);
    if (options.verb == "replay") {
        if (options.source.log.empty()) reader.complain("there is no log; name the file, or - for the standard input");
        return;
    }
    read_source(typed, reader);
    for (const std::string& text : typed.vary) read_vary(text, options.varied, reader);
    reader.whole(typed.seeds, "--seeds", 1, 10'000, options.seeds);
    reader.whole(typed.threads, "--threads", 1, 1024, options.threads);
    if (options.verb == "run") options.settings = {typed.policy.empty() ? "easy" : typed.policy};
    if (options.verb == "compare" && options.settings.empty()) options.settings = {"slurm", "sd"};
    if (options.seeds > 1 && options.source.preset.empty())
        reader.complain("--seeds is for generated workloads; a log is what it is");
}

void show(const std::string& page) { std::fputs(wrapped(page, page_width()).c_str(), stdout); }

}  // namespace

int misused(const SimulationOptions& options, const std::string& text) {
    std::fprintf(stderr, "drom-sim: %s: %s\n", options.verb.c_str(), text.c_str());
    return kUsage;
}

tl::expected<SimulationOptions, int> parse_options(int argc, char** argv) {
    Typed typed;
    typed.options.slurm.zone = zone_here();
    std::vector<std::string> words(argv + 1, argv + argc);
    typed.options.verb = verb_of(words);
    if (typed.options.verb == "help") {
        const std::string of = words.empty() ? "run" : words.front();
        if (of != "columns" && std::ranges::find(kVerbs, of) == std::end(kVerbs))
            return tl::unexpected(
                misused(typed.options,
                        fmt::format("there is no page '{}'; there is one for each verb, and the page columns", of)));
        show(of == "columns" ? columns_help() : help(of, true));
        return tl::unexpected<int>(kDone);
    }
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    add_verb(app, typed);
    std::reverse(words.begin(), words.end());
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return tl::unexpected(misused(
            typed.options, fmt::format("{}; drom-sim {} -h lists the options", error.what(), typed.options.verb)));
    }
    if (typed.version) {
        std::puts("drom-sim " DROM_SIM_VERSION);
        return tl::unexpected<int>(kDone);
    }
    if (typed.help || typed.long_help) {
        show(help(typed.options.verb, typed.long_help));
        return tl::unexpected<int>(kDone);
    }
    const auto extra = app.remaining();
    if (!extra.empty()) return tl::unexpected(misused(typed.options, surplus(extra.front(), app, typed)));
    retype(typed.options, app);
    NumberReader reader;
    finish(typed, app, reader);
    if (!reader.complaint.empty()) return tl::unexpected(misused(typed.options, reader.complaint));
    return std::move(typed.options);
}

}  // namespace drom::sim
