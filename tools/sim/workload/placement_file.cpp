// SPDX-License-Identifier: BSD-3-Clause
// placement_file.cpp - reads and writes lines of a first word, a name, and KEY=VALUE.
#include "workload/placement_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "libdrom/base/number_text.hpp"

namespace drom::sim {
namespace {

using namespace policy::placement;

constexpr int kMax = 1'000'000;            // cores, ranks, ages
constexpr double kMaxCost = 1e9;           // costs and priorities, too
constexpr std::size_t kMaxNames = 20'000;  // of systems, and of applications
constexpr std::size_t kWidestWord = 60;    // that a message repeats

struct Word {
    std::string_view text;
    std::size_t column = 1;
};

std::vector<Word> words_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    std::vector<Word> words;
    line = line.substr(0, line.find('#'));
    for (std::size_t begin = 0; (begin = line.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        words.push_back({line.substr(begin, end - begin), begin + 1});
        begin = end;
    }
    return words;
}

/// Returns a word as a message shows it.
std::string shown(std::string_view word) {
    std::string text(word.substr(0, kWidestWord));
    for (char& c : text)
        if (c < ' ' || c > '~') c = '?';
    return '\'' + text + (word.size() > kWidestWord ? "...'" : "'");
}

/// Reads line after line; keeps the first complaint.
class Reader {
public:
    tl::expected<PlacementFile, std::string> read(std::string_view text) {
        for (number_ = 1; !text.empty() && complaint_.empty(); ++number_) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            line(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (complaint_.empty() && file_.systems.empty()) complaint_ = "there is no line 'system' in it";
        if (complaint_.empty() && file_.applications.empty()) complaint_ = "there is no line 'application' in it";
        if (!complaint_.empty()) return tl::unexpected(complaint_);
        return std::move(file_);
    }

private:
    void line(std::string_view text) {
        words_ = words_of(text);
        if (words_.empty()) return;
        next_ = 1;
        end_ = {{}, words_.back().column + words_.back().text.size()};
        const std::string_view first = words_.front().text;
        if (first == "rules") return rules();
        if (first == "system") return system();
        if (first == "application") return application();
        if (first == "runs") return runs();
        complain(words_.front(),
                 fmt::format("a line begins with rules, system, application or runs, not with {}", shown(first)));
    }

    void rules() {
        if (rules_seen_) return complain(words_.front(), "there is a line 'rules' already");
        rules_seen_ = true;
        values();
        real("spread", file_.problem.spread);
        real("ageing", file_.problem.ageing);
        rest();
    }

    void system() {
        System system;
        if (!new_name("system", systems_, file_.systems)) return;
        values();
        whole("cores", 0, system.cores);
        real("cost", system.cost);
        rest();
        file_.problem.systems.push_back(system);
    }

    void application() {
        Application application;
        if (!new_name("application", applications_, file_.applications)) return;
        values();
        whole("ranks", 1, application.ranks);
        real("priority", application.priority);
        real("move", application.move);
        if (values_.contains("age")) whole("age", 0, application.age);
        rest();
        file_.problem.applications.push_back(application);
    }

    void runs() {
        const int application = known("application", applications_);
        const int system = known("system", systems_);
        if (application < 0 || system < 0) return;
        values();
        Part part{system, 0};
        whole("ranks", 1, part.ranks);
        rest();
        Parts& now = file_.problem.applications[static_cast<std::size_t>(application)].now;
        const auto place = std::ranges::lower_bound(now, system, {}, &Part::system);
        if (place != now.end() && place->system == system)
            return complain(words_[2], "there is a line about this application on this system already");
        now.insert(place, part);
    }

    using Numbers = std::map<std::string, int, std::less<>>;

    const Word& next_word() { return next_ < words_.size() ? words_[next_++] : end_; }

    bool new_name(const char* what, Numbers& numbers, std::vector<std::string>& names) {
        const Word word = next_word();
        if (word.text.empty() || word.text.find('=') != std::string_view::npos) {
            complain(word, fmt::format("the name of the {} is missing", what));
            return false;
        }
        const auto unprintable = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
        if (std::ranges::any_of(word.text, unprintable)) {
            complain(word, fmt::format("{} is no name of printable characters", shown(word.text)));
            return false;
        }
        if (!numbers.emplace(word.text, static_cast<int>(names.size())).second) {
            complain(word, fmt::format("there is {} {} already", what, shown(word.text)));
            return false;
        }
        if (names.size() == kMaxNames)
            complain(word, fmt::format("there are more than {} lines '{}'", kMaxNames, what));
        names.emplace_back(word.text);
        return true;
    }

    int known(const char* what, const Numbers& numbers) {
        const Word word = next_word();
        const auto found = numbers.find(word.text);
        if (found != numbers.end()) return found->second;
        complain(word, word.text.empty() ? fmt::format("the name of the {} is missing", what)
                                         : fmt::format("there is no {} {} above", what, shown(word.text)));
        return -1;
    }

    /// Reads the rest of the line as KEY=VALUE.
    void values() {
        values_.clear();
        while (next_ < words_.size()) {
            const Word word = words_[next_++];
            const std::size_t equals = word.text.find('=');
            if (equals == std::string_view::npos)
                return complain(word, fmt::format("{} is no KEY=VALUE", shown(word.text)));
            const Word value{word.text.substr(equals + 1), word.column + equals + 1};
            if (!values_.emplace(word.text.substr(0, equals), std::pair(word, value)).second)
                return complain(word, fmt::format("{} is given twice", shown(word.text.substr(0, equals))));
        }
    }

    /// Returns the value of a key, which is then no longer there; nothing when it is missing.
    std::optional<Word> value(std::string_view key) {
        const auto found = values_.find(key);
        if (found == values_.end()) return std::nullopt;
        const Word value = found->second.second;
        values_.erase(found);
        return value;
    }

    void whole(std::string_view key, int least, int& into) {
        const auto word = value(key);
        if (!word) return complain(end_, fmt::format("{}= is missing", key));
        std::int64_t number = 0;
        const std::errc code = parse_number(word->text, number);
        if (code == std::errc::invalid_argument)
            return complain(*word, fmt::format("{} {} is not a whole number", key, shown(word->text)));
        if (code != std::errc{} || number < least || number > kMax)
            return complain(*word, fmt::format("{} {} is out of range; {} to {} can be meant", key, shown(word->text),
                                               least, kMax));
        into = static_cast<int>(number);
    }

    /// Leaves `into` as it is where the key is missing.
    void real(std::string_view key, double& into) {
        const auto word = value(key);
        if (!word) return;
        double number = 0;
        const std::errc code = parse_number(word->text, number);
        if (code == std::errc::invalid_argument || std::isnan(number))
            return complain(*word, fmt::format("{} {} is not a number", key, shown(word->text)));
        if (code != std::errc{} || number < 0 || number > kMaxCost)
            return complain(
                *word, fmt::format("{} {} is out of range; 0 to {} can be meant", key, shown(word->text), kMaxCost));
        into = number;
    }

    /// Complains about keys that no line of this kind has.
    void rest() {
        if (values_.empty()) return;
        const auto& [key, words] = *values_.begin();
        complain(words.first, fmt::format("a line '{}' has no {}=", words_.front().text, shown(key)));
    }

    void complain(const Word& word, const std::string& text) {
        if (complaint_.empty()) complaint_ = fmt::format("line {}, column {}: {}", number_, word.column, text);
    }

    PlacementFile file_;
    Numbers systems_, applications_;
    bool rules_seen_ = false;
    std::vector<Word> words_;                                   // of the line
    std::size_t next_ = 0;                                      // word
    Word end_;                                                  // of the line
    std::map<std::string_view, std::pair<Word, Word>> values_;  // with the word, and its value
    std::size_t number_ = 0;                                    // of the line
    std::string complaint_;
};

}  // namespace

tl::expected<PlacementFile, std::string> read_placement(std::string_view text) { return Reader().read(text); }

std::string placement_text(const PlacementFile& file) {
    const Problem& problem = file.problem;
    std::string text = fmt::format("rules spread={} ageing={}\n", problem.spread, problem.ageing);
    for (std::size_t s = 0; s < problem.systems.size(); ++s)
        text += fmt::format("system {} cores={} cost={}\n", file.systems[s], problem.systems[s].cores,
                            problem.systems[s].cost);
    for (std::size_t a = 0; a < problem.applications.size(); ++a) {
        const Application& application = problem.applications[a];
        text += fmt::format("application {} ranks={} priority={} move={} age={}\n", file.applications[a],
                            application.ranks, application.priority, application.move, application.age);
        for (const Part& part : application.now)
            text += fmt::format("runs {} {} ranks={}\n", file.applications[a],
                                file.systems[static_cast<std::size_t>(part.system)], part.ranks);
    }
    return text;
}

}  // namespace drom::sim
