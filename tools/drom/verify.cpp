// SPDX-License-Identifier: BSD-3-Clause
// verify.cpp - drom verify: find the fastest way of resizing that keeps a program's results right.
#include "verify.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "disturbance.hpp"
#include "doors.hpp"
#include "launch.hpp"
#include "modes.hpp"
#include "output_json.hpp"
#include "program.hpp"
#include "report.hpp"
#include "signals.hpp"
#include "verb_functions.hpp"
#include "words.hpp"

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
    unsigned requests = 0;
};

std::string contents_of(int fd) {
    std::string text;
    char part[65536];
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(fd, part, sizeof part, at)) > 0; at += got)
        text.append(part, static_cast<size_t>(got));
    return text;
}

std::string ending_text(const Result& result) {
    if (!result.finished) return "did not finish";
    if (WIFSIGNALED(result.status))
        return fmt::format("died of signal {} ({})", WTERMSIG(result.status), strsignal(WTERMSIG(result.status)));
    return fmt::format("exit status {}", WEXITSTATUS(result.status));
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

class Verification {
public:
    Verification(const Options& options, const Program& program, const CpuSet& cpus, Table& table)
        : options_(options), program_(program), doors_(choose_doors(program, false)), cpus_(cpus), table_(table) {
        report_.program = program.path.substr(program.path.rfind('/') + 1);
        report_.build_id = program.build_id;
        report_.seed = options.verify.seed;
    }

    int run() {
        if (const auto same = measure_undisturbed(); !same) return refuse(same.error());
        for (const char* mode : {"keep", "follow"}) {
            if (const auto done = try_mode(mode); !done) return refuse(done.error());
            if (interrupted_ != 0) return 128 + interrupted_;
        }
        return conclude();
    }

private:
    int refuse(const Error& error) {
        if (interrupted_ != 0) return 128 + interrupted_;
        return refused(options_, sentence(options_, error.status, error.text));
    }

    // --- one run ---

    [[nodiscard]] std::vector<std::string> environment_of(const std::string& mode) const {
        std::vector<std::string> environment{fmt::format("OMP_NUM_THREADS={}", cpus_.count()), "DROM_SLOT"};
        if (mode.empty()) return environment;
        const char* present = std::getenv("LD_PRELOAD");
        const std::string preload = preload_text(doors_, library_directory(), present == nullptr ? "" : present);
        if (!preload.empty()) environment.push_back("LD_PRELOAD=" + preload);
        environment.push_back("DROM_RESIZE=" + mode);
        return environment;
    }

    /// Undisturbed, without our libraries.
    Expected<Result> run_alone() { return run_once("", nullptr); }

    Expected<Result> run_disturbed(const std::string& mode, Beginning beginning, uint64_t seed) {
        const auto usual = std::chrono::duration<double>(report_.undisturbed_s);
        Disturbance disturbance(table_, cpus_, beginning, seed, std::chrono::duration_cast<Clock::duration>(usual));
        return run_once(mode, &disturbance);
    }

    Expected<Result> run_once(const std::string& mode, Disturbance* disturbance) {
        const int output = memfd_create("drom-verify", MFD_CLOEXEC);
        if (output < 0) return failure(DROM_E_OS, fmt::format("memfd_create: {}", std::strerror(errno)));
        lseek(STDIN_FILENO, 0, SEEK_SET);  // each run reads the same input, if it is a file
        SignalRelay relay;
        auto child = PausedChild::fork(program_, options_.command, relay, output, !options_.verbose);
        if (!child) return tl::make_unexpected(child.error());
        auto environment = environment_of(mode);
        if (disturbance != nullptr) {
            const auto reserved =
                table_.reserve(child->pid(), disturbance->reservation(), {}, {.name = report_.program});
            if (!reserved) return tl::make_unexpected(reserved.error());
            environment.insert(environment.end(), reserved->environment.begin(), reserved->environment.end());
            std::erase(environment, "DROM_SLOT");
        }
        const auto start = Clock::now();
        const int code = child->start(environment);
        if (code != 0) return failure(DROM_E_OS, not_executable(options_.command.front(), code).text);
        Result result;
        if (disturbance == nullptr) {
            wait_quietly(relay, child->pid(), result);
        } else {
            end(relay, child->pid(), disturbance->until_end_of(relay, child->pid(), start + limit()), result);
            result.requests = disturbance->requests();
        }
        result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        result.output = contents_of(output);
        close(output);
        if (disturbance != nullptr) table_.release(child->pid());
        if (relay.ending_signal() != 0) interrupted_ = relay.ending_signal();
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
        // Ten times, and a little for what is over in no time.
        return milliseconds(static_cast<int64_t>(report_.undisturbed_s * 10'000) + 5'000);
    }

    // --- judging ---

    /// Empty when the run is right.
    std::string fault_of(const Result& result) {
        if (!result.finished) return fmt::format("did not finish in {:.0f} s", result.seconds);
        if (result.status != expected_.status) return ending_text(result) + " instead of " + ending_text(expected_);
        if (options_.verify.check.empty()) return result.output == expected_.output ? "" : "another output";
        return passes_check(result.output) ? "" : "the check failed";
    }

    [[nodiscard]] bool passes_check(const std::string& output) const {
        const auto before = std::signal(SIGPIPE, SIG_IGN);  // a check may stop reading
        FILE* check = popen(options_.verify.check.c_str(), "we");
        if (check != nullptr) std::fwrite(output.data(), 1, output.size(), check);
        const int status = check == nullptr ? -1 : pclose(check);
        std::signal(SIGPIPE, before);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

    Expected<bool> measure_undisturbed() {
        constexpr int kRuns = 3;
        std::vector<double> times;
        for (int i = 0; i < kRuns; ++i) {
            auto result = run_alone();
            if (!result) return tl::make_unexpected(result.error());
            if (interrupted_ != 0) return failure(DROM_E_OS, "interrupted");
            if (i == 0) expected_ = *result;
            if (!result->finished)
                return failure(DROM_E_TIMEOUT, "the undisturbed run did not finish; give a longer --limit");
            if (const auto fault = fault_of(*result); !fault.empty())
                return failure(
                    DROM_E_INVAL,
                    fmt::format("two undisturbed runs differ ({}), so runs cannot be compared; give --check", fault));
            times.push_back(result->seconds);
        }
        report_.undisturbed_s = median(times);
        return true;
    }

    Expected<bool> try_mode(const std::string& mode) {
        ModeResult found{.mode = mode};
        std::vector<double> times;
        for (unsigned i = 0; i < options_.verify.runs && interrupted_ == 0; ++i) {
            // The same requests in every mode, so that their times can be compared.
            const Beginning beginning = beginning_of(i);
            const auto result = run_disturbed(mode, beginning, options_.verify.seed + i);
            if (!result) return tl::make_unexpected(result.error());
            const std::string fault = fault_of(*result);
            if (fault.empty()) ++found.right;
            if (found.wrong.empty() && !fault.empty()) found.wrong = fault + to_text(beginning);
            ++found.runs;
            found.requests += result->requests;
            times.push_back(result->seconds);
        }
        found.median_s = median(times);
        report_.modes.push_back(found);
        return true;
    }

    int conclude() {
        report_.chosen = fastest_right(report_.modes);
        if (!options_.verify.no_record) {
            const auto path = record_mode(report_.build_id, report_.chosen, report_.program);
            if (!path) return refuse(path.error());
            report_.recorded_in = *path;
        }
        print(options_.json ? verify_json(report_) : as_text());
        return report_.chosen == "rigid" ? kRefused : kDone;
    }

    [[nodiscard]] std::string as_text() const {
        std::string out = fmt::format("{}: undisturbed {:.3g} s on {}\n", report_.program, report_.undisturbed_s,
                                      counted(cpus_.count(), "CPU"));
        out += fmt::format("  {:<6} {:>9} {:>9} {:>10} {:>7}\n", "MODE", "RIGHT", "REQUESTS", "MEDIAN", "COST");
        for (const auto& mode : report_.modes)
            out += fmt::format("  {:<6} {:>4} of {:<2} {:>8} {:>8.3g} s {:>6.2f}x  {}\n", mode.mode, mode.right,
                               mode.runs, mode.requests, mode.median_s,
                               report_.undisturbed_s > 0 ? mode.median_s / report_.undisturbed_s : 0, mode.wrong);
        out += report_.chosen == "rigid" ? "no mode is right: the program is rigid"
                                         : "the fastest mode that is right: " + report_.chosen;
        return out + (report_.recorded_in.empty() ? "\n" : "; recorded in " + report_.recorded_in + "\n");
    }

    const Options& options_;
    const Program program_;
    Doors doors_;
    CpuSet cpus_;
    Table& table_;
    Result expected_;
    VerifyReport report_;
    int interrupted_ = 0;
};

}  // namespace

std::string fastest_right(const std::vector<ModeResult>& modes) {
    // The later modes are right by trial only, so they must be worth it.
    constexpr double kNoticeable = 0.95;
    const ModeResult* best = nullptr;
    for (const auto& mode : modes) {
        if (mode.runs == 0 || mode.right < mode.runs) continue;
        if (best == nullptr || mode.median_s < kNoticeable * best->median_s) best = &mode;
    }
    return best == nullptr ? "rigid" : best->mode;
}

int verb_verify(const Options& options) {
    const auto refuse = [&](int status, const std::string& text) {
        return refused(options, sentence(options, status, text));
    };
    const auto program = inspect_program(options.command.front());
    if (!program) {
        refuse(DROM_E_INVAL, program.error().text);
        return program.error().exit_status;
    }
    if (const std::string& why = choose_doors(*program, false).remark; !why.empty())
        return refuse(DROM_E_INVAL, fmt::format("{} {}; there are no modes to choose between", program->path, why));
    const auto cpus = CpuSet::affinity_of();
    if (!cpus) return refused(options, cpus.error());
    if (cpus->count() < 2)
        return refuse(DROM_E_NOCPU, "two CPUs at least are needed to change anything; this process has one");
    const TemporaryFolder folder;
    if (folder.path().empty())
        return refuse(DROM_E_OS, fmt::format("no temporary folder: {}; set TMPDIR", std::strerror(errno)));
    auto table = Table::open(folder.path() + "/table", {.create = true});
    if (!table) return refused(options, table.error());
    return Verification(options, *program, *cpus, *table).run();
}

}  // namespace drom::command
