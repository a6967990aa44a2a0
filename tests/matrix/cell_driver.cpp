// SPDX-License-Identifier: BSD-3-Clause
// cell_driver.cpp - one cell of the matrix: the ranks shrink to one CPU each and expand again, and their teams follow.
//
//   cell_driver RANKS RUNTIME STOP     RUNTIME: part of the path of the OpenMP runtime that the ranks must have loaded;
//                                      makes the file STOP at its end, also after a failure
//
// It is one process, because each start costs a second on interpreted CPUs. Exit status: 0; 1 with a sentence.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "drom/drom.hpp"

namespace {

using namespace std::chrono_literals;
using drom::Assignment;
using drom::CpuSet;
using drom::Table;

constexpr auto kLimit = 40s;  // long, because CPUs may be interpreted

class Cell {
public:
    Cell(size_t ranks, std::string runtime) : ranks_(ranks), runtime_(std::move(runtime)) {}

    /// Runs the cell. Returns a sentence that says what was wrong, or nothing.
    std::string run() {
        if (auto wrong = join(); !wrong.empty()) return wrong;
        std::vector<Assignment> fewer = all_;
        for (Assignment& one : fewer) one.cpus = CpuSet::range(*one.cpus.begin(), 1);
        for (const auto& masks : {fewer, all_, fewer, all_})
            if (auto wrong = move(masks); !wrong.empty()) return wrong;
        return "";
    }

private:
    /// Waits until all ranks are there, each with a team of at least two that follows.
    std::string join() {
        const auto end = std::chrono::steady_clock::now() + kLimit;
        for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(20ms)) {
            auto table = Table::open();
            if (!table) continue;
            const auto clients = table->clients();
            if (!clients || clients->size() != ranks_) continue;
            if (!std::ranges::all_of(*clients,
                                     [](const auto& client) { return client.team_size > 1 && client.safe_points > 3; }))
                continue;
            table_.emplace(std::move(*table));
            return remember(*clients);
        }
        return fmt::format("{} ranks with teams were not there within {} s", ranks_, kLimit.count());
    }

    std::string remember(const std::vector<drom_client_info>& clients) {
        for (const auto& client : clients) {
            const auto masks = table_->masks_of(client.pid);
            if (!masks) return masks.error().text;
            if (!has_loaded(client.pid))
                return fmt::format("rank {} runs on another runtime than {}", client.rank, runtime_);
            all_.push_back({client.pid, masks->owned});
            if (masks->owned.count() != client.team_size)
                return fmt::format("rank {} has {} threads on {}", client.rank, client.team_size, masks->owned.text());
        }
        return "";
    }

    [[nodiscard]] bool has_loaded(pid_t pid) const {
        std::ifstream maps(fmt::format("/proc/{}/maps", pid));
        const std::string text{std::istreambuf_iterator<char>(maps), {}};
        return text.find(runtime_) != std::string::npos;
    }

    std::string move(const std::vector<Assignment>& masks) {
        const auto outcome = table_->set_masks(masks, {.wait = drom::Wait::kResized, .timeout = kLimit});
        if (!outcome) return outcome.error().text;
        if (outcome->pending()) return outcome->text;
        const auto clients = table_->clients();
        if (!clients || clients->size() != ranks_) return "a rank has gone";
        for (const auto& client : *clients) {
            const auto wanted = std::ranges::find(masks, client.pid, &Assignment::pid)->cpus.count();
            if (client.team_size != wanted || client.resize != DROM_RESIZE_FOLLOWS)
                return fmt::format("rank {} has {} threads on {} CPUs: {}", client.rank, client.team_size, wanted,
                                   client.why);
        }
        return "";
    }

    size_t ranks_;
    std::string runtime_;
    std::optional<Table> table_;
    std::vector<Assignment> all_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const std::string wrong = Cell(std::strtoul(argv[1], nullptr, 10), argv[2]).run();
    close(open(argv[3], O_WRONLY | O_CREAT, 0600));
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "cell_driver: %s\n", wrong.c_str());
    return 1;
}
