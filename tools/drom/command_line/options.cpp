// SPDX-License-Identifier: BSD-3-Clause
// options.cpp - the command line; the only file that includes CLI11, which takes seven seconds to compile.
#include "command_line/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "command_line/help.hpp"
#include "command_line/number_reader.hpp"
#include "command_line/typed.hpp"
#include "command_line/verb_texts.hpp"
#include "libdrom/base/env.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "text/nearest.hpp"
#include "text/wrapped.hpp"

namespace drom::command {

namespace {

void add_value(CLI::App* app, const char* names, std::string& into, const char* label, const char* text) {
    const auto refuse_nothing = [](std::string& value) { return std::string(value.empty() ? "needs a value" : ""); };
    app->add_option(names, into, text)
        ->type_name(label)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->check(CLI::Validator(refuse_nothing, ""));
}

void add_common(CLI::App* app, Typed& typed) {
    app->set_help_flag("-h", "a short help");
    app->set_help_all_flag("--help", "a long help, with examples");
    add_value(app, "-n,--table", typed.options.table, "PATH", "directory of the table (DROM_TABLE)");
    app->add_flag("-J,--json", typed.options.json, "one JSON object instead of text");
    app->add_flag("-q,--quiet", typed.options.quiet, "no remarks, only refusals");
    app->add_flag("-v,--verbose", typed.options.verbose, "say what is done");
}

void add_waiting(CLI::App* app, Typed& typed) {
    add_value(app, "--wait", typed.wait, "WHAT", "wait until the request is released (default), or resized");
    app->add_flag("--no-wait", typed.no_wait, "return as soon as it is posted");
}

void add_pace(CLI::App* app, Typed& typed) {
    add_value(app, "--timeout", typed.timeout, "MS", "how long to wait, in milliseconds (DROM_TIMEOUT_MS)");
    add_value(app, "--grace", typed.grace, "MS",
              "after so long, threads are confined from outside; or now, never (DROM_GRACE_MS)");
}

void add_growth(CLI::App* app, Typed& typed) {
    app->add_flag("--take", typed.options.request.take, "CPUs of other clients may be taken");
    app->add_flag("--return", typed.options.request.give_back, "what is taken goes back afterwards");
    app->add_flag("--fast", typed.options.request.fast, "use CPUs before their owner has released them");
}

void add_job(CLI::App* app, bool counts, Typed& typed) {
    add_value(app, "--job", typed.options.job, "ID", "all clients of this job, as one request, in place of CLIENT");
    if (counts)
        add_value(app, "--per-rank", typed.per_rank, "N", "with --job: N CPUs for each rank, in place of N in all");
}

void add_run(CLI::App* app, Typed& typed) {
    auto& run = typed.options.run;
    add_value(app, "--cpus", run.cpus, "MASK", "exactly these CPUs");
    add_value(app, "--ncpus", typed.ncpus, "N", "this many CPUs, free ones first");
    add_value(app, "--max", typed.max, "N", "start with this many threads; never more (DROM_MAX_CPUS)");
    add_value(app, "--min", typed.min, "N", "others may not take CPUs below this many (DROM_MIN_CPUS, 1)");
    app->add_flag("--rigid", run.rigid, "no other client takes its CPUs until it ends");
    add_value(app, "--resize", run.resize, "WAY",
              "its team: keep its size, follow the CPUs, or auto (keep, unless it says that it may change)");
    add_value(app, "--name", run.name, "NAME", "what to call it; under MPI the rank is added");
    add_value(app, "--job", run.job, "ID", "job it belongs to (DROM_JOB)");
    app->add_flag("--wait", run.wait, "wait for room, at most --timeout if that is given, instead of being refused");
    app->add_flag("--queue", run.queue, "as --wait, and not before others that queue (drom list shows them)");
    add_value(app, "--priority", typed.priority, "N", "with --queue: before those with less (0)");
    app->add_flag("--follow", run.follow,
                  "follow its container: as many CPUs as affinity and CPU quotas allow; no table");
    app->add_flag("--no-preload", run.no_preload, "preload nothing; reach it from outside only");
    add_pace(app, typed);
    app->add_flag("--fast", typed.options.request.fast, "start before the CPUs' owners have released them");
}

void add_verify(CLI::App* app, Typed& typed) {
    auto& verify = typed.options.verify;
    add_value(app, "--check", verify.check, "CHECK", "shell command that judges a run's output on its stdin");
    add_value(app, "--runs", typed.runs, "N", "rounds; each runs every mode once (10)");
    add_value(app, "--seed", typed.seed, "N", "seed of the random requests (1)");
    add_value(app, "--limit", typed.limit, "SECONDS",
              "a run that takes longer is wrong (10 times the undisturbed run and 30 s)");
    app->add_flag("--no-record", verify.no_record, "report only");
}

void add_rest(CLI::App* app, const std::string& verb, Typed& typed) {
    if (verb == "list") {
        app->add_option("-o,--columns", typed.columns, "columns to show, separated by commas")
            ->type_name("NAMES")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        app->add_flag("--raw", typed.options.list.raw, "no header, no alignment: fields separated by tabs");
    }
    constexpr const char* kOfAllUsers[] = {"list", "drain", "restore", "stats", "top", "metrics"};
    if (std::ranges::find(kOfAllUsers, verb) != std::end(kOfAllUsers))
        app->add_flag("--all-users", typed.options.all_users, "in the table /dev/shm/drom-UID of every user (root)");
    if (verb == "wait") {
        add_value(app, "--seq", typed.seq, "N", "this request (the newest)");
        add_value(app, "--wait", typed.wait, "WHAT", "wait until it is released (default), or resized");
        add_pace(app, typed);
    }
    if (verb == "watch") {
        add_value(app, "--for", typed.duration, "SECONDS", "end after so many whole seconds");
        add_value(app, "--count", typed.events, "N", "end after this many events");
        app->add_flag("--all", typed.options.watch.all, "begin with the oldest event still kept");
    }
    if (verb == "stats") {
        add_value(app, "--job", typed.options.job, "ID", "the clients of this job, in place of CLIENT");
        add_value(app, "--window", typed.window, "SECONDS", "how long to look at the programs, in whole seconds (10)");
        app->add_flag("--csv", typed.options.stats.csv, "one line per program, fields separated by commas");
        app->add_flag("--talp", typed.options.stats.talp, "one program, as DLB's TALP writes it (JSON)");
        app->add_flag("--regions", typed.options.stats.regions, "the parts that programs name and count themselves");
    }
    if (verb == "top") {
        app->add_flag("--once", typed.options.once, "one table, and no further ones");
        add_value(app, "--window", typed.window, "SECONDS",
                  "how long to look at the programs for each table, in whole seconds (2)");
    }
    if (verb == "trace") {
        add_value(app, "--format", typed.options.trace.format, "FORMAT",
                  "perfetto, paraver or csv (what FILE ends with: .json, .prv or .csv)");
        add_value(app, "--for", typed.duration, "SECONDS", "end after so many whole seconds");
    }
    if (verb == "advise") {
        add_value(app, "--policy", typed.options.advise.policy, "POLICY",
                  "NAME or NAME:OPTION=VALUE,...: equipartition, efficiency (default), balance, reshape, share");
        add_value(app, "--job", typed.options.job, "ID", "only the clients of this job");
        add_value(app, "--window", typed.window, "SECONDS", "how long to look at the programs, in whole seconds (10)");
        add_value(app, "--interval", typed.interval, "SECONDS",
                  "begin again after so many whole seconds, until SIGINT");
        app->add_flag("--apply", typed.options.advise.apply, "carry the changes out, all or none");
        add_value(app, "--journal", typed.options.advise.journal, "FILE",
                  "append what is seen and advised, for drom-sim replay");
        add_pace(app, typed);
    }
    if (verb == "metrics") {
        add_value(app, "--window", typed.window, "SECONDS", "how long to look at the programs, in whole seconds (10)");
        add_value(app, "--out", typed.options.out, "FILE", "replace this file as a whole, in place of standard output");
    }
    if (verb == "explain") {
        add_value(app, "--sample", typed.sample, "MS", "how long to look at the threads (200)");
        add_value(app, "--slurm", typed.options.slurm_job, "JOB",
                  "a job of Slurm, in place of CLIENT: why it shares nodes, or not");
    }
}

void add_positionals(CLI::App* app, const VerbText& verb, Typed& typed) {
    const auto takes = [&](const char* word) { return verb.arguments.find(word) != std::string_view::npos; };
    if (takes("COMMAND") && !takes(kOptionalCommand)) app->prefix_command();
    if (takes("CLIENT")) app->add_option("CLIENT", typed.options.client, "")->type_name("");
    if (takes("MASK")) app->add_option("MASK", typed.options.mask, "")->type_name("");
    if (takes(" N")) app->add_option("N", typed.count, "")->type_name("");
    if (takes("FILE...]") || takes("merge FILE")) app->add_option("FILE", typed.options.stats.files, "")->type_name("");
    if (takes("FILE [")) app->add_option("FILE", typed.options.out, "")->type_name("");
}

void add_verb(CLI::App& app, const VerbText& verb, Typed& typed) {
    const std::string name(verb.name);
    CLI::App* sub = app.add_subcommand(name, std::string(verb.summary));
    add_positionals(sub, verb, typed);
    const bool grows = name == "set" || name == "expand" || name == "add";
    if (grows || name == "shrink" || name == "remove" || name == "drain" || name == "restore") {
        add_waiting(sub, typed);
        add_pace(sub, typed);
    }
    if (grows) add_growth(sub, typed);
    const bool counts = name == "shrink" || name == "expand";
    if (counts || name == "set" || name == "add" || name == "remove") add_job(sub, counts, typed);
    if (name == "run") add_run(sub, typed);
    if (name == "verify") add_verify(sub, typed);
    add_rest(sub, name, typed);
    add_common(sub, typed);
    // Read all the same: the refusal says what these verbs have in its place.
    if (name == "metrics" || name == "trace") sub->get_option("--json")->group("");
}

std::vector<OptionRow> option_rows(const CLI::App& app) {
    std::vector<OptionRow> rows;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        std::string names;
        for (const auto& name : option->get_snames()) names += (names.empty() ? "-" : ", -") + name;
        for (const auto& name : option->get_lnames()) names += (names.empty() ? "--" : ", --") + name;
        if (!option->get_type_name().empty() && option->get_items_expected_max() > 0)
            names += " " + option->get_type_name();
        rows.push_back({names, option->get_description()});
    }
    return rows;
}

/// Returns "VERB<tab>--option" lines ("-" for the program itself): what the tests hold against man page and completion.
std::string dump(const CLI::App& app) {
    std::string out;
    const auto add = [&](const CLI::App& owner, const std::string& name) {
        for (const CLI::Option* option : owner.get_options()) {
            if (option->get_positional() || option->get_group().empty()) continue;
            for (const auto& word : option->get_snames()) out.append(name).append("\t-").append(word).append("\n");
            for (const auto& word : option->get_lnames()) out.append(name).append("\t--").append(word).append("\n");
        }
    };
    add(app, "-");
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) add(*sub, sub->get_name());
    return out;
}

