// SPDX-License-Identifier: BSD-3-Clause
// faults.cpp - for every operation and every function that it calls: the 1st, 2nd, 3rd ... call fails, in each way that
// it may, until the operation makes no more calls.
//
//   faults_tests [OPERATION [FUNCTION]]    DROM_FAULTS_LONG=1 has more cases, DROM_FAULTS_SHORT=1 fewer
//
// After each failure the status is a documented one, with a sentence. The table is as before the operation, or as after
// it. No descriptor, memory, mapping or file is left over. The same operation, asked for once more, does what it
// should. In the end all operations run while a timer interrupts a thousand times per second.
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "shim.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"
#include "world.hpp"

extern "C" [[gnu::weak]] int __lsan_do_recoverable_leak_check();

namespace {

using namespace drom::faults;
namespace test = drom::test;

constexpr size_t kMaxCalls = 64;
/// An operation that calls a function more often than this is not disturbed in all of these calls.
constexpr unsigned kMaxNth = 400;

/// The result of an operation without a failure. It is in memory that the operation's process shares with this one.
struct Undisturbed {
    int status;
    unsigned counts[kMaxCalls];
    Holdings held;  ///< the holdings after cleaning up
    int descriptors;
    char before[4096], after[4096];
};

/// Counts of all cases, and the complaint of the present one.
struct Shared {
    unsigned cases, injected, hidden, refused, interrupted;
    char complaint[8192];
};
Shared* shared = nullptr;

template <class T>
T* shared_memory() {
    void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return static_cast<T*>(memory);
}

bool is_one(const char* text) { return text != nullptr && std::strcmp(text, "1") == 0; }

/// Returns whether DROM_FAULTS_LONG is 1. Each call then also fails for good from its 2nd, 3rd ... time on, and signals
/// come in more rounds.
bool is_long() { return is_one(std::getenv("DROM_FAULTS_LONG")); }

/// Returns whether DROM_FAULTS_SHORT is 1. Then the ways in which a call may fail take turns: the 1st call fails in one
/// way, the 2nd in the next one, and so on. Each hour begins with another way.
bool is_short() { return is_one(std::getenv("DROM_FAULTS_SHORT")); }
const auto kFirstTurn = static_cast<unsigned>(std::time(nullptr) / 3600);

/// Says whether a failure may repeat: a full table stays full, but a signal or another thread comes once.
bool may_last(int code) { return code != EINTR && code != EAGAIN && code != ESRCH; }

enum Outcome { kFine = 0, kNothingInjected = 3, kWrong = 4 };

int complain(const std::string& what) {
    std::snprintf(shared->complaint, sizeof shared->complaint, "%s", what.c_str());
    return kWrong;
}

int open_descriptors() {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

/// Says whether the code tells the library that the process or thread has ended: the library may then act on that.
bool means_that_it_ended(int code) { return code == ESRCH; }

std::string what_is_wrong_with_words(int status, const drom_error& error) {
    if (status >= 0) return "";
    if (error.status != status) return "the error's status is " + std::to_string(error.status);
    if (std::strncmp(error.text, "drom: ", 6) != 0) return std::string("no sentence: '") + error.text + "'";
    return std::strchr(error.text, '\n') != nullptr ? "the sentence has two lines" : "";
}

std::string difference(const char* what, const std::string& found, const std::string& wanted) {
    return std::string(what) + "; it is\n" + found + "and should be\n" + wanted;
}

/// Leaves the files out. A file that could not be removed is not the library's fault, nor is one that it does not know.
std::string without_files(const std::string& seen) { return seen.substr(0, seen.find("files:")); }

bool is_empty_table(const std::string& seen) {
    return seen.rfind(" present=", 0) == 0 && without_files(seen) + "files: ledger\n" == seen;
}

/// Leaves all but the clients out.
std::string only_clients(const std::string& seen) { return seen.substr(0, seen.find(" present=")); }

struct Case {
    const Operation& operation;
    Failure failure;
    const Undisturbed& undisturbed;

    [[nodiscard]] bool is(const char* call) const { return std::strcmp(calls()[failure.call].name, call) == 0; }
    [[nodiscard]] std::string text() const {
        const char* how = failure.code == kShort ? "is short" : strerrorname_np(failure.code);
        return std::string(operation.name) + ": " + calls()[failure.call].name + " number " +
               std::to_string(failure.nth) + (failure.lasting ? " and all later ones: " : ": ") + how;
    }
};

bool is_documented(const Case& c, int status) {
    const int code = c.failure.code;
    // A process counts as living if the right to see its end is missing.
    if (c.is("kill") && status == DROM_E_BUSY) return true;
    if (status >= 0 || means_that_it_ended(code)) return true;
    if (code == ENOSPC) return status == DROM_E_FULL || status == DROM_E_OS;
    if (code == kShort) return status == DROM_E_CORRUPT || status == DROM_E_OS;  // a file that ends too early
    if (code == EACCES || code == EPERM) return status == DROM_E_PERM || status == DROM_E_OS;
    return status == DROM_E_OS;
}

/// Checks the table right after the failure: the operation has done nothing, or all.
std::string look_at_table(const Case& c, int status, const World& world, const std::string& before) {
    if (status < 0 && c.operation.lasting == Operation::kAsked) let_them_leave(world);
    const std::string seen = seen_from_outside(world);
    const bool files_count = !c.is("unlinkat");
    const auto same = [&](const std::string& other) {
        return files_count ? seen == other : without_files(seen) == without_files(other);
    };
    if (means_that_it_ended(c.failure.code)) return "";
    if (status < 0 && c.operation.lasting == Operation::kTable && is_empty_table(seen)) return "";
    if (status < 0 && c.operation.lasting == Operation::kTheDead && only_clients(seen) == only_clients(before))
        return "";
    if (status < 0)
        return same(before) ? "" : difference("the table has changed, and an error was returned", seen, before);
    if (status != c.undisturbed.status) return "";  // posted, and a client has not answered yet
    return same(c.undisturbed.after) ? "" : difference("the table is not as it should be", seen, c.undisturbed.after);
}

/// Checks that the operation works now. A client that could not release tries again by itself after 100 ms.
std::string try_again(const Case& c, int status, World& world) {
    if (status == c.undisturbed.status || means_that_it_ended(c.failure.code)) return "";
    drom_error error{};
    int again = status;
    for (int attempt = 0; attempt < 6000; ++attempt) {
        again = c.operation.act(world, &error);
        if (again < 0 || again == c.undisturbed.status || (status >= 0 && again == DROM_UNCHANGED)) break;
        usleep(10'000);
    }
    if (again < 0) return "it does not work afterwards: " + std::string(error.text);
    const std::string seen = seen_from_outside(world);
    const bool same = without_files(seen) == without_files(c.undisturbed.after);
    return same ? "" : difference("the table is not as it should be after another try", seen, c.undisturbed.after);
}

// The last piece that keeps the heap in its place is needed in three of four positions of the heap. glibc puts it where
// it was in the process before, AddressSanitizer anywhere; but AddressSanitizer has a leak checker.
const int kByPosition = __lsan_do_recoverable_leak_check == nullptr ? 0 : 1;

std::string look_for_leaks(const Case& c) {
    const Holdings held = holdings();
    const Holdings& usual = c.undisturbed.held;
    // A process keeps mappings of the time before last that it was a client, because its other threads may be reading
    // them.
    constexpr int kOfLastTime = 2;
    // A piece of memory that keeps the heap as it would be without drom is never freed. It may be needed only when
    // joining begins a second time.
    const int keepers = c.is("__register_atfork") || c.operation.joins_late ? 1 : 0;
    if (held.memory > usual.memory + keepers + kByPosition)
        return std::to_string(held.memory - usual.memory) + " pieces of memory are lost";
    if (held.mappings > usual.mappings + kOfLastTime)
        return std::to_string(held.mappings - usual.mappings) + " mappings are lost";
    if (open_descriptors() > c.undisturbed.descriptors) return "a descriptor is lost in the end";
    return "";
}

std::string first_of(std::initializer_list<std::string> complaints) {
    for (const std::string& complaint : complaints)
        if (!complaint.empty()) return complaint;
    return "";
}

/// Runs one case, in a process of its own.
int run_case(const Case& c, World& world) {
    c.operation.prepare(world);
    const std::string before = seen_from_outside(world);
    const int descriptors = open_descriptors();
    drom_error error{};
    be_patient(false);
    arm(c.failure);
    const int status = c.operation.act(world, &error);
    const unsigned made = injected();
    disarm();
    be_patient(true);
    if (made == 0) return kNothingInjected;
    ++shared->cases;
    shared->injected += made;
    ++(status < 0 ? shared->refused : shared->hidden);

    if (world.listed < 2 && !means_that_it_ended(c.failure.code)) world.wrong = "a client that lives is not listed";
    constexpr unsigned kSpins = 10'000;
    // An administrator keeps a descriptor of a process for which it has waited, until it closes the table.
    const bool waited = c.operation.lasting == Operation::kAsked;
    const bool lost = status < 0 && !waited && open_descriptors() != descriptors;
    const std::string answer = first_of(
        {world.wrong, made > kSpins ? "it tries " + std::to_string(made) + " times without a pause" : "",
         is_documented(c, status) ? ""
                                  : std::string(drom_status_name(status)) + " is no status for that: " + error.text,
         what_is_wrong_with_words(status, error), lost ? "a descriptor is lost" : "",
         look_at_table(c, status, world, before)});
    const std::string later = answer.empty() ? first_of({try_again(c, status, world), what_is_broken(world)}) : answer;
    c.operation.clean_up(world);
    const std::string wrong = first_of({later, world.wrong, look_for_leaks(c)});
    return wrong.empty() ? kFine : complain(c.text() + ": " + wrong);
}

void put(char (&out)[4096], const std::string& text) { std::snprintf(out, sizeof out, "%s", text.c_str()); }

int run_undisturbed(const Operation& operation, World& world, Undisturbed& result) {
    operation.prepare(world);
    put(result.before, seen_from_outside(world));
    drom_error error{};
    count_only();
    result.status = operation.act(world, &error);
    disarm();
    for (unsigned call = 0; call < calls().size(); ++call) result.counts[call] = counted(call);
    put(result.after, seen_from_outside(world));
    const std::string broken = what_is_broken(world);
    operation.clean_up(world);
    result.held = holdings();
    result.descriptors = open_descriptors();
    if (result.status < 0) return complain(std::string(operation.name) + ", undisturbed: " + error.text);
    const std::string wrong = first_of({world.wrong, broken});
    return wrong.empty() ? kFine : complain(std::string(operation.name) + ", undisturbed: " + wrong);
}

/// Sends a thousand signals per second. Most operations take less than the period, so the first signal comes after
/// `first` microseconds.
class Interrupting {
public:
    explicit Interrupting(suseconds_t first) {
        struct sigaction action{};
        action.sa_handler = [](int) { ++shared->interrupted; };  // no SA_RESTART
        sigaction(SIGALRM, &action, nullptr);
        set(first, 1000);
    }
    ~Interrupting() { set(0, 0); }
    Interrupting(const Interrupting&) = delete;
    Interrupting& operator=(const Interrupting&) = delete;

private:
    static void set(suseconds_t first, suseconds_t period) {
        const itimerval every{{0, period}, {0, first}};
        setitimer(ITIMER_REAL, &every, nullptr);
    }
};

int run_interrupted(const Operation& operation, World& world, const Undisturbed& undisturbed, int round) {
    operation.prepare(world);
    drom_error error{};
    int status = 0;
    {
        const Interrupting interrupting(20 + 40 * round);
        status = operation.act(world, &error);
    }
    const std::string seen = seen_from_outside(world);
    const std::string broken = what_is_broken(world);
    operation.clean_up(world);
    const std::string name = std::string(operation.name) + ", interrupted: ";
    if (status != undisturbed.status) return complain(name + drom_status_name(status) + " " + error.text);
    if (seen != undisturbed.after) return complain(name + difference("the table", seen, undisturbed.after));
    const std::string wrong = first_of({world.wrong, broken});
    return wrong.empty() ? kFine : complain(name + wrong);
}

class Suite {
public:
    Suite(std::string operation, std::string call) : only_(std::move(operation)), only_call_(std::move(call)) {}

    int run() {
        for (const Operation& operation : operations())
            if (only_.empty() || only_ == operation.name) all_of(operation);
        check_that_all_were_called();
        std::printf(
            "faults: %u operations x %u functions: %u failures in %u cases (%u refused, %u without effect), %u runs at "
            "1 kHz "
            "with %u interruptions, %u wrong\n",
            operations_, reached_, shared->injected, shared->cases, shared->refused, shared->hidden, runs_,
            shared->interrupted, wrong_);
        return wrong_ == 0 && shared->injected > 0 ? 0 : 1;
    }

private:
    template <class Body>
    int in_a_process(const Body& body) {
        test::Watchdog::next_step();
        const test::TempDir directory;
        shared->complaint[0] = '\0';
        test::Child child = test::Child::run([&] {
            World world{people_, directory.table()};
            const int outcome = body(world);
            const bool leaks = __lsan_do_recoverable_leak_check != nullptr && __lsan_do_recoverable_leak_check() != 0;
            return leaks ? complain("LeakSanitizer has found something") : outcome;
        });
        return child.wait();
    }

    /// Prints what went wrong. True when nothing did, or when there was no call to fail.
    bool judge(int outcome, const std::string& what) {
        if (outcome == kFine || outcome == kNothingInjected) return true;
        const bool said = outcome == kWrong;
        std::printf("faults: WRONG: %s\n",
                    said ? shared->complaint : (what + ": ends with " + std::to_string(outcome)).c_str());
        ++wrong_;
        return false;
    }

    void all_of(const Operation& operation) {
        auto* undisturbed = shared_memory<Undisturbed>();
        const int outcome = in_a_process([&](World& w) { return run_undisturbed(operation, w, *undisturbed); });
        if (judge(outcome, std::string(operation.name) + ", undisturbed")) {
            ++operations_;
            hold_at_most(operation, *undisturbed);
            for (unsigned call = 0; call < calls().size(); ++call)
                if (only_call_.empty() || only_call_ == calls()[call].name) all_of_call(operation, call, *undisturbed);
            interrupt(operation, *undisturbed);
        }
        munmap(undisturbed, sizeof *undisturbed);
    }

    /// Takes the largest holdings of several runs. They depend on how far the agent's thread has come, and even the
    /// largest of them are no loss.
    void hold_at_most(const Operation& operation, Undisturbed& undisturbed) {
        auto* again = shared_memory<Undisturbed>();
        for (int run = 0; run < 5; ++run) {
            if (in_a_process([&](World& w) { return run_undisturbed(operation, w, *again); }) != kFine) continue;
            undisturbed.held.memory = std::max(undisturbed.held.memory, again->held.memory);
            undisturbed.held.mappings = std::max(undisturbed.held.mappings, again->held.mappings);
            undisturbed.descriptors = std::max(undisturbed.descriptors, again->descriptors);
        }
        munmap(again, sizeof *again);
    }

    void all_of_call(const Operation& operation, unsigned call, const Undisturbed& undisturbed) {
        if (undisturbed.counts[call] == 0) return;
        called_[call] = true;
        if (is_short()) {
            by_turns(operation, call, undisturbed);
            return;
        }
        for (const int code : calls()[call].codes) {
            for (unsigned nth = 1; nth < kMaxNth && one(operation, {call, code, nth, false}, undisturbed); ++nth) {}
            const unsigned tries = is_long() ? undisturbed.counts[call] : 1;
            for (unsigned nth = 1; nth <= tries && may_last(code); ++nth)
                one(operation, {call, code, nth, true}, undisturbed);
        }
    }

    void by_turns(const Operation& operation, unsigned call, const Undisturbed& undisturbed) {
        const std::vector<int>& codes = calls()[call].codes;
        auto code = [&](unsigned nth) { return codes[(kFirstTurn + nth - 1) % codes.size()]; };
        for (unsigned nth = 1; nth < kMaxNth && one(operation, {call, code(nth), nth, false}, undisturbed); ++nth) {}
        const auto lasting = std::find_if(codes.begin(), codes.end(), may_last);
        if (lasting != codes.end()) one(operation, {call, *lasting, 1, true}, undisturbed);
    }

    /// Runs one case. False when there is no such call any more.
    bool one(const Operation& operation, const Failure& failure, const Undisturbed& undisturbed) {
        const Case c{operation, failure, undisturbed};
        const int outcome = in_a_process([&](World& world) { return run_case(c, world); });
        judge(outcome, c.text());
        return outcome != kNothingInjected;
    }

    void interrupt(const Operation& operation, const Undisturbed& undisturbed) {
        const int rounds = is_long() ? 200 : 10;
        for (int round = 0; round < rounds; ++round, ++runs_)
            judge(in_a_process([&](World& w) { return run_interrupted(operation, w, undisturbed, round % 25); }),
                  operation.name);
    }

    /// Names the functions that no operation calls, which are not tested here. Calls to a program's OpenMP runtime are
    /// tested in preloaded programs.
    void check_that_all_were_called() {
        for (unsigned call = 0; call < calls().size(); ++call) {
            reached_ += called_[call] ? 1U : 0U;
            if (!called_[call] && only_.empty()) std::printf("faults: not called here: %s\n", calls()[call].name);
        }
    }

    std::string only_, only_call_;
    People people_;
    std::array<bool, kMaxCalls> called_{};
    unsigned operations_ = 0, reached_ = 0, runs_ = 0, wrong_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const test::Watchdog watchdog(300);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    shared = shared_memory<Shared>();
    const std::vector<std::string> unknown = install();
    for (const std::string& sentence : unknown) std::printf("faults: WRONG: %s\n", sentence.c_str());
    Suite suite(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    return suite.run() == 0 && unknown.empty() ? 0 : 1;
}
