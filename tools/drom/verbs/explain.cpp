// SPDX-License-Identifier: BSD-3-Clause
// explain.cpp - drom explain: why a client is where it is.
#include "verbs/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "command_line/clients.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "program/thread_pool_libraries.hpp"
#include "text/visible.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class Explainer {
public:
    explicit Explainer(Explanation& explanation) : it_(explanation), info_(explanation.client.info) {}

    void conclude() {
        for (const auto& thread : it_.threads) it_.busy += thread.busy;
        it_.spins = looks_spinning();
        it_.outside_team = count_outside_team();
        entry_points();
        if (it_.elsewhere)
            say("Its process {} is in another pid namespace, such as a container's, and cannot be seen from here: drom "
                "explain says more from within.",
                info_.pid);
        processes();
        request();
        resize();
        others();
        cost();
        strays();
        if (it_.spins)
            say("It uses {:.1f} of its {} without passing a safe point, and its threads push one another off them: it "
                "may be in one long region, or wait actively for its own threads. If it makes no progress, start it "
                "with drom run --rigid.",
                it_.busy, counted(it_.client.owned.count(), "CPU"));
    }

private:
    template <class... Args>
    void say(fmt::format_string<Args...> format, Args&&... args) {
        it_.sentences.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    [[nodiscard]] bool has(uint32_t entry_point) const { return (info_.entry_points & entry_point) != 0; }
    [[nodiscard]] bool openmp() const { return has(DROM_ENTRY_KMP) || has(DROM_ENTRY_GOMP); }
    [[nodiscard]] bool released() const { return info_.released_seq >= info_.request_seq; }
    [[nodiscard]] bool crowded() const {
        return info_.team_size > it_.client.owned.count() && !it_.client.owned.empty();
    }

    /// Returns whether a thread is pushed off its CPU so often that it shares it with another that never waits.
    [[nodiscard]] bool looks_spinning() const {
        uint64_t preempted = 0;
        unsigned running = 0;
        for (const auto& thread : it_.threads) {
            preempted += thread.preempted;
            running += thread.busy > 0.1 ? 1 : 0;
        }
        const unsigned cpus = it_.client.owned.count();
        return openmp() && it_.safe_points_per_s == 0 && running > cpus && it_.busy > 0.8 * cpus && preempted > 10;
    }

    /// Returns the number of threads that no entry point resizes: those of teams inside teams, which come and go, and
    /// of pools.
    [[nodiscard]] unsigned count_outside_team() const {
        const auto at_work = static_cast<unsigned>(std::ranges::count_if(
            it_.threads, [](const ThreadView& t) { return t.name != "drom" && (t.state == 'R' || t.busy > 0.05); }));
        const bool resized = info_.resize == DROM_RESIZE_FOLLOWS && info_.resized_seq >= info_.request_seq;
        const unsigned managed = std::max(1U, info_.team_size);
        return resized && at_work > managed && at_work > it_.client.owned.count() ? at_work - managed : 0;
    }

    void entry_points() {
        if (info_.state != DROM_CLIENT_LIVE)
            return say(
                "No entry point has answered: the process has not joined{}. It is reached from outside only: its "
                "threads are "
                "moved by the command that changes its CPUs, and their number stays.",
                it_.threads.empty() && !it_.elsewhere ? ", or has ended" : "");
        say("Entry points: {}. Since it joined: {}, {}, {}.",
            info_.entry_points == 0 ? "none" : joined(entry_point_words(info_.entry_points), ", "),
            counted(info_.safe_points, "safe point"), counted(info_.polls, "poll"),
            counted(info_.adoptions, "adoption"));
    }

    static std::string some_of(const std::vector<std::string>& all) {
        constexpr size_t kNamed = 8;
        const std::vector<std::string> named(all.begin(),
                                             all.begin() + static_cast<long>(std::min(all.size(), kNamed)));
        const std::string more = all.size() > kNamed ? fmt::format(" and {} more", all.size() - kNamed) : "";
        return joined(named, ", ") + more;
    }

    /// Says which processes are moved with it, and which cannot be.
    void processes() {
        if (!it_.descendants.empty())
            say("It is 1 process and {}, which are moved with it: {}.", counted(it_.descendants.size(), "descendant"),
                some_of(it_.descendants));
        if (!it_.not_moved.empty())
            say("Not moved, because it runs with another user's rights: {} ({}).",
                counted(it_.not_moved.size(), "descendant"), some_of(it_.not_moved));
    }

    void request() {
        if (info_.request_seq == 0) return say("There was no request so far; it has {}.", cpus_text(it_.client.owned));
        const std::string what = fmt::format("Request {} ({})", info_.request_seq, cpus_text(it_.client.wanted));
        if (!released())
            return say("{} is posted, {} ago, and not released: {}.", what, age(info_.posted_ns), why_not_released());
        const bool outside = info_.confined_seq >= info_.request_seq;
        const std::string after =
            info_.released_ns > info_.posted_ns ? " after " + duration_text(info_.released_ns - info_.posted_ns) : "";
        // Less than the shortest period of grace that can be given: the client was not waited for.
        constexpr uint64_t kNoGrace = 1'000'000;
        const bool waited = info_.released_ns >= info_.posted_ns + kNoGrace;
        const bool asked = outside && info_.request_seq > 1 && info_.state == DROM_CLIENT_LIVE;
        say("{} is released{}, {}{}.", what, after, outside ? "by confinement from outside" : "by the client itself",
            !asked   ? ""
            : waited ? ": the client did not answer in time"
                     : ", at once: the client was not waited for");
        if (info_.limited != 0)
            say("The cpuset (cgroup) of the process allows less than that: it runs where both allow it.");
        if (it_.client.owned != it_.client.wanted)
            say("It has {} and waits for {} from other clients.", cpus_text(it_.client.owned),
                cpus_text(it_.client.wanted - it_.client.owned));
    }

    [[nodiscard]] std::string why_not_released() const {
        const bool stopped =
            std::ranges::any_of(it_.threads, [](const ThreadView& t) { return t.state == 'T' || t.state == 't'; });
        if (it_.threads.empty()) return "the process cannot be looked at";
        if (const std::string held_by = descendant_that_stays(); !held_by.empty()) return held_by;
        if (const auto thread = deadline_thread(); thread != it_.threads.end())
            return fmt::format(
                "the kernel moves no thread of SCHED_DEADLINE, as its thread {0} ({1}) is; give that another policy "
                "(chrt --other --pid 0 {0}), then use drom wait",
                thread->tid, thread->name);
        if (stopped)
            return "the process is stopped, by a signal or a debugger, and no command waits that would confine it";
        if (info_.state != DROM_CLIENT_LIVE)
            return "it is reached from outside only, and no command waits that would confine it";
        if (std::string_view(info_.why).starts_with("its cpuset allows no CPU")) return info_.why;
        if (!has(DROM_ENTRY_ASYNC))
            return "it has no agent thread (DROM_ASYNC=0, or a single thread) and passes no safe point";
        return "its agent has not answered yet; drom wait confines it after the grace period";
    }

    /// Returns the first thread that the kernel refuses to move.
    [[nodiscard]] std::vector<ThreadView>::const_iterator deadline_thread() const {
        return std::ranges::find_if(std::as_const(it_.threads), &ThreadView::deadline);
    }

    /// Returns why a descendant stays; empty: none does. The client says it itself once its agent has tried. Without an
    /// agent only the rights of the descendant are known.
    [[nodiscard]] std::string descendant_that_stays() const {
        if (std::string_view(info_.why).starts_with("its descendant ")) return info_.why;
        if (it_.not_moved.empty()) return {};
        return fmt::format(
            "its descendant {} cannot be moved: it runs with another user's rights; the request is released when "
            "that process has ended",
            it_.not_moved.front());
    }

    void resize() {
        const std::string reason = info_.why[0] == '\0' ? "" : std::string(": ") + info_.why;
        switch (info_.resize) {
            case DROM_RESIZE_FOLLOWS: return resize_follows();
            case DROM_RESIZE_HELD: return say("The number of threads is held at {}{}.", info_.team_size, reason);
            case DROM_RESIZE_KEEPS: return say("The number of threads stays {}{}.", info_.team_size, reason);
            case DROM_RESIZE_CALLER: return say("The program adapts its threads itself, after drom_poll.");
            default:
                if (info_.state == DROM_CLIENT_LIVE)
                    say("Not resized: no OpenMP region was seen so far, so there is no team to resize{}.", reason);
        }
    }

    void resize_follows() {
        const std::string team =
            fmt::format("{} now, {} at its start", counted(info_.team_size, "thread"), info_.start_size);
        if (info_.request_seq == 0 || info_.resized_seq >= info_.request_seq)
            return say("The number of threads follows the CPUs: {}.", team);
        say("The number of threads follows the CPUs, but not yet for this request ({}): {}.", team,
            it_.safe_points_per_s == 0 ? "no region has begun since; it is in a serial phase or in one long region"
                                       : "it follows as its next region starts");
    }

    /// Says which threads are confined with the rest, while their number stays as it is.
    void others() {
        const std::string names = joined(it_.pools, " and ");
        const bool live = info_.state == DROM_CLIENT_LIVE;
        if (live && info_.resize == DROM_RESIZE_CALLER) return;
        if (!names.empty())
            say("Not resized: the threads of {}; they share the CPUs that are left. A program follows by itself if it "
                "calls drom_poll.",
                names);
        else if (!live && !it_.threads.empty())
            say("Not resized: it has no OpenMP runtime that an entry point reaches, or has opened no region yet; its "
                "threads "
                "share the CPUs that are left. A program follows by itself if it calls drom_poll.");
        if (it_.outside_team > 0)
            say("Not resized: {} at work besides its team: teams inside teams, or a pool of its own. They share the "
                "CPUs that are left.",
                counted(it_.outside_team, "thread"));
    }

    void cost() {
        if (info_.team_size == 0 || !crowded()) return;
        constexpr double kFineGrained = 5'000;
        say("{} share {}. {}", counted(info_.team_size, "thread"), counted(it_.client.owned.count(), "CPU"),
            it_.safe_points_per_s > kFineGrained
                ? fmt::format(
                      "With {:.0f} regions a second that costs about twice the time of a team of the right size.",
                      it_.safe_points_per_s)
                : "With regions of a millisecond or more that costs 1 to 7 %, unless its threads wait actively for one "
                  "another.");
    }

    void strays() {
        for (const auto& thread : it_.threads) {
            const CpuSet strange = thread.allowed - it_.client.owned - it_.client.wanted;
            if (strange.empty() || it_.client.owned.empty()) continue;
            say("Thread {} ({}) may run on {}, which the client does not have.", thread.tid, thread.name,
                cpus_text(strange));
        }
        if (info_.launcher_pid != 0 && !it_.elsewhere)
            say("It was launched by process {} (drom run).", info_.launcher_pid);
    }

    [[nodiscard]] std::string age(uint64_t since_ns) const {
        return duration_text(it_.now_ns > since_ns ? it_.now_ns - since_ns : 0);
    }

    Explanation& it_;
    const drom_client_info& info_;
};

