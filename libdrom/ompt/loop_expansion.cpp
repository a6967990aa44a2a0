// SPDX-License-Identifier: BSD-3-Clause
// loop_expansion.cpp - follows the answer of omp_get_num_threads through the code behind the call.
#include "loop_expansion.hpp"

#if defined(__x86_64__)

#include "x86_code.hpp"

namespace drom {

namespace {

using x86::Flow;
using x86::Form;
using x86::Instruction;

constexpr uint8_t kRdx = 2;
constexpr x86::Registers kRax = 1;
constexpr x86::Registers kArguments = 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 8 | 1U << 9;
constexpr x86::Registers kLostInCalls = kArguments | kRax | 1U << 10 | 1U << 11;

/// Where to go on, and the registers that hold the answer there.
struct Place {
    uintptr_t at;
    x86::Registers holders;
};

class Follower {
public:
    Follower(uintptr_t low, uintptr_t high, const UnwindTable& unwinding) noexcept
        : low_(low), high_(high), unwinding_(unwinding) {}

    bool run(uintptr_t at) noexcept {
        Place place{at, kRax};
        if (!divided(place) || !branches_on_rest(place)) return false;
        while (pending_ > 0)
            if (!dead_from(todo_[--pending_])) return false;
        return true;
    }

private:
    static constexpr unsigned kSteps = 20'000;
    static constexpr unsigned kPlaces = 256;
    static constexpr Instruction kUnknown{0, Flow::kUnknown, Form::kOther, 0, 0, 0, 0, 0};

    /// The instruction at the place, which moves behind it.
    Instruction take(Place& place) noexcept {
        if (place.at < low_ || place.at >= high_ || ++steps_ > kSteps) return kUnknown;
        const Instruction now =
            x86::decode(reinterpret_cast<const uint8_t*>(place.at), reinterpret_cast<const uint8_t*>(high_));
        place.at += now.length;
        return now;
    }
    static bool divides(const Instruction& now, const Place& place) noexcept {
        return now.form == Form::kDivide && (place.holders >> now.from & 1) != 0 &&
               (place.holders & (kRax | 1U << kRdx)) == 0;
    }
    /// What the instruction does to the holders. False when it does with the answer anything but copy or lose it.
    bool passes(const Instruction& now, Place& place) noexcept {
        const bool copies = now.form == Form::kCopy && (place.holders >> now.from & 1) != 0;
        if (!copies && (now.reads & place.holders) != 0) return false;
        // A holder that would carry an argument may just be left over: the function called must not look at it.
        const auto passed = static_cast<x86::Registers>(place.holders & kArguments);
        if (now.flow == Flow::kCall && passed != 0 && (now.target == 0 || !follow({now.target, passed}))) return false;
        place.holders &= static_cast<x86::Registers>(~now.writes);
        if (now.flow == Flow::kCall) place.holders &= static_cast<x86::Registers>(~kLostInCalls);
        if (copies) place.holders |= static_cast<x86::Registers>(1U << now.to);
        if (now.flow == Flow::kCall && place.holders != 0 && !follow_handler(place)) return false;
        return place.holders != 0;
    }

    /// `place` is behind a call, which may throw. The handler finds the registers that outlive calls as they were.
    bool follow_handler(const Place& place) noexcept {
        CodePart part;
        uintptr_t pad = 0;
        Unwinding found = unwinding_.part_of(place.at - 1, part);
        if (found == Unwinding::kFound) found = unwinding_.landing_pad(part, place.at - 1, pad);
        return found == Unwinding::kNone || (found == Unwinding::kFound && follow({pad, place.holders}));
    }
    /// True when nothing of its function is behind the call before `at`, which then cannot come back: exit, abort, a throw.
    [[nodiscard]] bool is_end(uintptr_t at) const noexcept {
        CodePart part;
        return unwinding_.part_of(at - 1, part) == Unwinding::kFound && at == part.high;
    }

