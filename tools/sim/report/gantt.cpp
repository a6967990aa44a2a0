// SPDX-License-Identifier: BSD-3-Clause
// gantt.cpp - stretches, which overlap in nodes and time, into rectangles that do not.
#include "report/gantt.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace drom::sim {
namespace {

using policy::NodeRange;

Window extent(const std::vector<Stretch>& stretches) {
    if (stretches.empty()) return {};
    Window window{stretches.front().from, stretches.front().to};
    for (const Stretch& stretch : stretches) {
        window.from = std::min(window.from, stretch.from);
        window.to = std::max(window.to, stretch.to);
    }
    return window;
}

std::vector<Stretch> inside(const std::vector<Stretch>& stretches, Window window) {
    std::vector<Stretch> found;
    for (Stretch stretch : stretches) {
        stretch.from = std::max(stretch.from, window.from);
        stretch.to = std::min(stretch.to, window.to);
        if (stretch.from < stretch.to) found.push_back(std::move(stretch));
    }
    return found;
}

/// Returns where the window must end so that no more than kMaxRanges rectangles begin in it.
Seconds readable_end(std::vector<Stretch>& stretches, Window window) {
    std::stable_sort(stretches.begin(), stretches.end(),
                     [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
    std::size_t ranges = 0;
    for (const Stretch& stretch : stretches) {
        ranges += stretch.nodes.ranges().size();
        if (ranges > kMaxRanges && stretch.from > window.from) return stretch.from;
    }
    return window.to;
}

/// Nodes that no stretch divides, and the stretches on them.
struct Strip {
    std::size_t partition = 0;
    int first = 0, last = 0;
    std::vector<const Stretch*> stretches;
};

std::vector<const Stretch*> of_partition(const std::vector<Stretch>& stretches, std::size_t partition) {
    std::vector<const Stretch*> found;
    for (const Stretch& stretch : stretches)
        if (static_cast<std::size_t>(stretch.partition) == partition) found.push_back(&stretch);
    return found;
}

/// Returns the nodes at which a stretch begins, and those behind its last ones.
std::vector<int> borders_of(const std::vector<const Stretch*>& stretches) {
    std::vector<int> borders;
    for (const Stretch* stretch : stretches)
        for (const NodeRange& range : stretch->nodes.ranges()) {
            borders.push_back(range.first);
            borders.push_back(range.last + 1);
        }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
}

std::vector<Strip> strips_of(const std::vector<Stretch>& all, std::size_t partition) {
    const std::vector<const Stretch*> stretches = of_partition(all, partition);
    const std::vector<int> borders = borders_of(stretches);
    std::vector<Strip> strips;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
        strips.push_back({partition, borders[i], borders[i + 1] - 1, {}});
    for (const Stretch* stretch : stretches)
        for (const NodeRange& range : stretch->nodes.ranges()) {
            const auto first = std::lower_bound(borders.begin(), borders.end(), range.first) - borders.begin();
            for (auto i = static_cast<std::size_t>(first); i < strips.size() && strips[i].first <= range.last; ++i)
                strips[i].stretches.push_back(stretch);
        }
    return strips;
}

bool continues(const Tile& earlier, const Tile& later) {
    return earlier.to == later.from && earlier.portions == later.portions;
}

class Chart {
public:
    Chart(const Outcome& outcome, Gantt& gantt) : outcome_(outcome), gantt_(gantt) {}

    void fill(const std::vector<Stretch>& stretches) {
        note_jobs(stretches);
        for (std::size_t partition = 0; partition < gantt_.partitions.size(); ++partition) {
            std::vector<std::size_t> above;  // tiles of the strip before, by time
            for (const Strip& strip : strips_of(stretches, partition)) above = place(tiles_of(strip), above);
        }
        std::stable_sort(gantt_.tiles.begin(), gantt_.tiles.end(), [](const Tile& a, const Tile& b) {
            return std::tuple(a.partition, a.first, a.from) < std::tuple(b.partition, b.first, b.from);
        });
    }

private:
    void note_jobs(const std::vector<Stretch>& stretches) {
        for (const Stretch& stretch : stretches) numbers_.emplace(stretch.job, 0);
        for (auto& [job, number] : numbers_) {
            number = gantt_.jobs.size();
            const JobOutcome& of = outcome_.jobs[job];
            gantt_.jobs.push_back({of.id, of.size(), of.shared(), of.hosted, of.start, of.end});
        }
    }

    /// Adds a tile for each job on the strip between two changes.
    std::vector<Tile> tiles_of(const Strip& strip) const {
        std::vector<Seconds> changes;
        for (const Stretch* stretch : strip.stretches) {
            changes.push_back(stretch->from);
            changes.push_back(stretch->to);
        }
        std::sort(changes.begin(), changes.end());
        changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
        std::vector<Tile> tiles;
        for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
            Tile tile{strip.partition, strip.first,    strip.last,
                      changes[i],      changes[i + 1], portions(strip, changes[i])};
            if (tile.portions.empty()) continue;
            if (!tiles.empty() && continues(tiles.back(), tile))
                tiles.back().to = tile.to;
            else
                tiles.push_back(std::move(tile));
        }
        return tiles;
    }

    std::vector<Portion> portions(const Strip& strip, Seconds now) const {
        std::vector<Portion> portions;
        for (const Stretch* stretch : strip.stretches)
            if (stretch->from <= now && now < stretch->to)
                portions.push_back({numbers_.at(stretch->job), stretch->cores});
        std::sort(portions.begin(), portions.end(), [this](const Portion& a, const Portion& b) {
            const GanttJob &first = gantt_.jobs[a.job], &second = gantt_.jobs[b.job];
            return std::tuple(first.start, first.guest, a.job) < std::tuple(second.start, second.guest, b.job);
        });
        return portions;
    }

    /// Adds the tiles of a strip, or enlarges those of the strip before. Returns where they are, by time.
    std::vector<std::size_t> place(std::vector<Tile> tiles, const std::vector<std::size_t>& above) {
        std::vector<std::size_t> placed;
        auto candidate = above.begin();
        for (Tile& tile : tiles) {
            while (candidate != above.end() && gantt_.tiles[*candidate].from < tile.from) ++candidate;
            if (candidate != above.end() && goes_on(gantt_.tiles[*candidate], tile)) {
                gantt_.tiles[*candidate].last = tile.last;
                placed.push_back(*candidate);
                continue;
            }
            placed.push_back(gantt_.tiles.size());
            gantt_.tiles.push_back(std::move(tile));
        }
        return placed;
    }

    static bool goes_on(const Tile& above, const Tile& below) {
        return above.last + 1 == below.first && above.from == below.from && above.to == below.to &&
               above.portions == below.portions;
    }

    const Outcome& outcome_;
    Gantt& gantt_;
    std::map<std::size_t, std::size_t> numbers_;  // of the outcome's jobs here
};

std::vector<GanttPartition> partitions_of(const Setting& setting) {
    if (setting.partitions.size() < 2) return {{"", setting.nodes, std::max(1, setting.cores_of(0))}};
    std::vector<GanttPartition> partitions;
    for (const PartitionSetting& partition : setting.partitions)
        partitions.push_back({partition.name, partition.nodes, std::max(1, partition.cores_per_node)});
    return partitions;
}

}  // namespace

Gantt gantt(const Outcome& outcome, Window window) {
    Gantt gantt;
    gantt.partitions = partitions_of(outcome.setting);
    gantt.asked = window.empty() ? extent(outcome.stretches) : window;
    gantt.window = gantt.asked;
    std::vector<Stretch> stretches = inside(outcome.stretches, gantt.window);
    gantt.window.to = readable_end(stretches, gantt.window);
    if (gantt.window != gantt.asked) stretches = inside(stretches, gantt.window);
    Chart(outcome, gantt).fill(stretches);
    return gantt;
}

}  // namespace drom::sim
