// SPDX-License-Identifier: BSD-3-Clause
// verify.cpp - drom verify: find out by trial whether a program's team may follow its CPUs.
#include "output/verify_report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "program/paused_child.hpp"
#include "program/preload.hpp"
#include "program/program.hpp"
#include "program/signal_relay.hpp"
#include "program/verify_perturbation.hpp"
#include "program/verify_records.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A folder that disappears with this object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const char* parent = std::getenv("TMPDIR");
        path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/drom-verify-XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) path_.clear();
    }
    ~TemporaryFolder() {
        std::error_code code;
        if (!path_.empty()) std::filesystem::remove_all(path_, code);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct Result {
    int status = 0;
    bool finished = true;
    std::string output;
    double seconds = 0;
    double cpu_s = 0;
    unsigned requests = 0;
};

std::string contents_of(int fd) {
    std::string text;
    char part[4096];
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(fd, part, sizeof part, at)) > 0; at += got)
        text.append(part, static_cast<size_t>(got));
    return text;
}

/// Makes a file without a name that holds `text` and is read from its beginning; -1: errno says why not.
int file_with(const std::string& text) {
    const int fd = memfd_create("drom-verify", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < text.size();) {
        const ssize_t written = write(fd, text.data() + at, text.size() - at);
        if (written <= 0) {
            close(fd);
            return -1;
        }
        at += static_cast<size_t>(written);
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

std::string ending_text(const Result& result) {
    if (!result.finished) return "did not finish";
    if (WIFSIGNALED(result.status))
        return fmt::format("died of signal {} ({})", WTERMSIG(result.status), strsignal(WTERMSIG(result.status)));
    return fmt::format("exit status {}", WEXITSTATUS(result.status));
}

/// Returns user and system time of every child that has been waited for.
double cpu_time_of_children() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median_of(const std::vector<double>& values) { return interval_of(values).median; }

/// One line on a terminal, overwritten by the next, and gone with this object.
class Progress {
public:
    explicit Progress(bool shown) : shown_(shown && isatty(STDERR_FILENO) == 1) {}
    ~Progress() { show(""); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void show(const std::string& text) const {
        if (shown_) fmt::print(stderr, "\r\033[K{}", text);
    }

private:
    bool shown_;
};

class Verification {
public:
    Verification(const CommandOptions& options, const Program& program, const CpuSet& cpus, Table& table)
        : options_(options), program_(program), preload_(choose_preload(program, false)), cpus_(cpus), table_(table) {
        report_.program = program.path.substr(program.path.rfind('/') + 1);
        report_.objects = objects_id(program);
        report_.cpus = cpus.text();
        report_.seed = options.verify.seed;
        report_.modes = {{"keep"}, {"follow"}};
    }

    int run() {
        if (const auto same = measure_undisturbed(); !same) return refuse(same.error());
        if (const auto done = try_modes(); !done) return refuse(done.error());
        if (const auto told = confirm_faults(); !told) return refuse(told.error());
        return conclude();
    }

private:
    int refuse(const Error& error) {
        progress_.show("");
        if (interrupted_ != 0) return 128 + interrupted_;
        return refused(options_, sentence(options_, error.status, error.text));
    }

    // --- one run ---

    [[nodiscard]] std::vector<std::string> environment_of(const std::string& mode) const {
        std::vector<std::string> environment{"DROM_SLOT", "DROM_START_CPUS"};
        if (mode.empty()) return environment;
        const char* present = std::getenv("LD_PRELOAD");
        Preload chosen = preload_;
        chosen.omp = chosen.agent && mode == "follow";
        const std::string preload = preload_text(chosen, library_directory(), present == nullptr ? "" : present);
        if (!preload.empty()) environment.push_back("LD_PRELOAD=" + preload);
        environment.push_back("DROM_RESIZE=" + mode);
        return environment;
    }

    /// Runs the program undisturbed, without our libraries.
    Expected<Result> run_alone() { return run_once("", nullptr); }

    Expected<Result> run_disturbed(const std::string& mode, RunKind kind, uint64_t seed) {
        const auto usual = std::chrono::duration<double>(report_.undisturbed_s);
        Perturbation perturbation(table_, cpus_, kind, seed, std::chrono::duration_cast<Clock::duration>(usual));
        return run_once(mode, &perturbation);
    }

    Expected<Result> run_once(const std::string& mode, Perturbation* perturbation) {
        const int output = memfd_create("drom-verify", MFD_CLOEXEC);
        if (output < 0) return failure(DROM_E_OS, fmt::format("memfd_create: {}", std::strerror(errno)));
        lseek(STDIN_FILENO, 0, SEEK_SET);  // each run reads the same input, if it is a file
        SignalRelay relay;
        const double cpu_before = cpu_time_of_children();
        auto child = PausedChild::fork(program_, options_.command, relay, output, !options_.verbose);
        if (!child) return tl::make_unexpected(child.error());
        auto environment = environment_of(mode);
        if (perturbation != nullptr) {
            const auto reserved =
                table_.reserve(child->pid(), perturbation->reservation(), {}, {.name = report_.program});
            if (!reserved) return tl::make_unexpected(reserved.error());
            environment.insert(environment.end(), reserved->environment.begin(), reserved->environment.end());
            std::erase(environment, "DROM_SLOT");
            std::erase(environment, "DROM_START_CPUS");
            // As if the request had come just before the program.
            environment.push_back("DROM_START_CPUS=" + cpus_.text());
        }
        const auto start = Clock::now();
        const int code = child->start(environment);
        if (code != 0) return failure(DROM_E_OS, not_executable(options_.command.front(), code).text);
        Result result;
        if (perturbation == nullptr) {
            wait_quietly(relay, child->pid(), result);
        } else {
            end(relay, child->pid(), perturbation->until_end_of(relay, child->pid(), start + limit()), result);
            result.requests = perturbation->requests();
        }
        result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        result.cpu_s = cpu_time_of_children() - cpu_before;
        result.output = contents_of(output);
        close(output);
        if (perturbation != nullptr) table_.release(child->pid());
        if (relay.ending_signal() != 0) interrupted_ = relay.ending_signal();
        if (interrupted_ != 0) return failure(DROM_E_OS, "interrupted");
        return result;
    }

    void wait_quietly(SignalRelay& relay, pid_t child, Result& result) const {
        const auto limit =
            options_.verify.limit_s == 0 ? std::optional<milliseconds>() : milliseconds(1000 * options_.verify.limit_s);
        end(relay, child, relay.until_end_of(child, limit), result);
    }

    static void end(SignalRelay& relay, pid_t child, std::optional<int> status, Result& result) {
        result.finished = status.has_value();
        if (!status) {
            kill(child, SIGKILL);
            status = relay.until_end_of(child);
        }
        result.status = status.value_or(0);
    }

    [[nodiscard]] milliseconds limit() const {
        if (options_.verify.limit_s != 0) return milliseconds(1000 * options_.verify.limit_s);
        // Ten times, and a while for a machine that others keep busy.
        return milliseconds(static_cast<int64_t>(report_.undisturbed_s * 10'000) + 30'000);
    }

    // --- judging ---

    /// Returns what is wrong with the run; empty when it is right.
    std::string fault_of(const Result& result) {
        if (!result.finished) return fmt::format("did not finish in {:.0f} s", result.seconds);
        if (result.status != expected_.status) return ending_text(result) + " instead of " + ending_text(expected_);
        if (options_.verify.check.empty()) return result.output == expected_.output ? "" : "another output";
        return passes_check(result.output) ? "" : "the check failed";
    }

    /// Returns whether the output passes the check. It comes from a file and not through a pipe: a check that reads
    /// nothing must not be taken for one that failed.
    [[nodiscard]] bool passes_check(const std::string& output) const {
        const int input = file_with(output);
        if (input < 0) return false;
        const pid_t check = fork();
        if (check == 0) {
            dup2(input, STDIN_FILENO);
            execl("/bin/sh", "sh", "-c", options_.verify.check.c_str(), nullptr);
            _exit(kNotFound);
        }
        close(input);
        int status = -1;
        while (check > 0 && waitpid(check, &status, 0) < 0 && errno == EINTR) continue;
        return check > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

    /// Refuses an undisturbed run from which nothing could be concluded about a disturbed one.
    Expected<bool> accept_undisturbed(const Result& result) {
        if (!result.finished)
            return failure(DROM_E_TIMEOUT, "the undisturbed run did not finish; give a longer --limit");
        if (result.status != 0)
            return failure(
                DROM_E_INVAL,
                fmt::format("not verified: the undisturbed run itself fails ({}); verify a run that succeeds",
                            ending_text(result)));
        const auto fault = fault_of(result);
        if (fault.empty()) return true;
        if (!options_.verify.check.empty())
            return failure(DROM_E_INVAL,
                           "not verified: the check refuses an undisturbed run; give a --check that accepts it");
        return failure(
            DROM_E_INVAL,
            fmt::format("not verified: two undisturbed runs differ ({}), so runs cannot be compared; give --check",
                        fault));
    }

    Expected<Result> accepted_undisturbed() {
        auto result = run_alone();
        if (!result) return result;
        if (undisturbed_++ == 0) expected_ = *result;
        if (const auto accepted = accept_undisturbed(*result); !accepted) return tl::make_unexpected(accepted.error());
        return result;
    }

    Expected<bool> measure_undisturbed() {
        constexpr int kRuns = 3;
        std::vector<double> times;
        std::vector<double> cpu_times;
        for (int i = 0; i < kRuns; ++i) {
            progress_.show(fmt::format("{}: undisturbed, run {} of {}", report_.program, i + 1, kRuns));
            const auto result = accepted_undisturbed();
            if (!result) return tl::make_unexpected(result.error());
            times.push_back(result->seconds);
            cpu_times.push_back(result->cpu_s);
        }
        report_.undisturbed_s = median_of(times);
        report_.undisturbed_cpu_s = median_of(cpu_times);
        return true;
    }

    /// Repeats what was wrong: a fault may come from outside, as from a full file system, or at random. So undisturbed
    /// runs and repetitions of the wrong run take turns, until they differ beyond doubt.
    Expected<bool> confirm_faults() {
        const auto wrong =
            std::ranges::find_if(report_.modes, [](const auto& mode) { return mode.first_wrong() != nullptr; });
        if (wrong == report_.modes.end()) return true;
        const auto round = static_cast<unsigned>(wrong->first_wrong() - wrong->trials.data());
        while (!is_beyond_chance(*wrong, undisturbed_) && undisturbed_ < kMaxUndisturbed) {
            progress_.show(fmt::format("{}: undisturbed, once more", report_.program));
            if (const auto same = accepted_undisturbed(); !same) return tl::make_unexpected(same.error());
            if (const auto tried = try_once(*wrong, round); !tried) return tried;
        }
        return true;
    }

    /// Tries the modes in turn, round by round: what other work does to the machine for a while, it does to each. A
    /// mode that was wrong once has no further rounds, and none has when keep was.
    Expected<bool> try_modes() {
        for (unsigned round = 0; round < options_.verify.runs; ++round)
            for (unsigned turn = 0; turn < report_.modes.size(); ++turn) {
                if (report_.modes.front().first_wrong() != nullptr) return true;
                ModeResult& mode = report_.modes[(turn + round) % report_.modes.size()];
                if (mode.first_wrong() != nullptr) continue;
                if (auto tried = try_once(mode, round); !tried) return tried;
            }
        return true;
    }

    Expected<bool> try_once(ModeResult& mode, unsigned round) {
        progress_.show(
            fmt::format("{}: {}, run {} of {}", report_.program, mode.mode, round + 1, options_.verify.runs));
        const RunKind kind = kind_of(round);
        const auto result = run_disturbed(mode.mode, kind, options_.verify.seed + round);
        if (!result) return tl::make_unexpected(result.error());
        const std::string fault = fault_of(*result);
        mode.trials.push_back({result->requests, result->cpu_s, fault.empty() ? "" : fault + to_text(kind)});
        return true;
    }

    int conclude() {
        progress_.show("");
        report_.verdict = verdict_on(report_.modes[0], report_.modes[1], undisturbed_);
        const bool verified = !report_.verdict.mode.empty();
        if (verified && !options_.verify.no_record) {
            const auto path = record_mode(report_.objects, report_.verdict.mode, report_.program);
            if (!path) return refuse(path.error());
            report_.recorded_in = *path;
        }
        print(options_.json ? verify_json(report_) : as_text());
        return verified && report_.verdict.mode != "rigid" ? kDone : kRefused;
    }

    [[nodiscard]] std::string row_of(const ModeResult& mode) const {
        std::vector<double> times;
        for (const auto& trial : mode.trials) times.push_back(trial.cpu_s);
        const double cpu_s = median_of(times);
        const Trial* wrong = mode.first_wrong();
        return fmt::format("  {:<6} {:>4} of {:<3} {:>8} {:>8.3g} s {:>6.2f}x  {}\n", mode.mode, mode.right(),
                           mode.trials.size(), mode.requests(), cpu_s,
                           report_.undisturbed_cpu_s > 0 ? cpu_s / report_.undisturbed_cpu_s : 0,
                           wrong == nullptr ? "" : wrong->fault);
    }

    [[nodiscard]] std::string as_text() const {
        std::string out = fmt::format("{}: undisturbed {:.3g} s, {:.3g} s of CPU time, on {}\n", report_.program,
                                      report_.undisturbed_s, report_.undisturbed_cpu_s, counted(cpus_.count(), "CPU"));
        out += fmt::format("  {:<6} {:>11} {:>8} {:>10} {:>7}\n", "MODE", "RIGHT", "REQUESTS", "CPU TIME", "COST");
        for (const auto& mode : report_.modes)
            if (!mode.trials.empty()) out += row_of(mode);
        if (report_.verdict.mode.empty()) return out + "not verified: " + report_.verdict.reason + "\n";
        out += report_.verdict.reason;
        if (!report_.recorded_in.empty())
            out += fmt::format("; recorded as {} in {}", report_.verdict.mode, report_.recorded_in);
        return out + "\n";
    }

    const CommandOptions& options_;
    const Program program_;
    Preload preload_;
    CpuSet cpus_;
    Table& table_;
    Result expected_;
    unsigned undisturbed_ = 0;  ///< runs
    VerifyReport report_;
    Progress progress_{!options_.json && !options_.quiet};
    int interrupted_ = 0;
};

/// Returns the CPUs of the user's table that clients own; empty without a table.
CpuSet owned_by_clients(const CommandOptions& options) {
    CpuSet owned;
    const auto table = Table::open(options.table, {.read_only = true});
    const auto snapshot = table ? take_snapshot(*table) : tl::make_unexpected(table.error());
    if (!snapshot) return owned;
    for (const auto& client : snapshot->clients) owned = owned | client.owned;
    return owned;
}

/// Returns those of `cpus` that no client owns, where two are left; all of them with a warning otherwise.
CpuSet cpus_for_runs(const CommandOptions& options, const CpuSet& cpus) {
    const CpuSet owned = owned_by_clients(options);
    const CpuSet free = cpus - owned;
    if (free.count() >= 2) return free;
    warn(options, fmt::format("CPUs {} are used, and clients own {} of them: both will be slower", cpus.text(),
                              (cpus & owned).text()));
    return cpus;
}

/// Gives every run the same input: a file from its beginning, or nothing. The input from a terminal or a pipe can be
/// read only once.
void repeat_input(const CommandOptions& options) {
    struct stat input{};
    if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode)) return;
    if (S_ISFIFO(input.st_mode))
        warn(options,
             "its input is a pipe, which can be read only once: the runs have an empty one; give a file, < FILE");
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) return;
    dup2(nothing, STDIN_FILENO);
    close(nothing);
}

}  // namespace

int verb_verify(const CommandOptions& options) {
    const auto refuse = [&](int status, const std::string& text) {
        return refused(options, sentence(options, status, text));
    };
    const auto program = inspect_program(options.command.front());
    if (!program) {
        refuse(DROM_E_INVAL, program.error().text);
        return program.error().exit_status;
    }
    if (const std::string& why = choose_preload(*program, false).remark; !why.empty())
        return refuse(DROM_E_INVAL, fmt::format("{} {}; there are no modes to choose between", program->path, why));
    const auto affinity = CpuSet::affinity_of();
    if (!affinity) return refused(options, affinity.error());
    if (affinity->count() < 2)
        return refuse(DROM_E_NOCPU, "two CPUs at least are needed to change anything; this process has one");
    const CpuSet cpus = cpus_for_runs(options, *affinity);
    if (cpus != *affinity && sched_setaffinity(0, CpuSet::kernel_size(), cpus.as_kernel()) != 0)
        return refuse(DROM_E_OS, fmt::format("CPUs {} cannot be used: {}", cpus.text(), std::strerror(errno)));
    const TemporaryFolder folder;
    if (folder.path().empty())
        return refuse(DROM_E_OS, fmt::format("no temporary folder: {}; set TMPDIR", std::strerror(errno)));
    repeat_input(options);
    auto table = Table::open(folder.path() + "/table", {.create = true});
    if (!table) return refused(options, table.error());
    return Verification(options, *program, cpus, *table).run();
}

}  // namespace drom::command
