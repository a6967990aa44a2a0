// SPDX-License-Identifier: BSD-3-Clause
// schedule.hpp - actors, the points where one may stop and another continue, and all orders in which they can.
#pragma once

#include <ucontext.h>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "states.hpp"

namespace drom::explorer {

inline constexpr uint32_t kNoActor = UINT32_MAX;

/// A step that may happen at a point.
struct Step {
    enum Kind : uint8_t { kRun, kExpire, kCrash } kind;  ///< kExpire: the time until which the actor sleeps has come
    uint8_t actor;
    uint8_t cost;  ///< 1: an actor that could continue is held up
};

struct Actor {
    enum State : uint8_t { kReady, kAsleep, kDone, kDead };
    std::string name;
    uint32_t process;
    std::function<int()> act;
    bool may_crash = true;

    ucontext_t context{};
    std::vector<char> stack{};
    State state = kReady;
    bool started = false, expired = false;
    const void* sleeps_on = nullptr;
    uint64_t deadline = 0;
    uint64_t seen = 0;  ///< hash of everything that it has read: with its code, that is all it knows
    uint32_t accesses = 0;
    int status = 0;
};

struct Bounds {
    uint32_t preemptions = 3;
    uint32_t crashes = 1;
    uint64_t schedules = UINT64_MAX;  ///< give up after so many; the scenario is not exhausted then
};

struct Counts {
    uint64_t schedules = 0;  ///< ran to their ends
    uint64_t joined = 0;     ///< ran into a state that another schedule had continued from
    uint64_t points = 0, crashes = 0, states = 0, verified = 0;
    bool exhausted = false;
};

/// The checks of the scenario's owner.
struct Judge {
    std::function<const char*()> at_point;  ///< nullptr, or the violation in the present table
    std::function<const char*(size_t offset, uint64_t old_word, uint64_t new_word)> at_write;
    std::function<const char*()> at_end;  ///< the same, when no actor is left that could continue
};

class Scheduler {
public:
    std::vector<Actor> actors;

    /// Runs every order of the actors' accesses within `bounds`, from the kept machine. Returns false when the judge
    /// found a violation: then `wrong` names it and `schedule` leads to it.
    bool explore(const Bounds& bounds, const Judge& judge, Counts& counts);
    /// Runs one schedule, as it was printed; every step goes to stdout.
    bool replay(const std::string& schedule, const Judge& judge);
    /// Runs one schedule without any preemption: each actor of `order` as long as it can continue. Actors that are left
    /// out never start. `dies`, if it is an actor, is killed before position `when` of the order.
    void run_in_order(const std::vector<uint32_t>& order, uint32_t dies, size_t when);

    std::string wrong, schedule;
    bool overtaken = false;  ///< in this schedule the time of an actor came while another could continue: the lock may
                             ///< have been taken from a living holder

    // --- called by the code under test, through accesses.cpp and kernel.cpp ---
    [[nodiscard]] bool exploring() const { return current_ != kNoActor && !paused_; }
    /// Tells that the actor is about to touch this word. Other actors may go first.
    void before(size_t offset, bool writes);
    void after_read(size_t offset, uint64_t value);
    void after_write(size_t offset, uint64_t old_word, uint64_t new_word);
    void observe(uint64_t value);
    /// Sleeps until woken (true) or until the time has come.
    bool sleep(const void* address, uint64_t deadline_ns);
    void wake(const void* address);

private:
    struct Node {
        Step steps[8];
        uint8_t count, chosen;
        uint32_t actor, access;  ///< for the printed form
    };
    enum class Ending : uint8_t { kComplete, kJoined, kWrong };

    static void trampoline();
    void begin_run();
    Ending run_once();
    void choose_and_go();
    uint32_t choose();
    bool decide(Node& node, Step& step);
    bool decide_new(Node& node);
    void list_steps(Node& node) const;
    void crash(uint32_t actor);
    [[nodiscard]] uint32_t asked_about(size_t offset) const;
    void go(uint32_t actor);
    bool advance();
    uint64_t state_hash() const;
    [[nodiscard]] std::string printed() const;
    bool look(const std::function<const char*()>& question);
    bool fault(const char* what);
    Step scripted(const Node& node);
    Step ordered(const Node& node);
    void trace_access(size_t offset, bool writes) const;
    void trace_step(const Step& step) const;
    void finish(Counts& counts, Ending ending);

    enum class Mode : uint8_t { kExplore, kReplay, kOrder } mode_ = Mode::kExplore;
    const Judge* judge_ = nullptr;
    Bounds bounds_;
    Counts* counts_ = nullptr;
    ucontext_t main_{};
    uint32_t current_ = kNoActor;
    bool paused_ = false;
    std::vector<Node> path_;
    size_t depth_ = 0;
    uint32_t preemptions_left_ = 0, crashes_left_ = 0;
    uint64_t memory_hash_ = 0;
    struct {
        bool switches;
        uint32_t deaths;  ///< one bit per actor
    } offer_{};           ///< what may happen at this point, besides going on
    Ending ending_ = Ending::kComplete;
    States states_, looked_at_, ends_;
    // The actors that have read and written each word in any schedule so far.
    std::vector<uint8_t> readers_ = std::vector<uint8_t>(kSharedBytes / 8), writers_ = readers_;
    bool grown_ = false;
    std::vector<std::string> script_;
    size_t scripted_ = 0;
    std::vector<uint32_t> order_;
    uint32_t order_dies_ = kNoActor;
    size_t order_when_ = 0;
};

extern Scheduler scheduler;

}  // namespace drom::explorer
