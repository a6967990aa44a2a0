// SPDX-License-Identifier: BSD-3-Clause
// figure_gantt.cpp - nodes over time, shared ones split as their cores are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/plot.hpp"

namespace drom::sim {
namespace {

constexpr double kLeft = 70, kRight = kFigureWidth - 16, kTop = 46;
constexpr double kSeen = 8;      ///< pixels from which a node is drawn by itself
constexpr double kHeading = 26;  ///< pixels between a partition and the one above it, where its name is
// Neighbours are told apart by shades; guests are orange, as the program that arrives is in the other pictures of the
// project.
constexpr std::array<Paint, 4> kOwners = {Paint{"", "#2f6fb0"}, Paint{"", "#5b8fc4"}, Paint{"", "#7f9fbd"},
                                          Paint{"", "#4a7d9c"}};
constexpr std::array<Paint, 3> kGuests = {Paint{"", "#e07b1a"}, Paint{"", "#c9650c"}, Paint{"", "#eb9a4b"}};

struct Box {
    double x = 0, y = 0, width = 0, height = 0;

    double area() const noexcept { return width * height; }
};

int nodes_of(const Gantt& gantt) {
    int nodes = 0;
    for (const GanttPartition& partition : gantt.partitions) nodes += partition.nodes;
    return nodes;
}

/// Returns from nodes to pixels for each partition, one below the other.
std::vector<Scale> rows_of(const Gantt& gantt) {
    constexpr double kMin = 54, kMax = 560, kNode = 18;
    const double most = std::max(1, nodes_of(gantt)), node = std::min(kNode, kMax / most);
    std::vector<Scale> rows;
    for (const GanttPartition& partition : gantt.partitions) {
        const double top = rows.empty() ? kTop : rows.back().last + kHeading;
        const double height = std::max(kMin, partition.nodes * node);
        rows.push_back({0, static_cast<double>(std::max(1, partition.nodes)), top, top + height});
    }
    return rows;
}

class GanttChart {
public:
    GanttChart(const Gantt& gantt, Seconds zero, std::string title, std::string command)
        : svg_(kFigureWidth, std::move(title), std::move(command)),
          gantt_(gantt),
          zero_(zero),
          x_{static_cast<double>(gantt.window.from), static_cast<double>(gantt.window.to), kLeft, kRight},
          rows_(rows_of(gantt)) {}

    std::string draw() {
        for (const Scale& rows : rows_) svg_.box(kLeft, rows.first, kRight - kLeft, rows.last - rows.first, kFree);
        legend();
        draw_jobs();
        for (std::size_t partition = 0; partition < rows_.size(); ++partition) node_axis(partition);
        time_axis();
        return svg_.finish(rows_.back().last + 46);
    }

private:
    double node_height(std::size_t partition) const { return rows_[partition](1) - rows_[partition](0); }

    Box box(const Tile& tile, std::size_t portion) const {
        int before = 0;
        for (std::size_t i = 0; i < portion; ++i) before += tile.portions[i].cores;
        const Scale& rows = rows_[tile.partition];
        const double top = rows(tile.first), height = rows(tile.last + 1) - top;
        const double core = height / gantt_.partitions[tile.partition].cores_per_node;
        const double left = x_(static_cast<double>(tile.from));
        return {left, top + before * core, x_(static_cast<double>(tile.to)) - left,
                tile.portions[portion].cores * core};
    }

    Paint paint(std::size_t job) const {
        return gantt_.jobs[job].guest ? kGuests[job % kGuests.size()] : kOwners[job % kOwners.size()];
    }

    void draw_jobs() {
        std::vector<std::vector<Box>> boxes(gantt_.jobs.size());
        for (const Tile& tile : gantt_.tiles) add_boxes(tile, boxes);
        for (std::size_t job = 0; job < boxes.size(); ++job) draw_job(job, boxes[job]);
        for (std::size_t job = 0; job < boxes.size(); ++job) name_job(job, boxes[job]);
    }

    /// Adds shared nodes one by one where they are seen one by one, else the block as a whole.
    void add_boxes(const Tile& tile, std::vector<std::vector<Box>>& boxes) const {
        if (tile.portions.size() < 2 || tile.first == tile.last || node_height(tile.partition) < kSeen) {
            for (std::size_t i = 0; i < tile.portions.size(); ++i) boxes[tile.portions[i].job].push_back(box(tile, i));
            return;
        }
        Tile node = tile;
        for (node.first = tile.first; node.first <= tile.last; ++node.first) {
            node.last = node.first;
            add_boxes(node, boxes);
        }
    }

    void draw_job(std::size_t job, const std::vector<Box>& boxes) {
        svg_.begin_group(about(gantt_.jobs[job]));
        for (const Box& box : boxes) {
            // Borders only where there is room: on a machine of thousands of nodes they would be all that is seen.
            const double gap = box.width > 4 && box.height > 4 ? 0.6 : 0;
            svg_.add_to_path(box.x, box.y + gap / 2, std::max(0.3, box.width - gap), std::max(0.3, box.height - gap));
        }
        svg_.paint_path(paint(job));
        svg_.end_group();
    }

