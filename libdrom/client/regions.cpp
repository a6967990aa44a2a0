// SPDX-License-Identifier: BSD-3-Clause
// regions.cpp - the regions of this process, counted without a lock.
//
// A region is open while it has had more begins than ends. A begin that opens it takes the clocks from its sums, and an
// end that closes it adds them. The order of these additions does not matter. `turns` orders openings and closings, by
// compare-and-swap. Each reads its clocks after it has seen the state that it replaces, so clocks follow that order.
#include "regions.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <cstring>
#include <ctime>

#include "base/clock.hpp"
#include "client_state.hpp"

namespace drom::client::regions {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// Lets one thread at a time copy what has changed. A thread that comes meanwhile leaves the newer state to that one.
struct Publisher {
    Half changed, busy;

    template <class Copy>
    void run(const Copy& copy) noexcept {
        changed.store(1);
        while (changed.load() != 0 && busy.exchange(1) == 0) {
            changed.store(0);
            copy();
            busy.store(0);
        }
    }
};

/// `turns` is {changes:32, turns:16, open:16}. `changes` makes each value differ from those before. A turn is an
/// opening or a closing; `settled` counts those whose clocks are in the sums.
struct alignas(64) Region {
    Word key;  ///< {hash of the name:57, its length:7}; 0: free
    Word name[kNameWords];
    Word turns, settled, count, elapsed_ns, cpu_ns, available_ns;
    Publisher publisher;
};

constexpr uint64_t kMaxOpen = 0xffff;
constexpr uint64_t open_of(uint64_t state) noexcept { return state & kMaxOpen; }
constexpr uint64_t turns_of(uint64_t state) noexcept { return state >> 16 & 0xffff; }
constexpr uint64_t changed(uint64_t state, uint64_t open, bool turns) noexcept {
    return ((state >> 32) + 1) << 32 | ((turns_of(state) + (turns ? 1 : 0)) & 0xffff) << 16 | open;
}

/// The CPUs of the mask now, and before: a writer fills the older piece in, and a reader of the newer one goes on.
struct Available {
    struct Piece {
        Word since_ns, sum_ns, cpus;
    };
    Half version;
    Piece pieces[2];
    Publisher publisher;
};

constinit Region table[kRegions]{};
constinit Available available{};
constinit std::atomic<bool> any{false};  ///< a region has begun in this process
constinit std::atomic<bool> watches_forks{false};

// --- clocks --------------------------------------------------------------------------------------------------------

CpusOverTime piece_of(uint32_t version) noexcept {
    const Available::Piece& piece = available.pieces[version & 1];
    return {piece.since_ns.load(kAcquire), piece.sum_ns.load(kAcquire), piece.cpus.load(kAcquire)};
}

uint64_t own_cpu_ns() noexcept {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

/// Reads the clocks, again when the mask has changed meanwhile.
RegionClocks clocks() noexcept {
    for (;;) {
        const uint32_t version = available.version.load(kAcquire);
        const CpusOverTime cpus = piece_of(version);
        const uint64_t cpu = own_cpu_ns();
        const uint64_t now = now_ns();
        if (available.version.load(kAcquire) == version) return {now, cpu, cpus.until(now)};
    }
}

// --- publishing ----------------------------------------------------------------------------------------------------

/// Keeps the pages mapped that `region_area` is in meanwhile. A child that a bare clone() made has the memory of a
/// client, and is none.
class Writer {
public:
    Writer() noexcept : may_write_(state.region_area.load() != nullptr && getpid() == state.region_process.load()) {
        if (may_write_) state.region_writers.fetch_add(1);
    }
    ~Writer() {
        if (may_write_) state.region_writers.fetch_sub(1);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    [[nodiscard]] bool may_write() const noexcept { return may_write_; }

private:
    bool may_write_;
};

/// Reads the sums as they are stored. Returns false while another thread adds its clocks.
bool read_sums(const Region& region, RegionFigures& figures) noexcept {
    const uint64_t settled = region.settled.load(kAcquire);
    const uint64_t now = region.turns.load(kAcquire);
    figures.open = static_cast<uint32_t>(open_of(now));
    figures.count = region.count.load(kAcquire);
    figures.elapsed_ns = region.elapsed_ns.load(kAcquire);
    figures.cpu_ns = region.cpu_ns.load(kAcquire);
    figures.available_ns = region.available_ns.load(kAcquire);
    uint64_t words[kNameWords];
    for (size_t i = 0; i < kNameWords; ++i) words[i] = region.name[i].load(kAcquire);
    memcpy(figures.name, words, sizeof words);
    return turns_of(now) == (settled & 0xffff) && turns_of(region.turns.load(kAcquire)) == turns_of(now) &&
           region.settled.load(kAcquire) == settled;
}

void publish(Region& region) noexcept {
    const Writer writer;
    if (!writer.may_write()) return;
    region.publisher.run([&] {
        RegionArea* area = state.region_area.load();
        RegionFigures figures{};
        // Where it fails the thread that adds its clocks comes here afterwards, or the next join.
        if (area == nullptr || !read_sums(region, figures)) return;
        announce_regions(*area);
        write_region(area->regions[&region - table], figures);
    });
}

void publish_cpus() noexcept {
    const Writer writer;
    if (!writer.may_write()) return;
    available.publisher.run([&] {
        RegionArea* area = state.region_area.load();
        uint32_t version = 0;
        CpusOverTime cpus{};
        do {
            version = available.version.load(kAcquire);
            cpus = piece_of(version);
        } while (available.version.load(kAcquire) != version);
        if (area != nullptr) write_cpus(*area, cpus);
    });
}

// --- names ---------------------------------------------------------------------------------------------------------

struct Name {
    uint64_t words[kNameWords];
    uint64_t key;
    size_t length;
};

bool read_name(const char* text, Name& name) noexcept {
    name = {};
    name.length = text != nullptr ? strnlen(text, kRegionName) : 0;
    if (name.length == 0 || name.length == kRegionName) return false;
    memcpy(name.words, text, name.length);
    uint64_t hash = name.length;
    for (size_t i = 0; i < (name.length + 7) / 8; ++i) {
        hash = (hash ^ name.words[i]) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    name.key = hash << 7 | name.length;
    return true;
}

/// Makes the region that of the name, unless it is another's. Threads that come with the same name at once write the
/// same words. No word of a name is 0.
bool take(Region& region, const Name& name) noexcept {
    for (size_t i = 0; i < (name.length + 7) / 8; ++i) {
        uint64_t present = region.name[i].load(kAcquire);
        if (present == 0 && region.name[i].compare_exchange_strong(present, name.words[i])) continue;
        if (present != name.words[i]) return false;
    }
    return true;
}

bool watch_forks() noexcept {
    if (watches_forks.exchange(true)) return true;
    if (pthread_atfork(nullptr, nullptr, after_fork_in_child) == 0) return true;
    watches_forks.store(false);
    return false;
}

/// Finds the region, or makes it. Returns DROM_E_NOPROC when it is not there and not to be made.
int find(const char* text, bool makes, Region*& found) noexcept {
    Name name;
    if (!read_name(text, name)) return DROM_E_INVAL;
    for (size_t i = 0; i < kRegions; ++i) {
        Region& region = table[((name.key >> 7) + i) % kRegions];
        uint64_t key = region.key.load(kAcquire);
        if (key == 0) {
            if (!makes) return DROM_E_NOPROC;
            if (!watch_forks()) return DROM_E_OS;
            if (region.key.compare_exchange_strong(key, name.key)) key = name.key;
            if (!any.exchange(true)) publish_cpus();
        }
        if (key != name.key || !take(region, name)) continue;
        found = &region;
        return DROM_OK;
    }
    return makes ? DROM_E_FULL : DROM_E_NOPROC;
}

// --- begin and end -------------------------------------------------------------------------------------------------

/// Takes the clocks from the sums, or adds them.
void settle(Region& region, const RegionClocks& now, bool opens) noexcept {
    region.elapsed_ns.fetch_add(opens ? 0 - now.now_ns : now.now_ns, kRelease);
    region.cpu_ns.fetch_add(opens ? 0 - now.cpu_ns : now.cpu_ns, kRelease);
    region.available_ns.fetch_add(opens ? 0 - now.available_ns : now.available_ns, kRelease);
    region.settled.fetch_add(1, kRelease);
}

/// Counts one begin, or one end. Repeats only when another thread has done so meanwhile.
int change(Region& region, bool begins) noexcept {
    for (;;) {
        const uint64_t before = region.turns.load(kAcquire);
        const uint64_t open = open_of(before);
        if (begins && open == kMaxOpen) return DROM_E_FULL;
        if (!begins && open == 0) return DROM_UNCHANGED;
        const bool turns = open == (begins ? 0 : 1);
        const RegionClocks now = turns ? clocks() : RegionClocks{};
        uint64_t expected = before;
        if (!region.turns.compare_exchange_strong(expected, changed(before, begins ? open + 1 : open - 1, turns)))
            continue;
        if (turns) settle(region, now, begins);
        return DROM_OK;
    }
}

}  // namespace

int begin(const char* name) noexcept {
    Region* region = nullptr;
    if (const int status = find(name, true, region); status != DROM_OK) return status;
    region->count.fetch_add(1);  // before it opens: a reader never sees more open ones
    const int status = change(*region, true);
    if (status != DROM_OK) region->count.fetch_sub(1);
    publish(*region);
    return status;
}

int end(const char* name) noexcept {
    Region* region = nullptr;
    const int found = find(name, false, region);
    if (found != DROM_OK) return found == DROM_E_NOPROC ? int{DROM_UNCHANGED} : found;
    const int status = change(*region, false);
    if (status == DROM_OK) publish(*region);
    return status;
}

int figures_of(const char* name, RegionFigures& figures) noexcept {
    Region* region = nullptr;
    if (const int status = find(name, false, region); status != DROM_OK) return status;
    constexpr int kLooks = 64;
    for (int looks = 0; looks < kLooks; ++looks) {
        const uint64_t before = region->turns.load(kAcquire);
        const RegionClocks now = clocks();
        if (read_sums(*region, figures) && region->turns.load(kAcquire) == before) {
            add_open(figures, now);
            return DROM_OK;
        }
        sched_yield();
    }
    return DROM_E_BUSY;
}

void note_cpus(uint32_t count) noexcept {
    const uint32_t version = available.version.load(kRelaxed);
    const uint64_t now = now_ns();
    const uint64_t sum = piece_of(version).until(now);
    Available::Piece& next = available.pieces[(version + 1) & 1];
    next.since_ns.store(now, kRelease);
    next.sum_ns.store(sum, kRelease);
    next.cpus.store(count, kRelease);
    available.version.store(version + 1, kRelease);
    if (any.load(kRelaxed)) publish_cpus();
}

void publish_all() noexcept {
    state.region_process.store(state.pid);
    state.region_area.store(&region_area(*state.page));
    if (!any.load(kRelaxed)) return;
    publish_cpus();
    for (Region& region : table)
        if (region.turns.load(kRelaxed) != 0) publish(region);
}

void stop_publishing() noexcept { state.region_area.store(nullptr); }

bool none_publishes() noexcept {
    constexpr int kLooks = 64;
    for (int looks = 0; looks < kLooks; ++looks) {
        if (state.region_writers.load() == 0) return true;
        sched_yield();
    }
    return false;
}

void after_fork_in_child() noexcept {
    state.region_area.store(nullptr);
    state.region_writers.store(0);
    note_cpus(0);
    available.publisher.busy.store(0);
    if (!any.exchange(false)) return;
    for (Region& region : table) {
        for (Word* word : {&region.key, &region.turns, &region.settled, &region.count, &region.elapsed_ns,
                           &region.cpu_ns, &region.available_ns})
            word->store(0, kRelaxed);
        for (Word& word : region.name) word.store(0, kRelaxed);
        region.publisher.changed.store(0, kRelaxed);
        region.publisher.busy.store(0, kRelaxed);
    }
}

}  // namespace drom::client::regions
