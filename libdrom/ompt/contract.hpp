// SPDX-License-Identifier: BSD-3-Clause
// contract.hpp - how many threads the team may have, given what the program was told. Pure.
//
// A program's last answer to "how many threads?" is a contract: arrays were sized and loops cut by it. So
//   never asked          the team follows the CPUs as a region starts; but the first run of each outlined function is at the start
//                        size, so that an answer that is given inside a region for the first time is the largest there will be
//   asked, once          the answer is the start size and stands: confined, never resized
//   asks again and again (by call site) the team is resized as it asks, and that answer stands until it asks next
//   asked in a region    the answer stands for ever
// Several sites of one party are given one answer as long as any of theirs stands. The answer of a site stands until it asks again;
// that of a site which has asked again before, and so keeps nothing, also ends when a caller further out on the stack asks, because the
// function that had it has returned. Nothing is replaced before a region has run, unless the answer was 1: there need not be one then.
//
// Events go in, a decision comes out. Nothing here calls anything, reads a clock or allocates.
#pragma once

#include <cstdint>

namespace drom::contract {

enum class Mode : uint8_t {
    Safe,   ///< as above
    Eager,  ///< the team follows at every region but one that the program has just asked for
    Never,  ///< the team keeps its start size
};

enum class Verdict : uint8_t {
    Follows,  ///< the size is what the CPUs ask for
    Later,    ///< the size is the start size for this one region
    Held,     ///< the size is what the program was told
};

struct Decision {
    uint32_t size;  ///< what the team must have now
    Verdict verdict;
    const char* why;  ///< a sentence for people
};

/// An object of the process (the program, a library) that opens regions or asks. Each has a contract of its own: what OpenBLAS
/// was told says nothing about what the program was told. The last one stands for all that do not fit.
using Party = uint8_t;
inline constexpr uint32_t kParties = 16;
inline constexpr Party kNobody = kParties;

/// Where a query came from.
struct Site {
    uintptr_t address;  ///< return address
    uintptr_t frame;    ///< stack address of the asking call; stacks grow down
    uint64_t regions;   ///< outermost regions run so far
};

/// A set of addresses that only grows. When it is full every unknown address is new for ever: the cautious answer.
template <uint32_t N>
class Addresses {
    static_assert((N & (N - 1)) == 0);

public:
    /// True when `address` (not 0) was not there. `index` is where it is now, N when it did not fit.
    bool insert(uintptr_t address, uint32_t& index) noexcept {
        uint32_t at = hash(address);
        for (uint32_t step = 0; step < kProbes; ++step, at = (at + 1) % N) {
            index = at;
            if (slots_[at] == address) return false;
            if (slots_[at] != 0) continue;
            slots_[at] = address;
            return true;
        }
        index = N;
        return true;
    }

private:
    static constexpr uint32_t kProbes = 32;
    static constexpr uint32_t hash(uintptr_t address) noexcept {
        return static_cast<uint32_t>((address * 0x9e3779b97f4a7c15ULL) >> 40) % N;
    }
    uintptr_t slots_[N] = {};
};

class Contract {
public:
    /// `start_size`: threads that the program would get, which nothing but the program itself exceeds. Again after another thread
    /// took the team over: what was answered stays answered, at the new start size.
    void begin(Mode mode, uint32_t start_size) noexcept;

    /// CPUs of the newest request that is released. Unlimited before the first.
    void set_cpus(uint32_t count) noexcept { cpus_ = count; }

    /// `party` has thread-local data that may be threadprivate: it keeps the start size until it asks.
    void keeps_thread_data(Party party) noexcept { parties_[party].thread_data = true; }

    /// `party` is a library known to ask whenever it needs the number, and to keep and pass on nothing.
    void keeps_nothing(Party party) noexcept { parties_[party].keeps_nothing = true; }

    /// An outermost region that runs `function` is about to start.
    Decision region(Party party, uintptr_t function) noexcept;

    /// No region is about to start, but this is a good moment: what the next known one may have. Eager: and will have.
    Decision between(Party party) noexcept;

