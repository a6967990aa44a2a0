// SPDX-License-Identifier: BSD-3-Clause
// mpi_call.cpp - whether a rank is inside an MPI call, seen from outside, by its stack.
#include "program/mpi_call.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>

#include "mpi/last_call.hpp"

namespace drom::command {

namespace {

using mpi::LastCall;

bool read_memory(pid_t pid, uint64_t from, void* to, size_t size) {
    const iovec local{to, size};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
    const iovec remote{reinterpret_cast<void*>(from), size};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

std::optional<uint64_t> find_record(pid_t pid, const std::vector<Code>& writable) {
    constexpr uint64_t kMax = 1 << 20;
    for (const Code& part : writable) {
        std::vector<char> bytes(std::min(kMax, part.end - part.begin));
        if (!read_memory(pid, part.begin, bytes.data(), bytes.size())) continue;
        for (size_t at = 0; at + sizeof(LastCall) <= bytes.size(); at += alignof(LastCall))
            if (std::memcmp(&bytes[at], mpi::kLastCallMark, sizeof mpi::kLastCallMark) == 0) return part.begin + at;
    }
    return std::nullopt;
}

std::string name_of(pid_t pid, const LastCall& call) {
    std::vector<char> names(1 << 17);
    // The table may end before that, and the mapping with it.
    while (!names.empty() && !read_memory(pid, reinterpret_cast<uint64_t>(call.names), names.data(), names.size()))
        names.resize(names.size() / 2);
    const char* at = names.data();
    const char* const end = at + names.size();
    for (uint32_t i = 0; i < call.index && at < end; ++i) at = std::find(at, end, '\0') + 1;
    return at < end ? std::string(at, std::find(at, end, '\0')) : std::string();
}

void rest_a_little() {
    const timespec pause{0, 1'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

const Code* code_at(const std::vector<Code>& codes, uint64_t address) {
    const auto found =
        std::ranges::find_if(codes, [&](const Code& c) { return address >= c.begin && address < c.end; });
    return found == codes.end() ? nullptr : &*found;
}

}  // namespace

Mappings mappings_in(std::istream& maps) {
    Mappings found;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::string range;
        std::string access;
        std::string skipped;
        Code code;
        fields >> range >> access >> skipped >> skipped >> skipped;
        std::getline(fields >> std::ws, code.file);  // it may have blanks in it
        char* end = nullptr;
        code.begin = std::strtoull(range.c_str(), &end, 16);
        code.end = *end == '-' ? std::strtoull(end + 1, nullptr, 16) : 0;
        if (code.end <= code.begin || access.size() < 3) continue;
        if (access[2] == 'x') found.codes.push_back(code);
        // Variables that are zero at the start are in an anonymous mapping right behind.
        const bool behind = !found.writable.empty() && code.file.empty() && code.begin == found.writable.back().end;
        if (access[1] == 'w' && (behind || code.file.find("/libdrom-mpi.so") != code.file.npos))
            found.writable.push_back(code);
    }
    return found;
}

bool runs_inside(const std::vector<StackWords>& looks, const std::vector<Code>& codes, uint64_t caller) {
    const Code* own = code_at(codes, caller);
    if (own == nullptr || looks.empty()) return false;
    bool others = false;
    for (const StackWords& look : looks) {
        for (size_t i = 0; i < look.size() && i < looks.front().size(); ++i) {
            const Code* code = look[i] == looks.front()[i] ? nullptr : code_at(codes, look[i]);
            if (code == nullptr) continue;
            if (code->file == own->file) return false;
            others = true;
        }
    }
    return others;
}

struct MpiCallWatch::State {
    LastCall call{};  ///< as it was at first
    uint64_t record = 0;
    std::vector<Code> codes;
    std::vector<StackWords> looks;
    pid_t pid = 0;
    bool inside = false;

    /// False when the call has ended, or another one has begun.
    bool look() {
        constexpr size_t kWords = 512;
        LastCall now{};
        StackWords words(kWords + 1);
        if (!read_memory(pid, record, &now, sizeof now) || std::memcmp(&now, &call, sizeof now) != 0) return false;
        if (!read_memory(pid, call.stack - sizeof(uint64_t) * kWords, words.data(), sizeof(uint64_t) * words.size()))
            return false;
        if (words.back() != call.caller) return false;
        looks.push_back(std::move(words));
        return true;
    }
};

MpiCallWatch::MpiCallWatch(pid_t pid) : state_(new State) {
    state_->pid = pid;
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    Mappings mappings = mappings_in(maps);
    const auto record = find_record(pid, mappings.writable);
    if (!record || !read_memory(pid, *record, &state_->call, sizeof(LastCall)) || state_->call.count == 0) return;
    state_->codes = std::move(mappings.codes);
    state_->record = *record;
    state_->inside = state_->look();
}

MpiCallWatch::~MpiCallWatch() = default;

InsideCall MpiCallWatch::conclude() {
    constexpr int kLooks = 100;
    for (int i = 0; i < kLooks && state_->inside; ++i) {
        state_->inside = state_->look();
        rest_a_little();
    }
    if (!state_->inside || !runs_inside(state_->looks, state_->codes, state_->call.caller)) return {};
    return {state_->call.tid, name_of(state_->pid, state_->call)};
}

}  // namespace drom::command