const CLI::App& verb_of(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> option_words(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : app.get_options())
        for (const auto& word : option->get_lnames()) words.push_back("--" + word);
    return words;
}

int misused_program(const Typed& typed, const std::string& text) {
    complain("drom: " + text);
    if (typed.options.json) print(error_json("error", {DROM_E_INVAL, "drom: " + text}));
    return kUsage;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = nearest(word, known);
    return near.empty() ? std::string() : "; did you mean " + near + "?";
}

/// Returns why a verb works in one table only; empty: it is of no use to tell.
std::string why_one_table(const std::string& verb) {
    constexpr const char* kHelp = "name it with --table, as the user whose table it is";
    if (verb == "trace") return std::string("--all-users: a trace follows one table; ") + kHelp;
    if (verb == "advise") return std::string("--all-users: CPUs move between the clients of one table; ") + kHelp;
    return {};
}

/// Refuses a command line that CLI11 refused or left something of.
int complain(const CLI::App& app, const CLI::App& verb, Typed& typed, const std::string& why) {
    typed.options.verb = verb.get_name();
    const auto left = verb.remaining();
    const bool program = &app == &verb;
    if (left.empty() && program && why.empty()) return misused_program(typed, "a verb is missing; drom -h lists them");
    if (left.empty()) return program ? misused_program(typed, why) : misused(typed.options, why);
    const std::string& word = left.front();
    if (word == "--all-users")
        if (const std::string one = why_one_table(verb.get_name()); !one.empty()) return misused(typed.options, one);
    if (word.starts_with('-')) {
        const std::string text = "there is no option " + word +
                                 suggestion(word.substr(0, word.find('=')), option_words(verb)) + " (drom " +
                                 (program ? "" : verb.get_name() + " ") + "-h lists them)";
        return program ? misused_program(typed, text) : misused(typed.options, text);
    }
    if (program) {
        std::vector<std::string> verbs{"help"};
        for (const auto& text : verb_texts()) verbs.emplace_back(text.name);
        return misused_program(typed,
                               "there is no verb '" + word + "'" + suggestion(word, verbs) + " (drom -h lists them)");
    }
    return misused(typed.options, "'" + word + "' is one argument too many; " + usage_of(*find_verb(verb.get_name())));
}

