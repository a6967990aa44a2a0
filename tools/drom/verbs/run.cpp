// SPDX-License-Identifier: BSD-3-Clause
// run.cpp - drom run: start a command on CPUs made free for it, and give them back afterwards.
#include "output/run_report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>

#include "command_line/cpu_text.hpp"
#include "libdrom/base/env.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "program/paused_child.hpp"
#include "program/preload.hpp"
#include "program/program.hpp"
#include "program/signal_relay.hpp"
#include "program/stack.hpp"
#include "program/verify_records.hpp"
#include "table/logout.hpp"
#include "table/reservation.hpp"
#include "table/run_queue.hpp"
#include "verbs/run_choice.hpp"
#include "verbs/run_environment.hpp"
#include "verbs/run_follow.hpp"
#include "verbs/run_inside.hpp"
#include "verbs/run_names.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;

uint64_t ns_since(Clock::time_point start) {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

/// Returns whether ranks start behind this command; in front of it drom run reaches the launcher only.
bool is_launcher(const std::string& command) {
    const std::string name = command.substr(command.rfind('/') + 1);
    const std::string stem = name.substr(0, name.find('.'));  // mpirun.openmpi
    return stem == "mpirun" || stem == "mpiexec" || stem == "orterun" || stem == "prun" || stem == "srun" ||
           stem == "aprun";
}

int cannot_start(const CommandOptions& options, const NotAProgram& why) {
    refused(options, sentence(options, DROM_E_INVAL, why.text));
    return why.exit_status;
}

constexpr const char* kKilledEarly =
    "drom: run: the process that waited to become the command was killed; start it again";

/// One drom run, from the look at the program to the return of its CPUs.
class Launch {
public:
    /// Prepares a start. `exact`: what --cpus says; empty: it says nothing.
    Launch(const CommandOptions& options, Program program, const CpuSet& exact, Table& table)
        : options_(options),
          program_(std::move(program)),
          rank_(rank_by_launcher(is_rank_)),
          exact_(exact),
          table_(table),
          chooser_(options, exact, is_rank_ ? &rank_ : nullptr, table) {}

    int run() {
        preload_ = options_.run.no_preload || is_disabled()
                       ? Preload{}
                       : choose_preload(program_, is_rank_, stack_of_program(options_.command));
        if (!preload_.remark.empty())
            complain(sentence(options_, DROM_OK, fmt::format("{} {}", program_.path, preload_.remark)).text);
        if (is_launcher(options_.command.front()))
            warn(options_, fmt::format("{0} starts the ranks of an MPI job, and they are what can be resized: put drom "
                                       "run behind it, {0} ... drom run -- program",
                                       options_.command.front()));
        SignalRelay relay(true);
        auto child = PausedChild::fork(program_, options_.command, relay);
        if (!child) return refuse(child.error());
        SignalRelay::let_stop(true);  // until the program runs there is nothing to pass a stop on to
        report_.pid = child->pid();
        plan_traits();
        warn_of_contradiction();
        preload_.omp =
            preload_.agent && may_follow(program_, resize_, text_of("OMP_DYNAMIC") ? text_of("OMP_DYNAMIC") : "");
        const auto reserved = reserve_in_turn(child->pid(), relay);
        if (!reserved && relay.arrived() != 0) return give_up(child->pid(), 128 + relay.arrived());
        if (!reserved) return refused(options_, reserved.error());
        if (const int number = relay.arrived(); number != 0) return give_up(child->pid(), 128 + number);
        if (reserved->outcome.pending()) {
            complain(reserved->outcome.text);
            return give_up(child->pid(), kPosted);
        }
        if (const auto placed = place(child->pid()); !placed) {
            refuse(placed.error());
            return give_up(child->pid(), kRefused);
        }
        if (const int number = relay.arrived(); number != 0) return give_up(child->pid(), 128 + number);
        return execute(*child, relay, reserved->environment);
    }

private:
    int refuse(const Error& error) { return refused(options_, sentence(options_, error.status, error.text)); }

    int execute(PausedChild& child, SignalRelay& relay, std::vector<std::string> environment) {
        add_environment(options_, preload_, report_, environment);
        if (preload_.agent)
            mention(options_, preload_.omp ? "its team may follow the CPUs"
                                           : "its team keeps its size; --resize=follow lets it follow");
        mention(options_, fmt::format("{} ({}) on {}{}, at most {}; preloaded: {}", traits_.name, child.pid(),
                                      cpus_text(report_.cpus), report_.took ? " (some taken)" : "",
                                      counted(report_.threads, "thread"),
                                      report_.preloaded.empty() ? "nothing" : joined(report_.preloaded, ", ")));
        if (const std::string removal = removal_at_logout(options_.table); !removal.empty()) mention(options_, removal);
        const auto start = Clock::now();
        if (const int code = child.start(environment); code != 0) {
            give_up(child.pid(), 0);
            return cannot_start(options_, not_executable(options_.command.front(), code));
        }
        leave_streams();
        report_.status = relay.until_end_of(child.pid()).value_or(0);
        report_.run_ns = ns_since(start);
        give_back(child.pid());
        if (options_.json) complain(run_json(report_));
        return end_like(report_.status);
    }

    /// Leaves the program's streams: its pipes must reach their end when the program closes them, not when we end.
    static void leave_streams() {
        const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (nothing < 0) return;
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        close(nothing);
    }

    void plan_traits() {
        const auto& run = options_.run;
        traits_ = {client_name(options_, is_rank_ ? &rank_ : nullptr),
                   options_.run.job.empty() ? rank_.job : options_.run.job,
                   run.min.value_or(0),
                   run.max.value_or(0),
                   run.rigid,
                   true};
        report_.name = traits_.name;
        report_.job = traits_.job;
        const std::string said = !run.resize.empty()                 ? run.resize
                                 : text_of("DROM_RESIZE") != nullptr ? text_of("DROM_RESIZE")
                                                                     : "auto";
        report_.resize = run.resize;
        resize_ = said;
        const auto mode = said == "auto" ? recorded_mode(objects_id(program_)) : std::nullopt;
        if (!mode) return;
        if (*mode == "rigid") {
            traits_.rigid = true;
            mention(options_, "recorded by drom verify: right in no mode; it runs rigid");
        } else {
            report_.resize = resize_ = *mode;
            mention(options_, "recorded by drom verify: DROM_RESIZE=" + *mode);
        }
    }

    /// Warns of an OMP_NUM_THREADS that contradicts. The user's stays as it is, a list too.
    void warn_of_contradiction() const {
        const unsigned of_user = threads_of_user();
        if (of_user == 0 || of_user == options_.run.max.value_or(of_user)) return;
        warn(options_, fmt::format("OMP_NUM_THREADS={} is kept, so its team begins with {} and not with {}; unset "
                                   "it, or give the same number twice",
                                   text_of("OMP_NUM_THREADS"), counted(of_user, "thread"), options_.run.max_said));
    }

    // --- CPUs ---

    /// Puts the waiting child on its CPUs. A request may have changed them since they were reserved; one that comes
    /// after the second look moves the child itself. A CPU that comes later, by such a request, is not its own yet.
    Expected<bool> place(pid_t child) {
        auto masks = table_.masks_of(child);
        while (masks) {
            const CpuSet wanted = masks->wanted;
            const CpuSet now = wanted & (masks->owned | report_.cpus);
            const CpuSet& cpus = now.empty() ? wanted : now;
            if (sched_setaffinity(child, CpuSet::kernel_size(), cpus.as_kernel()) != 0)
                return failure(DROM_E_OS, fmt::format("{}: {}", cpus_text(cpus), std::strerror(errno)));
            masks = table_.masks_of(child);
            if (masks && masks->wanted == wanted) return true;
        }
        return tl::make_unexpected(masks.error());
    }

    /// Returns the options' request. Waiting is cut into moments, between which this process looks for signals.
    [[nodiscard]] Request for_a_moment(Clock::time_point since) const {
        Request request = options_.request;
        request.timeout = std::max(std::chrono::milliseconds(1), moment(since));
        return request;
    }

    /// Returns how long to wait until the next look; 0: the time is up.
    [[nodiscard]] std::chrono::milliseconds moment(Clock::time_point since) const {
        constexpr auto kMoment = std::chrono::milliseconds(100);
        if (options_.run.wait && !options_.request.timeout) return kMoment;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(since + timeout() - Clock::now());
        return std::clamp(left, std::chrono::milliseconds(0), kMoment);
    }

    [[nodiscard]] std::chrono::milliseconds timeout() const {
        return options_.request.timeout.value_or(std::chrono::milliseconds(env::milliseconds("DROM_TIMEOUT_MS", 1000)));
    }

    /// Chooses and reserves; again when another newcomer was faster with the same CPUs, or one was drained meanwhile.
    /// `since`: the wait for CPUs began then.
    Expected<Table::Reservation> reserve(pid_t child, Clock::time_point since) {
        const auto start = Clock::now();
        constexpr int kAttempts = 8;
        for (int attempt = 1;; ++attempt) {
            const auto choice = chooser_.choose(child);
            if (!choice) return tl::make_unexpected(choice.error());
            report_.cpus = choice->cpus;
            report_.took = choice->takes;
            set_thread_limits();
            Request request = for_a_moment(since);
            request.take = request.give_back = choice->takes;
            auto reserved = table_.reserve(child, choice->cpus, request, traits_);
            report_.reserve_ns = ns_since(start);
            if (reserved) {
                slot_ = slot_of(*reserved);
                return reserved;
            }
            Error refusal = reserved.error();
            // The choice refuses what can never be had, so a CPU was drained meanwhile.
            if (refusal.status == DROM_E_NOCPU && exact_.empty()) refusal.status = DROM_E_BUSY;
            const bool again =
                exact_.empty() ? refusal.status == DROM_E_BUSY : options_.run.wait && refusal.status == DROM_E_NOCPU;
            if (!again || attempt == kAttempts) return tl::make_unexpected(std::move(refusal));
        }
    }

    /// Refuses what can never be had, before it waits behind others.
    Expected<bool> check_wish(pid_t child) {
        const auto masks = table_.masks();
        const CpuSet missing = masks ? exact_ - masks->present : CpuSet();
        if (!missing.empty())
            return failure(DROM_E_NOCPU, fmt::format("drom: run: this node has no {}", cpus_text(missing)));
        const auto choice = chooser_.choose(child);
        if (choice || choice.error().status == DROM_E_BUSY) return true;
        return tl::make_unexpected(choice.error());
    }

    Expected<QueuePlace> take_place() const {
        const unsigned cpus = exact_.empty() ? options_.run.ncpus.value_or(0) : exact_.count();
        auto place =
            QueuePlace::take(table_.path(), {traits_.name, getpid(), cpus, options_.run.priority, std::time(nullptr)});
        if (place) return place;
        return tl::make_unexpected(sentence(options_, place.error().status, place.error().text));
    }

    /// Returns whether the process that waits to become the command was killed.
    static bool has_ended(pid_t child) {
        siginfo_t ended{};
        constexpr int kLook = WEXITED | WNOHANG | WNOWAIT;
        return waitid(P_PID, static_cast<id_t>(child), &ended, kLook) == 0 && ended.si_pid == child;
    }

    /// Reserves CPUs unless the queue has programs before this one.
    Expected<Table::Reservation> reserve_as_first(pid_t child, Clock::time_point since, const QueuePlace* place) {
        const unsigned before = place == nullptr ? 0 : place->before();
        if (before == 0) return reserve(child, since);
        return failure(DROM_E_BUSY, fmt::format("drom: run: {} before it in the queue", counted(before, "program")));
    }

    /// Reserves CPUs. With --wait a refusal for want of room is no answer before --timeout: it asks again and again.
    /// Several that wait have no order, and the first that fits starts; with --queue each waits for its turn, too.
    Expected<Table::Reservation> reserve_in_turn(pid_t child, const SignalRelay& relay) {
        const auto begin = Clock::now();
        auto start = begin;
        std::optional<QueuePlace> place;
        if (options_.run.queue) {
            if (const auto can_be = check_wish(child); !can_be) return tl::make_unexpected(can_be.error());
            auto taken = take_place();
            if (!taken) return tl::make_unexpected(taken.error());
            place = *std::move(taken);
        }
        const QueuePlace* turn = place ? &*place : nullptr;
        auto reserved = reserve_as_first(child, begin, turn);
        for (bool told = false; lacks_room(reserved) && relay.arrived() == 0; told = true) {
            const auto pause = moment(begin);
            if (pause.count() == 0) return tl::make_unexpected(no_room_in_time(reserved.error()));
            if (!told) tell_of_wait();
            std::this_thread::sleep_for(pause);
            if (has_ended(child)) return failure(DROM_E_NOPROC, kKilledEarly);
            // No client gives anything back in a table that was removed.
            if (const auto there = table_.check(); !there) return tl::make_unexpected(there.error());
            start = Clock::now();
            reserved = reserve_as_first(child, begin, turn);
        }
        place.reset();
        while (reserved && reserved->outcome.pending() && relay.arrived() == 0 && moment(begin).count() > 0) {
            const auto outcome = table_.wait(child, 0, for_a_moment(begin));
            if (!outcome) return tl::make_unexpected(outcome.error());
            if (!outcome->pending()) reserved->outcome = *outcome;
        }
        report_.reserve_ns = ns_since(start);
        return reserved;
    }

    void tell_of_wait() const {
        warn(options_, "there is no room yet; waiting (drom list shows which clients have the CPUs)");
        if (const auto outer = find_outer(table_))
            warn(options_, fmt::format("it runs inside {0}: if {0} waits for its end, neither ends; let it ask for no "
                                       "CPUs, or start it outside",
                                       client_words(outer->info)));
    }

    [[nodiscard]] bool lacks_room(const Expected<Table::Reservation>& reserved) const {
        return options_.run.wait && !reserved && reserved.error().status == DROM_E_BUSY;
    }

    /// Returns the obstacle of the last attempt, without the name of the call that found it.
    [[nodiscard]] Error no_room_in_time(const Error& last) const {
        const size_t call = last.text.find(": ");
        const size_t what = call == std::string::npos ? call : last.text.find(": ", call + 2);
        return sentence(options_, DROM_E_BUSY,
                        fmt::format("there was no room within {} ms: {}", timeout().count(),
                                    what == std::string::npos ? last.text : last.text.substr(what + 2)));
    }

    /// Sets the number of threads and the max of CPUs. A program starts with its maximum of threads and never exceeds
    /// it, so more CPUs than that would be wasted on it.
    void set_thread_limits() {
        const unsigned cpus = report_.cpus.count();
        const unsigned of_user = threads_of_user();
        report_.threads = of_user != 0 ? of_user : options_.run.max.value_or(cpus);
        if (!options_.run.max && program_.openmp()) traits_.max_cpus = std::max(report_.threads, cpus);
    }

    // --- the end ---

    /// Gives the CPUs back. A descendant that took the reservation over and still runs keeps them until it ends.
    void give_back(pid_t child) {
        const auto clients = table_.clients();
        if (!clients) return tell_lost(clients.error());
        const auto own = std::ranges::find_if(*clients, [&](const auto& info) { return slot_of(info) == slot_; });
        if (own == clients->end()) return;
        if (own->pid != child && runs_on(own->pid))
            mention(options_, fmt::format("{} goes on in the background and keeps its CPUs", client_words(*own)));
        else if (const auto released = table_.release(own->pid); released && released->pending())
            mention(options_, released->text);
        else if (!released && released.error().status != DROM_E_NOPROC)
            tell_lost(released.error());
    }

    /// Returns whether the process runs on. In another pid namespace the number is another process's; but all that is
    /// left is below this subreaper.
    [[nodiscard]] bool runs_on(pid_t pid) const {
        if (table_.descendants(pid)) return kill(pid, 0) == 0;
        pid_t ended = 0;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) continue;
        return ended == 0;
    }

    void tell_lost(const Error& error) {
        if (!options_.quiet) complain(error.text);
    }

    int give_up(pid_t child, int status) {
        give_back(child);
        return status;
    }

    const CommandOptions& options_;
    Program program_;
    bool is_rank_ = false;
    Rank rank_;
    Preload preload_;
    CpuSet exact_;
    Table& table_;
    CpuChooser chooser_;
    Traits traits_;
    RunReport report_;
    std::string slot_;    ///< of the reservation, as DROM_SLOT names it; empty: none yet
    std::string resize_;  ///< the way that holds: keep, follow or auto
};

}  // namespace

int verb_run(const CommandOptions& options) {
    auto program = inspect_program(options.command.front());
    if (!program) return cannot_start(options, program.error());
    if (follows_container(options)) return run_following(options, *program);
    if (const std::string why = no_room_for_rank(options); !why.empty()) return misused(options, why);
    if (const std::string why = no_room_for_job(options); !why.empty()) return misused(options, why);
    CpuSet exact;
    if (!options.run.cpus.empty()) {
        const auto cpus = read_cpus(options.run.cpus);
        if (!cpus) return refused_cpus(options, "--cpus", cpus.error());
        exact = *cpus;
    }
    auto table = Table::open(options.table, {.create = true});
    if (!table) return refused(options, table.error());
    // The CPUs of clients that died are free, but no administrator may have noticed yet.
    if (const auto checked = table->check(); !checked) return refused(options, checked.error());
    bool is_rank = false;
    rank_by_launcher(is_rank);
    if (const auto outer = is_rank || !can_run_inside(options) ? std::nullopt : find_outer(*table))
        return run_inside(options, *program, *outer);
    return Launch(options, *std::move(program), exact, *table).run();
}

}  // namespace drom::command
