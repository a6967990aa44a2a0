// SPDX-License-Identifier: BSD-3-Clause
// wrapped.cpp - a help page that fits the terminal.
#include "text/wrapped.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libdrom/base/number_text.hpp"

namespace drom {

namespace {

/// Narrower than this, breaks would be all that is seen.
constexpr size_t kMinWidth = 40;
constexpr size_t kNone = std::string_view::npos;

/// Returns where the second column of a list's line begins, "  --json  one object": after at least two blanks; kNone:
/// it has one column.
size_t second_column(std::string_view line) {
    if (!line.starts_with("  ")) return kNone;
    const size_t first = line.find_first_not_of(' ');
    const size_t gap = line.find("  ", first);
    return gap == kNone ? kNone : line.find_first_not_of(' ', gap);
}

bool is_command(std::string_view line) { return line.starts_with("  drom") || line.starts_with("  mpirun"); }

/// How the rest of a line goes on.
struct Margin {
    std::string begin;     ///< of each further line
    std::string_view end;  ///< of each line that has one below it
    size_t text = 0;       ///< a line is not broken before this column
};

Margin margin_of(std::string_view line, size_t column, size_t width) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (column != kNone && column < width * 2 / 3)
        return {std::string(column, ' ') + (line.substr(std::min(column, line.size())).starts_with('#') ? "# " : ""),
                "", column};
    if (line.substr(indent).starts_with('#')) return {std::string(indent, ' ') + "# ", "", indent + 1};
    if (is_command(line)) return {std::string(indent + 4, ' '), " \\", indent};
    return {std::string(indent == 0 ? 4 : column == kNone ? indent : indent + 4, ' '), "", indent};
}

/// Returns whether a shell would take the blank at `at` for a part of a word.
bool is_quoted(std::string_view line, size_t at) { return std::ranges::count(line.substr(0, at), '\'') % 2 != 0; }

/// Returns the last blank at which `line` can be broken so that it fits, else the first one; kNone: there is none.
size_t break_of(std::string_view line, const Margin& margin, size_t width) {
    if (line.size() <= width) return kNone;
    size_t found = kNone;
    for (size_t at = line.find(' ', margin.text + 1); at != kNone; at = line.find(' ', at + 1)) {
        if (line.find_first_not_of(' ', at) == kNone || line[at - 1] == ' ' ||
            (!margin.end.empty() && is_quoted(line, at)))
            continue;
        if (found != kNone && at + margin.end.size() > width) break;
        found = at;
    }
    return found;
}

void add_line(std::string& out, std::string line, size_t column, size_t width) {
    // A comment that has no room beside its command goes below it.
    if (column != kNone && column >= width * 2 / 3 && line.size() > width && line.substr(column).starts_with('#')) {
        add_line(out, line.substr(0, line.find_last_not_of(' ', column - 1) + 1), kNone, width);
        return add_line(out, "      " + line.substr(column), kNone, width);
    }
    Margin margin = margin_of(line, column, width);
    for (size_t at; (at = break_of(line, margin, width)) != kNone;) {
        out += line.substr(0, at);
        out.append(margin.end).append("\n");
        line = margin.begin + line.substr(line.find_first_not_of(' ', at));
        margin.text = margin.begin.size();
    }
    out += line + '\n';
}

}  // namespace

size_t page_width() {
    if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
        size_t width = 0;
        if (is_number(columns, width) && width > 0) return width;
    }
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::string wrapped(std::string_view page, size_t width) {
    std::string out;
    size_t column = kNone;
    while (!page.empty()) {
        const size_t end = std::min(page.find('\n'), page.size());
        const std::string_view line = page.substr(0, end);
        page.remove_prefix(std::min(end + 1, page.size()));
        // A line whose first column is too long for the list is broken as its neighbours are.
        const size_t own = second_column(line);
        column = own != kNone || !line.starts_with("  ") ? own : column;
        add_line(out, std::string(line), own != kNone || !is_command(line) ? column : kNone,
                 std::max(width, kMinWidth));
    }
    return out;
}

}  // namespace drom
