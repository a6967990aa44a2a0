// SPDX-License-Identifier: BSD-3-Clause
// slurm_conf_lines.cpp - the lines of a slurm.conf and of the files that it includes.
#include "workload/slurm/slurm_conf_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/slurm/slurm_values.hpp"
#include "workload/swf/swf_row.hpp"

namespace drom::sim::slurm {
namespace {

using Done = tl::expected<void, std::string>;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_key(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Reads the settings of one line from left to right.
class LineReader {
public:
    explicit LineReader(const std::string& text) : text_(text) {}

    /// Reads the settings of the line. Errors: a sentence with the column.
    tl::expected<std::vector<Setting>, std::string> settings() {
        std::vector<Setting> list;
        for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
            auto next = setting();
            if (!next) return tl::make_unexpected(next.error());
            list.push_back(std::move(*next));
        }
        return list;
    }

private:
    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }

    tl::expected<Setting, std::string> setting() {
        Setting setting;
        const std::size_t begin = at_;
        setting.column = begin + 1;
        while (at_ < text_.size() && is_key(text_[at_])) setting.key += text_[at_++];
        skip_blanks();
        if (at_ + 1 < text_.size() && std::string_view("+-*/").find(text_[at_]) != std::string_view::npos) ++at_;
        if (setting.key.empty() || at_ >= text_.size() || text_[at_] != '=')
            return tl::make_unexpected(fmt::format("column {}: {} is no NAME=VALUE", setting.column,
                                                   swf::quoted(std::string_view(text_).substr(begin))));
        ++at_;
        skip_blanks();
        if (auto done = value(setting.value); !done) return tl::make_unexpected(done.error());
        return setting;
    }

    Done value(std::string& into) {
        if (at_ < text_.size() && text_[at_] == '"') {
            const std::size_t end = text_.find('"', at_ + 1);
            if (end == std::string::npos)
                return tl::make_unexpected(fmt::format("column {}: a \" without its end", at_ + 1));
            into = text_.substr(at_ + 1, end - at_ - 1);
            at_ = end + 1;
            return {};
        }
        while (at_ < text_.size() && !is_blank(text_[at_])) into += text_[at_++];
        return {};
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

/// Removes a comment: from a # on, unless a \ stands before it.
std::string without_comment(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
        if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '#') ++i;
        text += line[i];
    }
    return text;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

class ConfReader {
public:
    ConfReader(const std::string& path, const ReadFile& read_file) : folder_(folder_of(path)), read_file_(read_file) {}

    /// Reads a file line by line. Errors: a finished sentence.
    Done read(const std::string& path) {
        const auto text = read_file_(path);
        if (!text) return tl::make_unexpected(fmt::format("drom-sim: read {}: {}", path, text.error()));
        open_.push_back(path);
        std::string_view rest = *text;
        std::size_t number = 0;
        while (!rest.empty()) {
            const std::size_t first = number + 1;
            const std::string joined = take_line(rest, number);
            if (auto done = line(joined, path, first); !done) return done;
        }
        open_.pop_back();
        return {};
    }
    std::vector<ConfLine> take() { return std::move(lines_); }

private:
    /// Takes one line, with its continuation lines.
    static std::string take_line(std::string_view& rest, std::size_t& number) {
        std::string joined;
        for (bool goes_on = true; goes_on && !rest.empty();) {
            const auto end = rest.find('\n');
            std::string_view text = rest.substr(0, end);
            if (text.ends_with('\r')) text.remove_suffix(1);
            std::string part = without_comment(text);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            ++number;
            goes_on = part.ends_with('\\');
            if (goes_on) part.pop_back();
            joined += part;
        }
        return joined;
    }

    Done line(const std::string& text, const std::string& path, std::size_t number) {
        const std::string_view all = swf::trimmed(text), word = all.substr(0, all.find_first_of(" \t"));
        if (same_word(word, "include") && word.size() < all.size())
            return include(swf::trimmed(all.substr(word.size())), path, number);
        auto settings = LineReader(text).settings();
        if (!settings)
            return tl::make_unexpected(fmt::format("drom-sim: read {}: line {}, {}", path, number, settings.error()));
        for (const Setting& setting : *settings)
            if (same_word(setting.key, "ClusterName")) cluster_ = setting.value;
        if (!settings->empty()) lines_.push_back({path, number, std::move(*settings)});
        return {};
    }

    Done include(std::string_view name, const std::string& path, std::size_t number) {
        std::string included(name);
        if (const auto at = included.find("%c"); at != std::string::npos) included.replace(at, 2, cluster_);
        if (!included.starts_with('/')) included = folder_ + included;
        if (std::find(open_.begin(), open_.end(), included) == open_.end()) return read(included);
        return tl::make_unexpected(
            fmt::format("drom-sim: read {}: line {}, column 1: {} includes itself", path, number, included));
    }

    const std::string folder_;
    const ReadFile& read_file_;
    std::string cluster_;
    std::vector<std::string> open_;  ///< files that are being read, the outermost first
    std::vector<ConfLine> lines_;
};

}  // namespace

tl::expected<std::vector<ConfLine>, std::string> read_conf_lines(const std::string& path, const ReadFile& read_file) {
    ConfReader reader(path, read_file);
    if (auto done = reader.read(path); !done) return tl::make_unexpected(done.error());
    return reader.take();
}

}  // namespace drom::sim::slurm