/// Returns "4243 (make)".
std::string process_words(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string name;
    std::getline(file, name);
    return name.empty() ? std::to_string(pid) : fmt::format("{} ({})", pid, name);
}

/// Looks at the process. Where it cannot be seen, its number is another process's here: nothing of that one is looked
/// at.
void look_at_process(const Table& table, pid_t pid, std::chrono::milliseconds interval, Explanation& explanation) {
    const auto seen = table.descendants(pid);
    explanation.elsewhere = !seen && seen.error().status == DROM_E_NOPROC;
    if (explanation.elsewhere) return std::this_thread::sleep_for(interval);
    explanation.threads = sample_threads(pid, interval);
    explanation.pools = pools_of(pid);
}

std::string as_text(const Explanation& explanation) {
    const auto& info = explanation.client.info;
    const std::string job = info.job[0] == '\0' || info.ranks != 0 ? "" : fmt::format(", job {}", visible(info.job));
    std::string out =
        fmt::format("{}, slot {}{}: {}\n", client_words(info), info.slot, job, cpus_text(explanation.client.owned));
    for (const auto& sentence : explanation.sentences) out += "  " + visible(sentence) + '\n';
    if (explanation.threads.empty()) return out;
    out += fmt::format("\n  {:>8}  {:<15}  {:<5}  {:>4}  {:>5}  {}\n", "THREAD", "NAME", "STATE", "CPU", "BUSY",
                       "MAY RUN ON");
    for (const auto& thread : explanation.threads)
        out += fmt::format("  {:>8}  {:<15}  {:<5}  {:>4}  {:>4.0f}%  {}\n", thread.tid, visible(thread.name),
                           thread.state, thread.cpu, 100 * thread.busy, thread.allowed.text());
    return out;
}

}  // namespace