int show_help(const CLI::App& app, Typed& typed, bool full) {
    const CLI::App& verb = verb_of(app);
    if (&verb == &app && !app.remaining().empty()) return complain(app, app, typed, "");
    const VerbText* text = find_verb(verb.get_name());
    const auto rows = option_rows(verb);
    print(wrapped(text == nullptr ? program_help(rows, full) : verb_help(*text, rows, full), page_width()));
    return kDone;
}

tl::expected<CommandOptions, int> read(const CLI::App& app, const CLI::App& verb, Typed& typed) {
    NumberReader reader;
    typed.options.verb = verb.get_name();
    const CLI::Option* client = verb.get_option_no_throw("CLIENT");
    typed.empty_client = client != nullptr && client->count() > 0 && typed.options.client.empty();
    const VerbText& text = *find_verb(verb.get_name());
    if (!verb.remaining().empty()) {
        if (verb.remaining().front().starts_with('-') || !typed.options.command.empty())
            return tl::make_unexpected(complain(app, verb, typed, ""));
        typed.options.command = verb.remaining();
    }
    read_typed(text, typed, reader);
    if (!reader.complaint().empty()) return tl::make_unexpected(misused(typed.options, reader.complaint()));
    return typed.options;
}

/// Returns the index of the verb, behind the options of drom itself; the end: there is none.
size_t verb_at(const std::vector<std::string>& words) {
    size_t at = 0;
    while (at < words.size() && words[at].starts_with('-')) at += words[at] == "-n" || words[at] == "--table" ? 2U : 1U;
    return std::min(at, words.size());
}

