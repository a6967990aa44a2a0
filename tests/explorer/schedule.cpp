// SPDX-License-Identifier: BSD-3-Clause
// schedule.cpp - depth-first search over all schedules: run one to its end, go back to the last point with another step
// to take, run again.
#include "schedule.hpp"

#include <algorithm>
#include <cstdio>

namespace drom::explorer {

Scheduler scheduler;

namespace {

constexpr size_t kStackBytes = 256 * 1024;
constexpr uint32_t kNoLimit = 15;  // the largest number that States can tell apart
constexpr uint64_t kAbsent = 0xab5e47;

char letter(uint32_t actor) { return actor == kNoActor ? '-' : static_cast<char>('a' + actor); }
char sign(Step::Kind kind) { return kind == Step::kRun ? '>' : kind == Step::kExpire ? '~' : '!'; }

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

}  // namespace

// --- one schedule --------------------------------------------------------------------------------------------------

void Scheduler::begin_run() {
    restore_machine();
    memory_hash_ = 0;
    overtaken = false;
    depth_ = 0;
    current_ = kNoActor;
    ending_ = Ending::kComplete;
    offer_ = {};
    preemptions_left_ = bounds_.preemptions;
    crashes_left_ = bounds_.crashes;
    for (Actor& actor : actors) {
        actor.state = Actor::kReady;
        actor.started = actor.expired = false;
        actor.seen = actor.accesses = 0;
        actor.status = 0;
        actor.stack.resize(kStackBytes);
        getcontext(&actor.context);
        actor.context.uc_stack.ss_sp = actor.stack.data();
        actor.context.uc_stack.ss_size = actor.stack.size();
        actor.context.uc_link = nullptr;
        makecontext(&actor.context, trampoline, 0);
    }
}

Scheduler::Ending Scheduler::run_once() {
    begin_run();
    choose_and_go();
    return ending_;
}

void Scheduler::trampoline() {
    Actor& me = scheduler.actors[scheduler.current_];
    me.status = me.act();
    ++me.accesses;
    scheduler.offer_ = {false, 1U << scheduler.current_};  // done, and dead before it could report that
    scheduler.choose_and_go();
    ++me.accesses;
    me.state = Actor::kDone;
    scheduler.choose_and_go();
    give_up("an actor", "it was run again after its end");
}

void Scheduler::choose_and_go() { go(choose()); }

void Scheduler::go(uint32_t next) {
    if (next == current_) return;
    ucontext_t& from = current_ == kNoActor ? main_ : actors[current_].context;
    current_ = next;
    enter(next == kNoActor ? kNoProcess : actors[next].process);
    swapcontext(&from, next == kNoActor ? &main_ : &actors[next].context);
}

/// Returns the actor that continues; kNoActor: this schedule is over.
uint32_t Scheduler::choose() {
    for (;;) {
        Node node{};
        node.actor = current_;
        node.access = current_ == kNoActor ? 0 : actors[current_].accesses;
        list_steps(node);
        Step step{};
        if (node.count == 0 || !decide(node, step)) return kNoActor;
        if (mode_ == Mode::kReplay) trace_step(step);
        preemptions_left_ -= step.cost;
        if (step.kind == Step::kCrash) {
            crash(step.actor);
            continue;
        }
        Actor& actor = actors[step.actor];
        if (step.kind == Step::kExpire) {
            memory.clock_ns = std::max(memory.clock_ns, actor.deadline);
            actor.expired = true;
            overtaken |= step.cost > 0;
        }
        actor.state = Actor::kReady;
        actor.started = true;
        return step.actor;
    }
}

void Scheduler::crash(uint32_t number) {
    Actor& actor = actors[number];
    actor.state = Actor::kDead;
    --crashes_left_;
    if (counts_ != nullptr && mode_ == Mode::kExplore) ++counts_->crashes;
    Word& alive = memory.kernel.alive[actor.process];
    const auto offset = static_cast<size_t>(reinterpret_cast<unsigned char*>(&alive) - memory.ledger);
    const uint64_t old = alive.exchange(0);
    after_write(offset, old, 0);
}

/// Lists the steps, the default first: the running actor continues; if it cannot, the next one that can does.
void Scheduler::list_steps(Node& node) const {
    const auto is = [this](uint32_t actor, Actor::State state) { return actors[actor].state == state; };
    const bool current_ready = current_ != kNoActor && is(current_, Actor::kReady);
    bool any_ready = false;
    const auto add = [&](Step::Kind kind, uint32_t actor, bool held_up) {
        if (held_up && preemptions_left_ == 0) return;
        node.steps[node.count++] = {kind, static_cast<uint8_t>(actor), static_cast<uint8_t>(held_up ? 1 : 0)};
    };
    const bool switches = !current_ready || offer_.switches || mode_ == Mode::kReplay;
    if (current_ready) add(Step::kRun, current_, false);
    for (uint32_t i = 0; i < actors.size() && switches; ++i) {
        if (!is(i, Actor::kReady)) continue;
        any_ready = true;
        if (i != current_) add(Step::kRun, i, current_ready);
    }
    for (uint32_t i = 0; i < actors.size() && switches; ++i)
        if (is(i, Actor::kAsleep)) add(Step::kExpire, i, any_ready);
    const bool no_step_left = node.count == 0;
    const uint32_t deaths = current_ready && mode_ != Mode::kReplay ? offer_.deaths : UINT32_MAX;
    for (uint32_t i = 0; i < actors.size() && crashes_left_ > 0 && !no_step_left; ++i) {
        const bool running = is(i, Actor::kReady) || is(i, Actor::kAsleep);
        if (running && actors[i].started && actors[i].may_crash && (deaths >> i & 1) != 0) add(Step::kCrash, i, false);
    }
}

// --- which step ----------------------------------------------------------------------------------------------------

bool Scheduler::decide(Node& node, Step& step) {
    if (mode_ == Mode::kOrder) {
        step = ordered(node);
        return true;
    }
    if (mode_ == Mode::kReplay) {
        if (!look(judge_->at_point)) return false;
        step = scripted(node);
        return true;
    }
    if (depth_ == path_.size() && !decide_new(node)) return false;
    step = path_[depth_].steps[path_[depth_].chosen];
    ++depth_;
    return true;
}

/// Returns false when there is nothing new from here on.
bool Scheduler::decide_new(Node& node) {
    // The answer depends on the table alone.
    if (looked_at_.enter(memory_hash_, 0) && !look(judge_->at_point)) return false;
    // Between two points where other actors may run, no two schedules can meet.
    const bool crossing = current_ == kNoActor || actors[current_].state != Actor::kReady || offer_.switches;
    if (crossing && !states_.enter(state_hash(), preemptions_left_)) {
        ending_ = Ending::kJoined;
        return false;
    }
    ++counts_->points;
    path_.push_back(node);
    return true;
}

bool Scheduler::look(const std::function<const char*()>& question) {
    paused_ = true;
    const char* answer = question ? question() : nullptr;
    paused_ = false;
    return answer == nullptr || fault(answer);
}

bool Scheduler::fault(const char* what) {
    wrong = what;
    schedule = printed();
    ending_ = Ending::kWrong;
    return false;
}

Step Scheduler::scripted(const Node& node) {
    if (scripted_ == script_.size()) return node.steps[0];
    const std::string here = letter(node.actor) + std::to_string(node.access);
    for (uint8_t i = 0; i < node.count; ++i) {
        const Step& step = node.steps[i];
        if (here + sign(step.kind) + letter(step.actor) != script_[scripted_]) continue;
        ++scripted_;
        return step;
    }
    return node.steps[0];
}

Step Scheduler::ordered(const Node& node) {
    const auto over = [this](uint32_t actor) { return actors[actor].state != Actor::kReady; };
    const auto past = static_cast<std::ptrdiff_t>(order_when_);
    if (order_dies_ != kNoActor && actors[order_dies_].state != Actor::kDead &&
        std::all_of(order_.begin(), order_.begin() + past, over))
        return {Step::kCrash, static_cast<uint8_t>(order_dies_), 0};
    for (const uint32_t actor : order_)
        if (!over(actor)) return {Step::kRun, static_cast<uint8_t>(actor), 0};
    return node.steps[0];
}

// --- the search ----------------------------------------------------------------------------------------------------

uint64_t Scheduler::state_hash() const {
    uint64_t hash = mix(memory_hash_, memory.clock_ns);
    const bool current_ready = current_ != kNoActor && actors[current_].state == Actor::kReady;
    hash = mix(hash, current_ready ? current_ : kNoActor);
    hash = mix(hash, crashes_left_ << 1 | (overtaken ? 1U : 0U));
    for (const Actor& actor : actors)
        hash = mix(hash,
                   actor.seen ^ uint64_t{actor.accesses} << 8 ^ uint64_t{actor.state} << 1 ^ (actor.expired ? 1 : 0));
    return hash;
}

/// Returns to the last point that has another step. False when there is none.
bool Scheduler::advance() {
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
}

void Scheduler::finish(Counts& counts, Ending ending) {
    if (ending == Ending::kJoined) ++counts.joined;
    if (ending != Ending::kComplete) return;
    ++counts.schedules;
    uint64_t hash = mix(memory_hash_, memory.clock_ns);
    for (const Actor& actor : actors) hash = mix(hash, static_cast<uint64_t>(actor.status) << 8 | actor.state);
    hash = mix(hash, overtaken ? 1 : 0);
    if (!ends_.enter(hash, 0)) return;
    ++counts.verified;
    look(judge_->at_end);
}

constexpr size_t kAffinities = offsetof(Memory, kernel) + offsetof(Kernel, affinity);

bool Scheduler::explore(const Bounds& bounds, const Judge& judge, Counts& counts) {
    mode_ = Mode::kExplore;
    bounds_ = bounds;
    judge_ = &judge;
    counts_ = &counts;
    wrong.clear();
    std::fill(readers_.begin(), readers_.end(), 0);
    // No program of another process reads the affinity of a thread, but the judge does: it sees the state before the
    // thread is moved.
    constexpr uint8_t kTheJudge = 0x80;
    std::fill_n(readers_.begin() + kAffinities / sizeof(Word), kProcesses, kTheJudge);
    std::fill(writers_.begin(), writers_.end(), 0);
    do {
        // A word turned out to be written by one actor and read by another: points were missing so far.
        grown_ = false;
        counts = {};
        path_.clear();
        states_.clear();
        ends_.clear();
        looked_at_.clear();
        bool more = true;
        while (more && !grown_ && counts.schedules + counts.joined < bounds.schedules) {
            finish(counts, run_once());
            if (!wrong.empty()) return false;
            more = advance();
        }
        counts.exhausted = !more;
    } while (grown_);
    counts.states = states_.size();
    return true;
}

bool Scheduler::replay(const std::string& text, const Judge& judge) {
    mode_ = Mode::kReplay;
    bounds_ = {kNoLimit, kNoLimit, 1};
    judge_ = &judge;
    script_ = split(text);
    scripted_ = 0;
    wrong.clear();
    Counts counts;
    ends_.clear();
    finish(counts, run_once());
    if (scripted_ < script_.size())
        std::printf("the schedule does not fit: nothing to do for %s\n", script_[scripted_].c_str());
    return wrong.empty();
}

void Scheduler::run_in_order(const std::vector<uint32_t>& order, uint32_t dies, size_t when) {
    mode_ = Mode::kOrder;
    bounds_ = {0, 1, 1};
    order_ = order;
    order_dies_ = dies;
    order_when_ = when;
    begin_run();
    for (uint32_t i = 0; i < actors.size(); ++i)
        if (std::find(order.begin(), order.end(), i) == order.end()) actors[i].state = Actor::kDone;
    choose_and_go();
    if (dies != kNoActor && actors[dies].state != Actor::kDead) crash(dies);
}

// --- for people ----------------------------------------------------------------------------------------------------

/// Returns the steps that are not the default, each with its point: the running actor, and the number of its next
/// access.
std::string Scheduler::printed() const {
    if (mode_ == Mode::kReplay) return {};
    std::string text;
    for (const Node& node : path_) {
        if (node.chosen == 0) continue;
        const Step& step = node.steps[node.chosen];
        if (!text.empty()) text += ' ';
        text += letter(node.actor) + std::to_string(node.access) + sign(step.kind) + letter(step.actor);
    }
    return text;
}

void Scheduler::trace_step(const Step& step) const {
    if (step.kind == Step::kRun && step.actor == current_) return;
    const char* what = step.kind == Step::kRun      ? "goes on"
                       : step.kind == Step::kExpire ? "has slept long enough"
                                                    : "dies";
    std::printf("   %c (%s) %s\n", letter(step.actor), actors[step.actor].name.c_str(), what);
}

void Scheduler::trace_access(size_t offset, bool writes) const {
    char text[64];
    uint64_t word = 0;
    __builtin_memcpy(&word, memory.ledger + offset / 8 * 8, sizeof word);
    std::printf("%c %u: %s %s, which is %lx\n", letter(current_), actors[current_].accesses,
                writes ? "writes" : "reads", name_of_offset(offset, text), static_cast<unsigned long>(word));
}

// --- what the code under test does ---------------------------------------------------------------------------------

/// Decides what may happen before an access. Steps that do not touch one another's words lead to the same state in
/// either order. Therefore:
/// - other actors may go first only where they touch the same word, and one of the accesses is a write;
/// - the running actor may die before each write, as a later actor may see that write; a mere read does not show other
///   actors that it lived;
/// - another actor may die where the running one asks whether it lives, and where a schedule would continue with it
///   (choose).
/// Which actor touches which word is learnt on the way: when a word turns out to be shared after all, the search begins
/// again.
void Scheduler::before(size_t offset, bool writes) {
    const auto mine = static_cast<uint8_t>(1U << current_);
    uint8_t& readers = readers_[offset / 8];
    uint8_t& writers = writers_[offset / 8];
    uint8_t& touched = writes ? writers : readers;
    const auto others = static_cast<uint8_t>((writes ? readers | writers : writers) & ~mine);
    ++actors[current_].accesses;
    if ((touched & mine) == 0) grown_ |= others != 0;
    touched |= mine;
    offer_ = {others != 0, (writes ? mine : 0U) | asked_about(offset)};
    const bool matters = offer_.switches || offer_.deaths != 0;
    if (mode_ == Mode::kReplay || (mode_ == Mode::kExplore && matters)) choose_and_go();
    if (mode_ == Mode::kReplay) trace_access(offset, writes);
}

/// Returns the actor, as a bit, whose life or death this word is.
uint32_t Scheduler::asked_about(size_t offset) const {
    constexpr size_t kFirst = offsetof(Memory, kernel) + offsetof(Kernel, alive);
    if (offset < kFirst || offset >= kFirst + sizeof(Kernel::alive)) return 0;
    const size_t process = (offset - kFirst) / sizeof(Word);
    for (uint32_t i = 0; i < actors.size(); ++i)
        if (actors[i].process == process) return 1U << i;
    return 0;
}

void Scheduler::observe(uint64_t value) {
    Actor& me = actors[current_];
    me.seen = mix(me.seen, value);
}

void Scheduler::after_read(size_t offset, uint64_t value) { observe(value ^ uint64_t{offset} << 48); }

void Scheduler::after_write(size_t offset, uint64_t old_word, uint64_t new_word) {
    const uint64_t place = offset / 8 + 1;
    memory_hash_ ^= mix(mix(place, old_word), place) ^ mix(mix(place, new_word), place);
    const char* what =
        mode_ != Mode::kOrder && judge_->at_write ? judge_->at_write(offset, old_word, new_word) : nullptr;
    if (what == nullptr) return;
    fault(what);
    go(kNoActor);
}

bool Scheduler::sleep(const void* address, uint64_t deadline_ns) {
    Actor& me = actors[current_];
    me.sleeps_on = address;
    me.deadline = deadline_ns;
    me.expired = false;
    me.state = Actor::kAsleep;
    ++me.accesses;
    choose_and_go();
    me.sleeps_on = nullptr;
    return !me.expired;
}

void Scheduler::wake(const void* address) {
    for (Actor& actor : actors)
        if (actor.state == Actor::kAsleep && actor.sleeps_on == address) actor.state = Actor::kReady;
}

}  // namespace drom::explorer
