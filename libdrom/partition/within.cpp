// SPDX-License-Identifier: BSD-3-Clause
// within.cpp - asks the one chooser about CPUs that no client has.
#include "within.hpp"

#include <sys/mman.h>
#include <new>

#include "choice.hpp"
#include "shmem/locations.hpp"

namespace drom::partition {

namespace {

/// The question and the memory of a choice, too large for a thread's stack.
struct Question {
    Location locations[kMaxCpus];
    Occupancy node;
    ChoiceRoom room;

    explicit Question(const CpuSet& cpus) noexcept : locations{}, node(cpus, locations), room{} {
        for (uint32_t cpu = cpus.first(); cpu < kMaxCpus; cpu = cpus.next(cpu + 1)) locations[cpu] = location_of(cpu);
    }
};

CpuSet first_of(const CpuSet& cpus, uint32_t count) noexcept {
    CpuSet first{};
    uint32_t cpu = cpus.first();
    for (uint32_t i = 0; i < count && cpu < kMaxCpus; ++i, cpu = cpus.next(cpu + 1)) first.add(cpu);
    return first;
}

}  // namespace

CpuSet choose_within(const CpuSet& among, const CpuSet& near, uint32_t count) noexcept {
    if (count == 0) return CpuSet::empty();
    if (among.count() <= count) return among;
    void* room = mmap(nullptr, sizeof(Question), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return first_of(among, count);
    auto* question = new (room) Question(among | near);
    const Demand demand{.min = count, .max = count, .may_take = 0, .among = among, .near = near};
    const CpuSet chosen = choose(question->node, demand, question->room).cpus;
    munmap(room, sizeof(Question));
    return chosen.count() == count ? chosen : first_of(among, count);
}

}  // namespace drom::partition