/// Returns the first "--option=" of drom's own words; CLI11 would take the next word for its value.
std::string option_without_value(const std::vector<std::string>& words, size_t verb, bool all_are_ours) {
    for (size_t i = 0; i < words.size(); ++i) {
        if (i > verb && !all_are_ours && !words[i].starts_with('-')) return {};
        if (words[i].starts_with("--") && words[i].ends_with('=')) return words[i].substr(0, words[i].size() - 1);
    }
    return {};
}

/// Returns the words in one form: "drom help set" is "drom set --help"; everything after "--" belongs to the command. A
/// page that is asked for starts nothing.
std::vector<std::string> arguments_of(int argc, char** argv, Typed& typed) {
    std::vector<std::string>& command = typed.options.command;
    std::vector<std::string> words(argv + 1, argv + argc);
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes != words.end()) {
        command.assign(dashes + 1, words.end());
        words.erase(dashes, words.end());
    }
    const size_t at = verb_at(words);
    const std::string verb = at < words.size() ? words[at] : "";
    const bool starts_a_command = verb == "run" || verb == "verify";
    typed.without = option_without_value(words, at, !starts_a_command || !command.empty());
    if (find_verb(verb) != nullptr) typed.options.verb = verb;
    if (verb == "help") {
        const auto help = words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
        if (words.end() - help > 1) typed.surplus = help[1];
        if (help != words.end() && *help == "help") words.erase(help);  // its page is the program's
        words.emplace_back("--help");
    }
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    return words;
}

