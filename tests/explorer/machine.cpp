// SPDX-License-Identifier: BSD-3-Clause
// machine.cpp - the memory of the node, the process that is "this process" at the moment, and the table's files.
#include "machine.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process_identity.hpp"
#include "memory_table.hpp"

namespace drom::explorer {

Memory memory;

namespace {

Memory kept;
Shape shape;
uint32_t here = kNoProcess;
void* identity_page = nullptr;
bool unwatched[kSharedBytes / 8];
bool writers[kProcesses];
// No code reads it back, so it is not restored either.
alignas(64) unsigned char events[sizeof(Event) * kEvents];

void ignore(const volatile void* from, size_t bytes) {
    const size_t first = static_cast<size_t>(static_cast<const volatile unsigned char*>(from) - memory.ledger) / 8;
    for (size_t word = first; word < first + (bytes + 7) / 8; ++word) unwatched[word] = true;
}

void ignore_what_people_are_told() {
    const Ledger ledger = ledger_view();
    Header& header = ledger.header();
    ignore(&header.event_head, 16);
    ignore(&ledger.location(0), sizeof(Location) * kCpus);
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        Slot& s = ledger.slot(slot);
        ignore(&s.joined_ns, 8 + sizeof s.name + sizeof s.job);
        ignore(&ledger.mailbox(slot).posted_ns, 8);
        ignore(&ledger.mailbox(slot).confined_ns, 8);
    }
    for (auto& room : memory.pages) {
        auto* page = reinterpret_cast<Page*>(room);
        ignore(&page->released_ns, 16);
        ignore(&page->safe_points, 32);
        ignore(page->why, sizeof page->why);
    }
}

void save(PrivateMemory& process) {
    std::memcpy(process.client, static_cast<void*>(&client::state), sizeof process.client);
    std::memcpy(process.hot, static_cast<void*>(&client::hot), sizeof process.hot);
    std::memcpy(process.identity, identity_page, sizeof process.identity);
}

void load(const PrivateMemory& process) {
    std::memcpy(static_cast<void*>(&client::state), process.client, sizeof process.client);
    std::memcpy(static_cast<void*>(&client::hot), process.hot, sizeof process.hot);
    std::memcpy(identity_page, process.identity, sizeof process.identity);
}

PrivateMemory outside;

}  // namespace

void give_up(const char* what, const char* why) {
    std::fprintf(stderr, "explorer: %s: %s\n", what, why);
    std::_Exit(2);
}

void note_anonymous_page(void* page) { identity_page = page; }

void start_machine(bool node) {
    enter(kNoProcess);
    self();  // makes the page that records the identity of this process
    if (identity_page == nullptr) give_up("start", "process_identity.cpp keeps who it is in another way than it did");
    save(outside);
    std::memset(static_cast<void*>(&memory), 0, sizeof memory);
    const std::vector<char>& blank = test::blank_ledger(kCpus, kSlots);
    const Shape made = shape_of(*reinterpret_cast<const Header*>(blank.data()));
    if (made.events_at > kLedgerBytes) give_up("start", "the table has grown; make kLedgerBytes larger");
    std::memcpy(memory.ledger, blank.data(), made.events_at);
    shape = made;
    if (node) shape.mode |= kModeNode;
    std::fill_n(writers, kProcesses, !node);
    shape.events_at = static_cast<uint64_t>(events - memory.ledger);
    memory.clock_ns = uint64_t{3600} * 1'000'000'000;
    ledger_view().header().reaped_ns.store(memory.clock_ns);
    for (PrivateMemory& process : memory.processes) process = outside;
    for (PrivateMemory& process : memory.processes) std::memset(process.identity, 0, sizeof process.identity);
    ignore_what_people_are_told();
}

void let_write(uint32_t process) { writers[process] = true; }
bool may_write(uint32_t process) { return process == kNoProcess || writers[process]; }

void keep_machine() {
    enter(kNoProcess);
    std::memcpy(static_cast<void*>(&kept), static_cast<const void*>(&memory), sizeof memory);
}

void restore_machine() {
    here = kNoProcess;
    std::memcpy(static_cast<void*>(&memory), static_cast<const void*>(&kept), sizeof memory);
    load(outside);
}

void enter(uint32_t process) {
    if (process == here) return;
    if (here != kNoProcess) save(memory.processes[here]);
    load(process != kNoProcess ? memory.processes[process] : outside);
    here = process;
}

uint32_t entered() { return here; }

void start_process(uint32_t process, uint64_t affinity) {
    memory.kernel.alive[process].store(1);
    memory.kernel.affinity[process].store(affinity);
    memory.kernel.first_affinity[process].store(affinity);
    enter(process);
    self();  // it knows its identity
    enter(kNoProcess);
}

Ledger ledger_view() {
    Ledger ledger;
    ledger.base = reinterpret_cast<char*>(memory.ledger);
    ledger.size = kLedgerBytes;
    ledger.shape = shape;
    ledger.writable = true;
    return ledger;
}

bool is_watched(size_t offset) { return !unwatched[offset / 8]; }

namespace {

const char* write(char (&text)[64], const char* what, uint64_t number, uint64_t rest) {
    std::snprintf(text, sizeof text, "%s %lu +%lu", what, static_cast<unsigned long>(number),
                  static_cast<unsigned long>(rest));
    return text;
}

}  // namespace

const char* name_of_offset(size_t offset, char (&text)[64]) {
    struct Part {
        const char* name;
        size_t start, stride, count;
    };
    const Part parts[] = {
        {"header", 0, sizeof(Header), 1},
        {"owner", shape.owners_at, 8, kCpus},
        {"home", shape.homes_at, 8, kCpus},
        {"slot", shape.slots_at, sizeof(Slot), kSlots},
        {"request", shape.requests_at, shape.request_stride, kSlots},
        {"intent", shape.intent_at, intent_bytes(shape.mask_words), 1},
        {"page", offsetof(Memory, pages), kPageRoom, kPages},
        {"alive", offsetof(Memory, kernel) + offsetof(Kernel, alive), 8, kProcesses},
        {"affinity", offsetof(Memory, kernel) + offsetof(Kernel, affinity), 8, kProcesses},
        {"directory", offsetof(Memory, kernel) + offsetof(Kernel, page_names), 8, kPages + 1},
    };
    for (const Part& part : parts)
        if (offset >= part.start && offset < part.start + part.stride * part.count)
            return write(text, part.name, (offset - part.start) / part.stride, (offset - part.start) % part.stride);
    return write(text, "offset", offset, 0);
}

}  // namespace drom::explorer
