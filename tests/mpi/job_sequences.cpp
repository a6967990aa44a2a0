// SPDX-License-Identifier: BSD-3-Clause
// job_sequences.cpp - random job-wide requests to ranks that meet in collectives: no rank waits for ever, no CPU is in
// two masks.
//
//   job_sequences PROGRESS SEQUENCES SEED     PROGRESS: where rank 0 counts its rounds (ranks/collectives.c)
//
// A sequence is one to six calls of drom_set_masks for all clients of the table, which wait in different ways. After
// each sequence the table is checked, and the ranks must have come further: 60 s without a round are a deadlock. Prints
// the numbers. Exit status: 0, 1 with a sentence.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "drom/drom.hpp"

namespace {

using namespace std::chrono_literals;
using drom::Assignment;
using drom::CpuSet;
using drom::Request;
using drom::Table;
using drom::Wait;

struct Counts {
    unsigned requests = 0, done = 0, unchanged = 0, pending = 0, circles = 0;
};

const std::atomic<uint64_t>* map_progress(const char* path) {
    const int file = open(path, O_RDONLY);
    if (file < 0) return nullptr;
    void* at = mmap(nullptr, sizeof(uint64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? nullptr : static_cast<const std::atomic<uint64_t>*>(at);
}

class Sequences {
public:
    Sequences(Table& table, const std::atomic<uint64_t>& progress, unsigned seed)
        : table_(table), progress_(progress), random_(seed) {}

    /// Runs one sequence. Returns what went wrong, or an empty text.
    std::string one() {
        for (unsigned requests = below(6) + 1; requests > 0; --requests)
            if (auto wrong = request(); !wrong.empty()) return wrong;
        if (const auto checked = table_.check(); !checked) return checked.error().text;
        if (auto wrong = overlap(); !wrong.empty()) return wrong;
        return comes_further() ? "" : "the ranks stand still for 60 s: a deadlock, or they have ended";
    }
    [[nodiscard]] const Counts& counts() const { return counts_; }

private:
    unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

    /// Returns one mask per rank: the CPUs that exist, in random order, cut into parts. Some CPUs may be left over.
    std::vector<Assignment> some_masks(const std::vector<drom_client_info>& clients, const CpuSet& present) {
        std::vector<unsigned> cpus(present.begin(), present.end());
        std::shuffle(cpus.begin(), cpus.end(), random_);
        std::vector<Assignment> masks(clients.size());
        for (size_t i = 0; i < masks.size(); ++i) {
            masks[i].pid = clients[i].pid;
            masks[i].cpus.add(cpus[i]);
        }
        for (size_t i = masks.size(); i < cpus.size(); ++i)
            if (const unsigned who = below(static_cast<unsigned>(masks.size()) + 1); who < masks.size())
                masks[who].cpus.add(cpus[i]);
        return masks;
    }

    std::string request() {
        const auto clients = table_.clients();
        const auto cpus = table_.masks();
        if (!clients || !cpus) return "the table cannot be read";
        if (clients->empty() || clients->size() > cpus->present.count()) return "there are not as many ranks as CPUs";
        Request how;
        how.wait = std::vector{Wait::kNothing, Wait::kReleased, Wait::kResized}[below(3)];
        how.timeout = std::chrono::milliseconds(1 + below(40));
        how.fast = below(2) == 0;
        if (below(4) == 0) how.never_confine = true;
        ++counts_.requests;
        const auto outcome = table_.set_masks(some_masks(*clients, cpus->present), how);
        return count(outcome);
    }

    std::string count(const drom::Expected<drom::Outcome>& outcome) {
        if (outcome) {
            ++(outcome->unchanged() ? counts_.unchanged : outcome->pending() ? counts_.pending : counts_.done);
            return "";
        }
        // Busy is right for an exchange without DROM_FAST, and for a CPU that an earlier fast request still moves.
        const bool in_the_way = outcome.error().status == DROM_E_BUSY;
        counts_.circles += in_the_way ? 1 : 0;
        return in_the_way ? "" : outcome.error().text;
    }

    std::string overlap() {
        const auto clients = table_.clients();
        if (!clients) return clients.error().text;
        CpuSet seen;
        for (const auto& client : *clients) {
            const auto masks = table_.masks_of(client.pid);
            if (!masks) return masks.error().text;
            if (seen.intersects(masks->owned)) return "a CPU is in two masks";
            seen = seen | masks->owned;
        }
        return "";
    }

    bool comes_further() {
        const uint64_t before = progress_.load();
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (progress_.load() == before && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(100us);
        return progress_.load() != before;
    }

    Table& table_;
    const std::atomic<uint64_t>& progress_;
    std::mt19937 random_;
    Counts counts_;
};

int give_up(const std::string& text) {
    std::fprintf(stderr, "job_sequences: %s\n", text.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return give_up("usage: job_sequences PROGRESS SEQUENCES SEED");
    const auto* progress = map_progress(argv[1]);
    if (progress == nullptr) return give_up(fmt::format("{} cannot be read", argv[1]));
    auto table = Table::open();
    if (!table) return give_up(table.error().text);
    const auto seed = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    Sequences sequences(*table, *progress, seed);
    const auto wanted = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    for (unsigned i = 0; i < wanted; ++i)
        if (const std::string wrong = sequences.one(); !wrong.empty())
            return give_up(fmt::format("sequence {} of seed {}: {}", i, seed, wrong));
    const Counts& c = sequences.counts();
    std::printf("%u sequences, seed %u: %u requests, %u done, %u unchanged, %u pending, %u in the way of others\n",
                wanted, seed, c.requests, c.done, c.unchanged, c.pending, c.circles);
    return c.done > 0 ? 0 : give_up("no request was ever granted");
}