    /// omp_get_max_threads outside regions: the answer is the decision's size.
    Decision asked_max(Party party, const Site& site) noexcept;

    /// omp_get_num_procs outside regions. Its answer never changes, and the program keeps it.
    Decision asked_procs(Party party, const Site& site) noexcept;

    /// omp_get_num_threads or omp_get_max_threads inside a region was answered with `size`, the size of the team.
    void answered_in_region(Party party, uint32_t size) noexcept;

    /// omp_set_num_threads by the program, outside regions. Nothing new when it only says what the party was answered.
    Decision told(Party party, uint32_t size) noexcept;

    /// No team is resized from now on; `why` says what was found.
    void fix_all(const char* why) noexcept;

    [[nodiscard]] uint32_t size() const noexcept { return size_; }  ///< what the team has now
    [[nodiscard]] uint32_t start_size() const noexcept { return cap_; }
    [[nodiscard]] uint32_t wanted() const noexcept { return cpus_ < 1 ? 1 : cpus_ < cap_ ? cpus_ : cap_; }
    [[nodiscard]] Mode mode() const noexcept { return mode_; }

    /// True when no region of a known function would change the size: nobody needs to look at region starts.
    [[nodiscard]] bool settled() const noexcept;

    /// Nothing that the program asks inside regions can change a decision any more.
    [[nodiscard]] bool deaf() const noexcept { return mode_ != Mode::Safe || fixed_why_ != nullptr; }

private:
    enum class State : uint8_t { Free, Kept, Fixed };

    struct Terms {
        State state = State::Free;
        bool seen = false;  ///< has opened a region or asked
        bool thread_data = false;
        bool keeps_nothing = false;
        bool told = false;           ///< it chose the size itself
        bool has_team_size = false;  ///< it was told how many threads it has, not only how many processors there are
        uint32_t size = 0;           ///< the answer that stands
        uint64_t asked_at = 0;       ///< regions run when the answer was given
        uintptr_t frame = 0;         ///< outermost caller that was given an answer since a region ran
        const char* why = nullptr;
    };

    /// A call site that asks, and the answer it was given last.
    struct Asker {
        Party party = 0;
        bool asks_again = false;  ///< it was given an answer, a region ran, and it asked again: it keeps nothing
        bool stands = false;      ///< its answer may still be in use
        uint32_t answers = 0;
        uint64_t asked_at = 0;
        uintptr_t frame = 0;
    };

    static constexpr uint32_t kFunctions = 4096, kSites = 512;

    Terms& use(Party party) noexcept;
    [[nodiscard]] bool keeps_for_good(Party party) const noexcept;
    [[nodiscard]] const char* blocked_by_others(const Terms& terms) const noexcept;
    [[nodiscard]] uint32_t passed_on(const Terms& terms) const noexcept;
    [[nodiscard]] Decision known_region(const Terms& terms) const noexcept;
    [[nodiscard]] Decision judge(uint32_t size, const char* why) const noexcept;
    [[nodiscard]] Decision uncontracted() const noexcept;
    Decision decide(const Decision& decision) noexcept;
    Asker& asker_of(Party party, uintptr_t address) noexcept;
    bool stands(Party party, const Asker& self, const Site& site) noexcept;
    uint32_t answer(Terms& terms, Party party, const Site& site) noexcept;

    Mode mode_ = Mode::Safe;
    bool promised_ = false;  ///< eager: the size of the next region
    uint32_t cap_ = 1, cpus_ = UINT32_MAX, size_ = 1;
    const char* fixed_why_ = nullptr;
    Terms parties_[kParties] = {};
    Addresses<kFunctions> functions_;
    Addresses<kSites> sites_;
    Asker askers_[kSites + 1] = {};   ///< by index in `sites_`; the last one stands for all that do not fit
    uint16_t used_[kSites + 1] = {};  ///< indices of those that have been given an answer
    uint32_t used_count_ = 0;
    Party last_asker_ = kNobody;  ///< whose answer a party that does not ask may have been handed
};

}  // namespace drom::contract
