// SPDX-License-Identifier: BSD-3-Clause
// top_table.cpp - one line per client: which CPUs it owns, and what it does with them.
#include "output/top_table.hpp"

#include <fmt/format.h>

#include "output/format.hpp"
#include "text/visible.hpp"

namespace drom::command {

namespace {

/// Returns the text in a field of `width` columns. A name in a language of wide characters is not cut inside one.
std::string cut(const std::string& text, size_t width) {
    std::string shown = visible(text);
    if (shown.size() <= width) return shown;
    shown.resize(width - 1);
    return visible(shown) + '+';
}

std::string share(double value) { return fmt::format("{:.1f}%", 100 * value); }

}  // namespace

std::string top_text(const TopFrame& frame) {
    std::string out = fmt::format("{}: {}, seen for {:.1f} s\n", cut(frame.node, 50),
                                  counted(frame.rows.size(), "client"), frame.window_s);
    out += fmt::format("{:>4}  {:>8}  {:<20}  {:<14}  {:>7}  {:>8}  {:>7}\n", "SLOT", "PID", "NAME", "CPUS", "BUSY",
                       "EFFIC.", "WAITED");
    for (const TopRow& row : frame.rows)
        out += fmt::format("{:>4}  {:>8}  {:<20}  {:<14}  {:>7}  {:>8}  {:>7}\n", row.slot, row.pid, cut(row.name, 20),
                           row.owned.empty() ? "-" : cut(row.owned.text(), 14), share(row.busy),
                           row.efficiency ? share(*row.efficiency) : "-", share(row.waited));
    return out;
}

}  // namespace drom::command