/// Builds only the verbs that occur: building all of them takes half a millisecond, and `drom list` has three.
void build(CLI::App& app, const std::vector<std::string>& words, Typed& typed) {
    const auto occurs = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    const bool all = occurs("--dump-options");
    app.require_subcommand(1);
    app.allow_windows_style_options(false);
    app.option_defaults()->disable_flag_override();
    add_common(&app, typed);
    app.add_flag("-V,--version", typed.version, "version");
    app.add_flag("--dump-options", typed.dump, "")->group("");
    for (const auto& verb : verb_texts())
        if (all || occurs(verb.name)) add_verb(app, verb, typed);
}

/// Returns a sentence for "--cpus: 1 required TEXT missing" and "wait was given a disallowed flag override", as CLI11
/// says it.
std::string value_mistake(const std::string& told) {
    const auto flag = told.find(" was given a disallowed flag override");
    if (flag == std::string::npos) return told.substr(0, told.find(':')) + " needs a value";
    return (flag == 1 ? "-" : "--") + told.substr(0, flag) + " takes no value";
}

/// Parses the words. Returns what is wrong with them; empty: nothing, or there is no verb, about which complain() finds
/// out more. Errors: the exit status of a call for help, which was shown.
tl::expected<std::string, int> parse(CLI::App& app, std::vector<std::string> words, Typed& typed) {
    try {
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        return tl::make_unexpected(show_help(app, typed, false));
    } catch (const CLI::CallForAllHelp&) {
        return tl::make_unexpected(show_help(app, typed, true));
    } catch (const CLI::ArgumentMismatch& error) {
        return value_mistake(error.what());
    } catch (const CLI::ValidationError& error) {
        return std::string(error.what()).substr(0, std::string(error.what()).find(':')) + " needs a value";
    } catch (const CLI::RequiredError&) {
        return std::string();
    } catch (const CLI::ParseError& error) {
        return std::string(error.what());
    }
    return std::string();
}

/// Prints the version, unless more than that was asked for. Returns the exit status.
int show_version(const CLI::App& app, const Typed& typed) {
    const CLI::App& verb = verb_of(app);
    const std::string surplus = &verb != &app             ? verb.get_name()
                                : app.remaining().empty() ? std::string()
                                                          : app.remaining().front();
    if (!surplus.empty())
        return misused_program(typed, "'" + surplus + "' is one argument too many; usage: drom --version");
    print("drom " + std::to_string(DROM_VERSION_MAJOR) + "." + std::to_string(DROM_VERSION_MINOR) + "." +
          std::to_string(DROM_VERSION_PATCH) + "\n");
    return kDone;
}

}  // namespace

std::vector<OptionRow> option_rows_of(const std::string& verb) {
    CLI::App app("", "drom");
    Typed typed;
    build(app, {verb}, typed);
    const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
    return option_rows(verbs.empty() ? app : *verbs.front());
}

tl::expected<CommandOptions, int> parse_options(int argc, char** argv) {
    CLI::App app("", "drom");
    Typed typed;
    auto words = arguments_of(argc, argv, typed);
    if (!typed.surplus.empty())
        return tl::make_unexpected(
            misused_program(typed, "'" + typed.surplus + "' is one argument too many; usage: drom help [VERB]"));
    build(app, words, typed);
    if (!typed.without.empty()) {
        const std::string text = typed.without + " needs a value";
        return tl::make_unexpected(typed.options.verb.empty() ? misused_program(typed, text)
                                                              : misused(typed.options, text));
    }
    const auto why = parse(app, std::move(words), typed);
    if (!why) return tl::make_unexpected(why.error());
    if (typed.version) return tl::make_unexpected(show_version(app, typed));
    if (typed.dump) return tl::make_unexpected((print(dump(app)), static_cast<int>(kDone)));
    const CLI::App& verb = verb_of(app);
    if (&verb == &app || !why->empty()) return tl::make_unexpected(complain(app, verb, typed, *why));
    if (!typed.options.command.empty() &&
        find_verb(verb.get_name())->arguments.find("COMMAND") == std::string_view::npos) {
        typed.options.verb = verb.get_name();
        return tl::make_unexpected(
            misused(typed.options, "nothing may follow --; only run and verify start a command"));
    }
    return read(app, verb, typed);
}

}  // namespace drom::command
