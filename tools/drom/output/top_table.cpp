// SPDX-License-Identifier: BSD-3-Clause
// top_table.cpp - one line per client: which CPUs it owns, and what it does with them.
#include "output/top_table.hpp"

#include <fmt/format.h>

#include "output/format.hpp"
#include "text/visible.hpp"

namespace drom::command {

namespace {

std::string share(double value) { return fmt::format("{:.1f}%", 100 * value); }

}  // namespace

std::string top_text(const TopFrame& frame) {
    std::string out = fmt::format("{}: {}, seen for {:.1f} s\n", visible(frame.node),
                                  counted(frame.rows.size(), "client"), frame.window_s);
    out += fmt::format("{:>4}  {:>8}  {:<20}  {:<14}  {:>7}  {:>8}  {:>7}\n", "SLOT", "PID", "NAME", "CPUS", "BUSY",
                       "USEFUL", "WAITED");
    for (const TopRow& row : frame.rows)
        out += fmt::format("{:>4}  {:>8}  {}  {}  {:>7}  {:>8}  {:>7}\n", row.slot, row.pid,
                           visible_field(row.name, 20), visible_field(row.owned.empty() ? "-" : row.owned.text(), 14),
                           share(row.busy), row.efficiency ? share(*row.efficiency) : "-", share(row.waited));
    return out;
}

}  // namespace drom::command