    /// Names the job in the largest of its boxes, when it fits.
    void name_job(std::size_t job, const std::vector<Box>& boxes) {
        const auto largest = std::max_element(boxes.begin(), boxes.end(),
                                              [](const Box& a, const Box& b) { return a.area() < b.area(); });
        const std::string name = std::to_string(gantt_.jobs[job].id);
        if (largest == boxes.end() || largest->height < 8.5) return;
        const double size = std::min(11.0, largest->height);
        if (largest->width < text_width(name, size) + 6) return;
        svg_.text({largest->x + largest->width / 2, largest->y + largest->height / 2 + size * 0.35}, name,
                  {size, {"", "#ffffff"}, Anchor::kMiddle});
    }

    static std::string about(const GanttJob& job) {
        return fmt::format("job {}: {} {}, from {} s to {}{}{}", job.id, job.nodes, job.nodes == 1 ? "node" : "nodes",
                           job.start, job.end < 0 ? "the end of the simulation" : fmt::format("{} s", job.end),
                           job.guest ? ", guest" : "", job.host ? ", mate of others" : "");
    }

    void node_axis(std::size_t partition) {
        const Scale& rows = rows_[partition];
        const GanttPartition& of = gantt_.partitions[partition];
        const bool each = node_height(partition) >= 14;
        const int marks = each ? of.nodes : std::max(1, static_cast<int>((rows.last - rows.first) / 40));
        for (const Mark& mark : marks_from_zero(of.nodes, marks))
            if (mark.number < of.nodes && mark.number == std::floor(mark.number)) {
                const double room = each ? node_height(partition) / 2 + 4 : 4;
                svg_.text({kLeft - 8, rows(mark.number) + room}, grouped(static_cast<std::int64_t>(mark.number)),
                          {12, kSoft, Anchor::kEnd});
                svg_.line({kLeft - 4, rows(mark.number)}, {kLeft, rows(mark.number)}, kSoft);
            }
        if (partition == 0) svg_.text({12, kTop - 10}, "node", {12, kSoft});
        if (of.name.empty()) return;
        const std::string nodes = fmt::format(": {} {} of {}", grouped(of.nodes), of.nodes == 1 ? "node" : "nodes",
                                              cores_text(of.cores_per_node));
        const double room = kRight - kLeft - text_width(nodes);
        svg_.text({kLeft, rows.first - 7}, fitting(of.name, room) + nodes, of.name + nodes, {12});
    }

    void time_axis() {
        const double bottom = rows_.back().last;
        draw_marks(svg_, {kLeft, kRight, kTop, bottom}, x_,
                   time_marks(gantt_.window.from, gantt_.window.to, 10, zero_));
        svg_.text({kRight, bottom + 38}, time_label(gantt_.window.from, gantt_.window.to, zero_),
                  {12, kSoft, Anchor::kEnd});
    }

    void legend() {
        double x = kLeft;
        const auto entry = [&](const char* text, std::span<const Paint> paints) {
            for (const Paint& paint : paints) {
                svg_.box(x, 12, 12, 12, paint);
                x += 12;
            }
            svg_.text({x + 7, 22}, text, {12});
            x += 7 + text_width(text) + 14;
        };
        entry("on nodes of its own", kOwners);
        entry("guest on nodes of running jobs", kGuests);
        entry("free", std::array{kFree});
    }

    Svg svg_;
    const Gantt& gantt_;
    const Seconds zero_;
    const Scale x_;
    const std::vector<Scale> rows_;  ///< of nodes, by partition
};

}  // namespace

std::optional<Figure> gantt_figure(const ReportInput& input, std::size_t number) {
    const Digest& digest = input.cases[number].digest;
    const Gantt& gantt = digest.gantt;
    if (gantt.empty() || nodes_of(gantt) <= 0) return std::nullopt;
    Figure figure;
    figure.title = "Nodes of each job over time";
    figure.command = own_command(input, number);
    figure.svg = GanttChart(gantt, digest.setting.provenance.zero, figure.title, figure.command).draw();
    figure.caption = fmt::format(
        "Nodes from top to bottom, time from left to right, from {} s to {} s of the log. The height of a node is "
        "its {}: where jobs share it, each has as much of the height as it has cores; where nodes are too "
        "thin for that, a block of them is divided as a whole. The numbers are the ids of jobs.",
        grouped(gantt.window.from), grouped(gantt.window.to),
        gantt.partitions.size() > 1 ? "cores" : cores_text(gantt.partitions.front().cores_per_node));
    if (gantt.partitions.size() > 1) figure.caption += " Nodes are numbered from 0 in each partition.";
    if (gantt.window != gantt.asked)
        figure.caption += fmt::format(" Cut at {} s instead of {} s, to stay readable.", grouped(gantt.window.to),
                                      grouped(gantt.asked.to));
    return figure;
}

}  // namespace drom::sim