    /// Straight on, over one call at most (omp_get_thread_num), to the division by the answer.
    bool divided(Place& place) noexcept {
        unsigned calls = 0;
        for (unsigned count = 0; count < 32; ++count) {
            const Instruction now = take(place);
            if (divides(now, place)) return true;
            if (now.flow == Flow::kCall ? ++calls > 1 : now.flow != Flow::kNext) return false;
            if (!passes(now, place)) return false;
        }
        return false;
    }

    /// Behind the division: cmp of the remainder, then a branch on less, with nothing but moves between them. Both ways are left to be
    /// followed.
    bool branches_on_rest(Place& place) noexcept {
        for (unsigned count = 0; count < 8; ++count) {
            const Instruction now = take(place);
            const bool compares_rest = now.form == Form::kCompare && (now.from == kRdx || now.to == kRdx);
            if (now.flow != Flow::kNext || (now.reads & place.holders) != 0) return false;
            place.holders &= static_cast<x86::Registers>(~now.writes);
            if (!compares_rest) continue;
            const Instruction branch = take_branch(place);
            return branch.flow == Flow::kBranch && branch.form == Form::kLess &&
                   follow({branch.target, place.holders}) && follow(place);
        }
        return false;
    }

    /// The first instruction that is no plain move; unknown when a move has to do with the answer.
    Instruction take_branch(Place& place) noexcept {
        Instruction now = take(place);
        for (unsigned count = 0; count < 8 && now.flow == Flow::kNext && now.keeps_flags; ++count) {
            if ((now.reads & place.holders) != 0) return kUnknown;
            place.holders &= static_cast<x86::Registers>(~now.writes);
            now = take(place);
        }
        return now;
    }

    bool follow(const Place& place) noexcept {
        if (place.holders == 0) return true;
        unsigned i = 0;
        while (i < known_ && seen_[i].at != place.at) ++i;
        if (i < known_ && (place.holders & ~seen_[i].holders) == 0) return true;
        if (i == kPlaces || pending_ == kPlaces) return false;
        if (i == known_) seen_[known_++] = {place.at, 0};
        seen_[i].holders |= place.holders;
        todo_[pending_++] = {place.at, seen_[i].holders};
        return true;
    }

    /// True when no holder is used on the way from `place`; ways that branch off are left to be followed.
    bool dead_from(Place place) noexcept {
        while (true) {
            const Instruction now = take(place);
            if (divides(now, place)) return branches_on_rest(place);  // a second loop, the same question
            const x86::Registers before = place.holders;
            if (!passes(now, place))
                return (now.reads & before) == 0 && place.holders == 0 && now.flow != Flow::kUnknown;
            switch (now.flow) {
                case Flow::kNext: break;
                case Flow::kCall:
                    if (is_end(place.at)) return true;
                    break;
                case Flow::kBranch:
                    if (!follow({now.target, place.holders})) return false;
                    break;
                case Flow::kJump: return follow({now.target, place.holders});
                case Flow::kStop: return true;
                // A function that ends leaves nothing in the registers but its result, and gives back those it had kept.
                case Flow::kReturn: return (place.holders & ~kLostInCalls) == 0 && (place.holders & kRax) == 0;
                case Flow::kAnywhere:
                case Flow::kUnknown: return false;
            }
        }
    }

    uintptr_t low_, high_;
    UnwindTable unwinding_;
    unsigned steps_ = 0, known_ = 0, pending_ = 0;
    Place seen_[kPlaces];
    Place todo_[kPlaces];
};

}  // namespace

bool is_loop_expansion(const void* return_address, uintptr_t low, uintptr_t high,
                       const UnwindTable& unwinding) noexcept {
    return Follower(low, high, unwinding).run(reinterpret_cast<uintptr_t>(return_address));
}

}  // namespace drom

#else

namespace drom {

bool is_loop_expansion(const void*, uintptr_t, uintptr_t, const UnwindTable&) noexcept { return false; }

}  // namespace drom

#endif