double safe_points_per_s(const drom_client_info& before, const drom_client_info& after, double seconds) {
    const bool same = before.slot == after.slot && before.generation == after.generation;
    const uint64_t counted_before = same && after.safe_points >= before.safe_points ? before.safe_points : 0;
    return seconds > 0 ? static_cast<double>(after.safe_points - counted_before) / seconds : 0;
}

void conclude(Explanation& explanation) { Explainer(explanation).conclude(); }

namespace {

/// Looks at a client for so long. `before`: at the begin.
Expected<Explanation> explanation_of(const Table& table, const drom_client_info& before,
                                     std::chrono::milliseconds sample) {
    Explanation explanation;
    look_at_process(table, before.pid, sample, explanation);
    auto after = view_of(table, before.pid);
    if (!after) return tl::make_unexpected(after.error());
    explanation.client = *std::move(after);
    find_descendants(table, explanation.client);
    for (const pid_t one : explanation.client.descendants)
        (may_move(before.pid, one) ? explanation.descendants : explanation.not_moved).push_back(process_words(one));
    explanation.now_ns = monotonic_ns();
    explanation.safe_points_per_s =
        safe_points_per_s(before, explanation.client.info, std::chrono::duration<double>(sample).count());
    conclude(explanation);
    return explanation;
}

}  // namespace

int verb_explain(const CommandOptions& options) {
    if (!options.slurm_job.empty()) return verb_explain_slurm(options);
    const auto named = open_client(options, {.read_only = true});
    if (!named) return refused(options, named.error());
    const auto explanation = explanation_of(named->table, named->view.info, options.sample);
    if (!explanation) return refused(options, explanation.error());
    return print(options.json ? explain_json(*explanation) : as_text(*explanation)) ? kDone : kRefused;
}

Expected<std::string> explain_text(const Table& table, pid_t pid, std::chrono::milliseconds sample) {
    const auto client = view_of(table, pid);
    if (!client) return tl::make_unexpected(client.error());
    const auto explanation = explanation_of(table, client->info, sample);
    if (!explanation) return tl::make_unexpected(explanation.error());
    return as_text(*explanation);
}

}  // namespace drom::command
