// SPDX-License-Identifier: BSD-3-Clause
// top_screen.cpp - the screen of drom top.
#include "output/top_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include "output/format.hpp"
#include "text/visible.hpp"
#include "text/wrapped.hpp"

namespace drom::command {

namespace {

constexpr size_t kBar = 12;
/// The line of the keys, from the longest to the shortest.
constexpr const char* kKeys[] = {"q quit  j/k select  s sort  + one CPU more  - one less  e explain  ? help",
                                 "q quit  ? help", "q quit", "q"};
constexpr const char* kHelp =
    "q  quit\n"
    "j  select the next client\n"
    "k  select the one before\n"
    "s  sort by the next column\n"
    "+  one CPU more for it\n"
    "-  one less\n"
    "e  explain it\n"
    "\n"
    "Bar of BUSY:\n"
    "#  useful\n"
    "m  in MPI\n"
    "=  else busy\n"
    ".  idle\n"
    "\n"
    "CPUs of the node:\n"
    "A  of client A\n"
    ".  free\n"
    "x  drained\n";

unsigned colour_of(uint32_t slot) { return 1 + slot % kOwnerColours; }

size_t width_of(const ScreenLine& line) {
    size_t width = 0;
    for (const Span& span : line) width += span.text.size();
    return width;
}

std::string share(double value) { return fmt::format("{:5.1f}%", std::min(100 * value, 999.9)); }

// --- the node -------------------------------------------------------------------------------------------------------

/// The place of a CPU: those that share a core stand side by side, a blank is between caches.
struct Place {
    drom_location at{};
    unsigned cpu = 0;
};

std::vector<Place> places_of(const TopNode& node) {
    std::vector<Place> places;
    constexpr drom_location kUnknown{UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
    for (const unsigned cpu : node.present)
        places.push_back({cpu < node.locations.size() ? node.locations[cpu] : kUnknown, cpu});
    std::ranges::stable_sort(places, {}, [](const Place& place) {
        return std::tuple(place.at.package, place.at.numa, place.at.l3, place.at.core, place.cpu);
    });
    return places;
}

std::string label_of(const drom_location& at) {
    if (at.package == UINT16_MAX) return "CPUs";
    return at.numa == UINT16_MAX ? fmt::format("package {}", at.package)
                                 : fmt::format("package {} numa {}", at.package, at.numa);
}

/// Adds the lines of a node: one per NUMA node, and more where it is wider than the screen.
class NodeLines {
public:
    NodeLines(const TopFrame& frame, const TopNode& node, size_t width) : node_(node), width_(width) {
        for (const TopRow& row : frame.rows)
            for (const unsigned cpu : row.owned) owners_[cpu] = row.slot;
        for (const Place& place : places_of(node)) label_width_ = std::max(label_width_, label_of(place.at).size() + 2);
        for (const Place& place : places_of(node)) add(place);
    }

    [[nodiscard]] std::vector<ScreenLine> lines() const { return lines_; }

private:
    void add(const Place& place) {
        const bool first = lines_.empty();
        const bool same = !first && last_.package == place.at.package && last_.numa == place.at.numa;
        if (!same) begin(label_of(place.at));
        if (same && last_.l3 != place.at.l3) lines_.back().push_back({" "});
        if (width_of(lines_.back()) >= width_) begin("");
        lines_.back().push_back(of(place.cpu));
        last_ = place.at;
    }

    void begin(std::string label) {
        label.resize(label_width_, ' ');
        lines_.push_back({{std::move(label)}});
    }

    [[nodiscard]] Span of(unsigned cpu) const {
        const auto owner = owners_.find(cpu);
        if (owner != owners_.end()) return {std::string(1, letter_of(owner->second)), colour_of(owner->second), true};
        return {node_.drained.has(cpu) ? "x" : "."};
    }

    const TopNode& node_;
    size_t width_;
    size_t label_width_ = 0;
    std::map<unsigned, uint32_t> owners_;
    std::vector<ScreenLine> lines_;
    drom_location last_{};
};

// --- the clients ----------------------------------------------------------------------------------------------------

/// Returns what becomes of the CPUs that a client owns: # useful, m in MPI, = else busy, . idle.
std::string bar_of(const TopRow& row) {
    const auto part = [](double value) { return static_cast<size_t>(std::lround(value * kBar)); };
    const double useful = std::clamp(row.efficiency.value_or(0), 0.0, 1.0);
    const double mpi = std::clamp(row.mpi.value_or(0), 0.0, 1.0 - useful);
    std::string bar(part(useful), '#');
    bar.resize(std::max(part(useful + mpi), bar.size()), 'm');
    bar.resize(std::max(part(std::clamp(row.busy, 0.0, 1.0)), bar.size()), '=');
    bar.resize(kBar, '.');
    return bar;
}

std::string title(TopOrder order, TopOrder of, const char* text) {
    return std::string(text) + (order == of ? "*" : " ");
}

ScreenLine titles(TopOrder order) {
    return {{fmt::format("{:<3}{:>8} {:<16} {:>5} {:<12} {:>7} {:>6} {:>7} {}", "", "PID", "NAME",
                         title(order, TopOrder::kCpus, "CPUS"), title(order, TopOrder::kBusy, "BUSY"),
                         title(order, TopOrder::kEfficiency, "USEFUL"), "MPI",
                         title(order, TopOrder::kWaited, "WAITED"), "REQUEST"),
             0, true}};
}

ScreenLine line_of(const TopRow& row, bool selected) {
    const std::string unknown = "-";
    return {{fmt::format("{} ", letter_of(row.slot)), colour_of(row.slot), true, selected},
            {fmt::format(" {:>8} {} {:>4}  {} {:>6}  {:>6} {:>6}  {}", row.pid, visible_field(row.name, 16),
                         row.owned.count(), bar_of(row), row.efficiency ? share(*row.efficiency) : unknown,
                         row.mpi ? share(*row.mpi) : unknown, share(row.waited), row.request),
             0, false, selected}};
}

/// Returns the first row that is shown, so that the selected one is.
size_t first_shown(const std::vector<TopRow>& rows, std::optional<uint32_t> selected, size_t room) {
    const auto at = std::ranges::find_if(rows, [&](const TopRow& row) { return row.slot == selected; });
    const auto index = static_cast<size_t>(at - rows.begin());
    return at == rows.end() || index < room ? 0 : index - room + 1;
}

/// Returns the text in lines of the screen's width.
std::vector<ScreenLine> lines_of(const std::string& text, size_t width) {
    std::vector<ScreenLine> lines;
    std::istringstream all(wrapped(text, width));
    for (std::string line; std::getline(all, line);) lines.push_back({{line}});
    return lines;
}

/// Returns the keys on as many lines as a screen of this width has for them: two, or one that is short.
const char* keys_of(size_t width) {
    constexpr size_t kTwoLines = 40;
    if (width >= kTwoLines) return kKeys[0];
    return *std::ranges::find_if(std::begin(kKeys) + 1, std::end(kKeys) - 1,
                                 [width](std::string_view keys) { return keys.size() <= width; });
}

/// Cuts the line where it has so many columns.
void cut(ScreenLine& line, size_t width) {
    size_t left = width;
    for (Span& span : line) {
        const size_t fits = beginning_of(span.text, left).size();
        left = fits < span.text.size() ? 0 : left - columns_of_text(span.text);
        span.text.resize(fits);
    }
}

}  // namespace

TopOrder next_order(TopOrder order) {
    return order == TopOrder::kWaited ? TopOrder::kSlot : static_cast<TopOrder>(static_cast<int>(order) + 1);
}

char letter_of(uint32_t slot) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return kLetters[slot % kLetters.size()];
}

std::vector<TopRow> ordered(std::vector<TopRow> rows, TopOrder order) {
    const auto value = [order](const TopRow& row) {
        switch (order) {
            case TopOrder::kSlot: return -static_cast<double>(row.slot);
            case TopOrder::kCpus: return static_cast<double>(row.owned.count());
            case TopOrder::kBusy: return row.busy;
            case TopOrder::kEfficiency: return row.efficiency.value_or(-1);
            case TopOrder::kWaited: return row.waited;
        }
        return 0.0;
    };
    std::ranges::stable_sort(rows, std::greater{}, value);
    return rows;
}

std::vector<ScreenLine> text_screen(const std::string& text, size_t width, size_t height) {
    std::vector<ScreenLine> lines = lines_of(text, width);
    if (lines.size() + 1 > height) lines.resize(height - 1);
    lines.push_back({{"any key goes back", 0, true}});
    for (ScreenLine& line : lines) cut(line, width);
    return lines;
}

std::vector<ScreenLine> help_screen(size_t width, size_t height) { return text_screen(kHelp, width, height); }

std::vector<ScreenLine> top_screen(const TopFrame& frame, const TopNode& node, const TopView& view, size_t width,
                                   size_t height) {
    std::vector<ScreenLine> lines;
    lines.push_back({{fmt::format("{}: {}, seen for {:.1f} s", visible(frame.node),
                                  counted(frame.rows.size(), "client"), frame.window_s),
                      0, true}});
    for (ScreenLine& line : NodeLines(frame, node, width).lines()) lines.push_back(std::move(line));
    lines.emplace_back();
    lines.push_back(titles(view.order));
    const std::vector<ScreenLine> below = lines_of(view.message.empty() ? keys_of(width) : view.message, width);
    const size_t room = height > lines.size() + below.size() ? height - lines.size() - below.size() : 1;
    const std::vector<TopRow> rows = ordered(frame.rows, view.order);
    const size_t first = first_shown(rows, view.selected, room);
    for (size_t i = first; i < std::min(rows.size(), first + room); ++i)
        lines.push_back(line_of(rows[i], rows[i].slot == view.selected));
    while (lines.size() + below.size() < height) lines.emplace_back();
    lines.insert(lines.end(), below.begin(), below.end());
    for (ScreenLine& line : lines) cut(line, width);
    // A screen of few lines keeps the clients, and the line below them.
    if (lines.size() > height) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(height));
    return lines;
}

}  // namespace drom::command
