// SPDX-License-Identifier: BSD-3-Clause
// completion.cpp - drom --complete: the scripts of the shells ask it, so that an option is written down once.
#include "command_line/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "command_line/clients.hpp"
#include "command_line/options.hpp"
#include "output/client_table.hpp"
#include "output/format.hpp"
#include "output/messages.hpp"

namespace drom::command {

namespace {

/// A word, and what it means; the meaning may be empty.
using Candidate = std::pair<std::string, std::string>;
using Candidates = std::vector<Candidate>;

/// One way to write an option, "--timeout", and the label of its value: "" where it takes none.
struct OptionWord {
    std::string word, label, text;
};

std::vector<OptionWord> words_of(const OptionRow& row) {
    std::vector<OptionWord> found;
    std::string label;
    std::istringstream names(row.names);
    for (std::string name; names >> name;) {
        if (name.ends_with(',')) name.pop_back();
        if (!name.starts_with('-'))
            label = name;
        else
            found.push_back({name, "", row.text});
    }
    for (auto& word : found) word.label = label;
    return found;
}

std::vector<OptionWord> option_words_of(const std::string& verb) {
    std::vector<OptionWord> all;
    for (const OptionRow& row : option_rows_of(verb))
        for (auto& word : words_of(row)) all.push_back(std::move(word));
    return all;
}

/// The meaning of the words before the last one.
struct Before {
    std::string verb, table;
    size_t position = 0;  ///< arguments of the verb so far
    bool job = false;     ///< --job stands in place of CLIENT
    bool command = false;
    std::string option;  ///< the last word is its value
    std::string label;   ///< of that value
    std::vector<OptionWord> options;
};

void take_option(const std::string& word, Before& before) {
    const std::string name = word.substr(0, word.find('='));
    before.job |= name == "--job";
    for (const OptionWord& known : before.options) {
        if (known.word != name || known.label.empty() || name != word) continue;
        before.option = name;
        before.label = known.label;
    }
}

/// Takes one word; after a word of run or verify that is no option, all words belong to the command.
void take(const std::string& word, Before& before) {
    if (!before.option.empty()) {
        if (before.option == "-n" || before.option == "--table") before.table = word;
        before.option.clear();
    } else if (word == "--") {
        before.command = true;
    } else if (word.starts_with('-')) {
        take_option(word, before);
    } else if (before.verb.empty()) {
        before.verb = word;
        before.options = option_words_of(word);
    } else {
        ++before.position;
    }
    if (before.position > 0 && (before.verb == "run" || before.verb == "verify")) before.command = true;
}

Candidates fixed(std::initializer_list<const char*> words) {
    Candidates all;
    for (const char* word : words) all.emplace_back(word, "");
    return all;
}

Candidates verbs() {
    Candidates all;
    for (const auto& verb : verb_texts()) all.emplace_back(verb.name, verb.summary);
    all.emplace_back("help", "the long help of a verb");
    return all;
}

Candidates units() {
    return {{"core:", "cores by number"}, {"numa:", "NUMA nodes"}, {"package:", "packages"}, {"0x", "a mask of bits"}};
}

std::vector<drom_client_info> clients_of(const std::string& path) {
    const auto table = Table::open(path, {.read_only = true});
    if (!table) return {};
    return table->clients().value_or(std::vector<drom_client_info>{});
}

Candidates clients(const std::string& table) {
    Candidates all;
    for (const auto& info : clients_of(table)) {
        if (*info.name != '\0') all.emplace_back(info.name, fmt::format("process {}", info.pid));
        all.emplace_back(std::to_string(info.pid), info.name);
    }
    return all;
}

Candidates jobs(const std::string& table) {
    std::set<std::string> names;
    for (const auto& info : clients_of(table))
        if (*info.job != '\0') names.insert(info.job);
    Candidates all;
    for (const auto& name : names) all.emplace_back(name, "job");
    return all;
}

/// Returns the columns that `word`, a list of columns, does not name yet. Each candidate is the list with one of them.
Candidates columns(const std::string& word) {
    const size_t comma = word.rfind(',');
    const std::string named = comma == std::string::npos ? "" : word.substr(0, comma + 1);
    Candidates all;
    for (const auto& column : column_texts())
        if (("," + named).find("," + column.name + ",") == std::string::npos)
            all.emplace_back(named + column.name, column.text);
    return all;
}

Candidates values(const std::string& option, const Before& before, const std::string& word) {
    if (option == "-n" || option == "--table") return fixed({":folders"});
    if (option == "-o" || option == "--columns") return columns(word);
    if (option == "--wait") return fixed({"released", "resized"});
    if (option == "--grace") return fixed({"now", "never"});
    if (option == "--resize") return fixed({"keep", "follow", "auto"});
    if (option == "--format") return fixed({"perfetto", "paraver", "csv"});
    if (option == "--out") return fixed({":files"});
    if (option == "--cpus") return units();
    return option == "--job" ? jobs(before.table) : Candidates{};
}

Candidates option_candidates(const Before& before) {
    Candidates all;
    for (const OptionWord& option : before.options) all.emplace_back(option.word, option.text);
    return all;
}

Candidates commands(const std::string& word) {
    return word.find('/') == std::string::npos ? fixed({":commands"}) : fixed({":files"});
}

Candidates arguments(const Before& before) {
    if (before.verb.empty() || (before.verb == "help" && before.position == 0)) return verbs();
    const VerbText* verb = find_verb(before.verb);
    if (verb == nullptr) return {};
    std::istringstream text{std::string(verb->arguments)};
    std::vector<std::string> kinds;
    for (std::string kind; text >> kind;)
        if (!before.job || kind != "CLIENT") kinds.push_back(kind);
    const std::string kind = before.position < kinds.size() ? kinds[before.position] : "";
    if (kind == "MASK") return units();
    if (kind == "FILE") return fixed({":files"});
    if (before.position > 0 && !kinds.empty() && kinds.back() == "FILE...") return fixed({":files"});
    Candidates all;
    if (kind.starts_with("CLIENT") || kind.starts_with("[CLIENT]")) all = clients(before.table);
    if (kind.ends_with("|merge")) all.emplace_back("merge", "the reports of several nodes");
    return all;
}

Candidates candidates(const Before& before, const std::string& word) {
    if (before.command) return commands(word);
    if (!before.option.empty()) return values(before.option, before, word);
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    if (equals != std::string::npos) {
        Candidates all = values(word.substr(0, equals), before, word.substr(equals + 1));
        for (auto& [text, meaning] : all)
            if (!text.starts_with(':')) text.insert(0, word, 0, equals + 1);
        return all;
    }
    if (word.starts_with('-')) return option_candidates(before);
    return before.verb == "run" || before.verb == "verify" ? commands(word) : arguments(before);
}

}  // namespace

int complete(const std::vector<std::string>& words) {
    Before before;
    before.options = option_words_of("");
    for (size_t i = 0; i + 1 < words.size(); ++i) take(words[i], before);
    const std::string word = words.empty() ? "" : words.back();
    std::set<std::string> said;
    std::string out;
    for (const auto& [text, meaning] : candidates(before, word))
        if ((text.starts_with(word) || text.starts_with(':')) && said.insert(text).second)
            out += fmt::format("{}\t{}\n", text, meaning);
    return print(out) ? kDone : kRefused;
}

}  // namespace drom::command
