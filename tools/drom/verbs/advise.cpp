// SPDX-License-Identifier: BSD-3-Clause
// advise.cpp - drom advise: which program should have more CPUs, and which fewer; with --apply it moves them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <thread>

#include "journal/advice_journal.hpp"
#include "output/advice_report.hpp"
#include "output/journal_file.hpp"
#include "output/messages.hpp"
#include "policy/node/advisers.hpp"
#include "sampling/window.hpp"
#include "table/same_table.hpp"
#include "table/snapshot.hpp"
#include "text/wrapped.hpp"
#include "verbs/advice.hpp"
#include "verbs/verb_functions.hpp"
#include "verbs/whole_texts.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;

/// Keeps two advisers from moving the same CPUs back and forth. The kernel frees it when this process ends, in whatever
/// way.
class Turn {
public:
    explicit Turn(const std::string& table) : fd_(open(table.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        held_ = fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0;
    }
    ~Turn() {
        if (fd_ >= 0) close(fd_);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] bool held() const { return held_; }

private:
    int fd_;
    bool held_ = false;
};

policy::Seconds now_s() {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
}

/// The journal of one command.
class Journal {
public:
    /// Begins with no round. `policy` has all its options.
    Journal(JournalFile file, std::string policy) : file_(std::move(file)), policy_(std::move(policy)) {}

    /// Appends a round, the first one behind a heading. It is there as a whole or not at all, whenever this process
    /// ends. Errors: those of JournalFile::append().
    Expected<void> add(const std::string& node, const policy::NodeView& view,
                       const std::vector<policy::Advice>& advices, bool apply) {
        journal::RoundHead head;
        head.round = ++rounds_;
        head.unix_s = std::time(nullptr);
        head.apply = apply;
        const std::string heading = rounds_ == 1 ? journal::text_of(journal::Heading{node, policy_}) : "";
        const auto whole_round = without_such_an_end();
        return file_.append(heading + journal::text_of(head, view, advices));
    }

private:
    JournalFile file_;
    std::string policy_;
    long rounds_ = 0;
};

/// The rounds of one command.
class Advising {
public:
    Advising(const CommandOptions& options, Table& table, policy::Adviser& adviser, std::optional<Journal> journal)
        : options_(options), table_(table), same_(table.path()), adviser_(adviser), journal_(std::move(journal)) {}

    /// Looks, decides, notes, prints, and applies. Returns the exit status.
    int round() {
        goes_on_ = false;
        const auto clients = table_.clients();
        if (!clients) return refused(options_, clients.error());
        const std::vector<WindowSeen> looks = look(*clients);
        if (const auto same = same_.check(); !same)
            return refused(options_, sentence(options_, same.error().status, same.error().text));
        const auto snapshot = take_snapshot(table_);
        if (!snapshot) return refused(options_, snapshot.error());
        const AdvisedNode node = advised_node(*snapshot, looks, options_.job);
        if (!options_.job.empty() && node.programs.empty())
            return refused(options_, sentence(options_, DROM_E_NOPROC,
                                              fmt::format("no client belongs to job '{}'; drom list -o pid,job shows "
                                                          "the jobs there are",
                                                          options_.job)));
        const policy::NodeView view = node.view(now_s());
        const auto advices = adviser_.advise(view);
        if (const auto noted = note(snapshot->node, view, advices); !noted)
            return refused(options_, sentence(options_, noted.error().status, noted.error().text));
        const auto changes = changes_of(node, advices);
        const std::string text = text_of(report_of(node, advices, looks, *snapshot));
        if (!print_whole(text)) return kRefused;
        goes_on_ = true;
        return options_.advise.apply && !changes.empty() ? apply(assignments_of(changes, *snapshot)) : kDone;
    }

    /// Returns whether another round has a meaning: a request that was refused or is late is seen by the next one.
    [[nodiscard]] bool goes_on() const { return goes_on_; }

private:
    /// Parts of a round show whether a program works more or less by now, and how sure a mean is.
    static constexpr int kLooks = 4;

    [[nodiscard]] std::vector<WindowSeen> look(const std::vector<drom_client_info>& clients) const {
        const auto window = std::chrono::duration_cast<std::chrono::milliseconds>(options_.stats.window) / kLooks;
        std::vector<WindowSeen> looks;
        for (int i = 0; i < kLooks; ++i) looks.push_back(watch_clients(table_, clients, window));
        return looks;
    }

    Expected<void> note(const std::string& node, const policy::NodeView& view,
                        const std::vector<policy::Advice>& advices) {
        return journal_ ? journal_->add(node, view, advices, options_.advise.apply) : Expected<void>();
    }

    [[nodiscard]] AdviceReport report_of(const AdvisedNode& node, const std::vector<policy::Advice>& advices,
                                         const std::vector<WindowSeen>& looks, const Snapshot& snapshot) const {
        AdviceReport report{
            snapshot.node, options_.advise.policy, static_cast<unsigned>(node.free), 0, options_.advise.apply, {}};
        for (const WindowSeen& look : looks) report.window_s += look.elapsed_s;
        for (size_t i = 0; i < node.programs.size(); ++i) {
            const AdvisedProgram& program = node.programs[i];
            AdviceLine line{program.clients.front().info.job, program.seen.name, advices[i].why, {}};
            for (size_t k = 0; k < program.clients.size(); ++k) {
                const drom_client_info& info = program.clients[k].info;
                const policy::NodeClient& seen = program.seen.clients[k];
                line.clients.push_back({info.pid, info.name, info.ranks != 0 ? std::optional(info.rank) : std::nullopt,
                                        static_cast<unsigned>(seen.cpus), static_cast<unsigned>(advices[i].cpus[k]),
                                        static_cast<unsigned>(seen.min), static_cast<unsigned>(seen.max), seen.useful});
            }
            report.programs.push_back(std::move(line));
        }
        return report;
    }

    [[nodiscard]] std::string text_of(const AdviceReport& report) const {
        return options_.json ? advice_json(report) : advice_text(report, page_width());
    }

    /// Posts all changes as one request. One that another command has overtaken is left out: the next round looks anew.
    int apply(const std::vector<Assignment>& assignments) {
        const auto outcome = table_.set_masks(assignments, options_.request);
        if (!outcome)
            return refused(options_, sentence(options_, outcome.error().status,
                                              "nothing was changed: " + in_own_words(outcome.error().text)));
        if (!outcome->pending()) return kDone;
        complain(sentence(options_, outcome->status, in_own_words(outcome->text)).text);
        return kPosted;
    }

    /// Returns the sentence without its begin: the library calls every mask that it is asked for "set".
    static std::string in_own_words(const std::string& text) {
        constexpr std::string_view kTheirs = "drom: set: ";
        return text.starts_with(kTheirs) ? text.substr(kTheirs.size()) : text;
    }

    const CommandOptions& options_;
    Table& table_;
    const SameTable same_;
    policy::Adviser& adviser_;
    std::optional<Journal> journal_;
    bool goes_on_ = false;
};

/// Opens the journal that is asked for.
Expected<std::optional<Journal>> journal_of(const CommandOptions& options) {
    if (options.advise.journal.empty()) return std::nullopt;
    // A file beyond the limit (ulimit -f) is an error, and no end of this process.
    std::signal(SIGXFSZ, SIG_IGN);
    auto file = JournalFile::open(options.advise.journal);
    if (!file) return tl::unexpected(file.error());
    return Journal(std::move(*file), policy::whole_name_of(options.advise.policy).value_or(options.advise.policy));
}

int advise(const CommandOptions& options, Table& table, policy::Adviser& adviser) {
    auto journal = journal_of(options);
    if (!journal) return refused(options, sentence(options, journal.error().status, journal.error().text));
    Advising advising(options, table, adviser, std::move(*journal));
    if (!options.advise.interval) return advising.round();
    for (;;) {
        const auto begin = Clock::now();
        if (const int status = advising.round(); !advising.goes_on()) return status;
        std::this_thread::sleep_until(begin + *options.advise.interval);
    }
}

}  // namespace

int verb_advise(const CommandOptions& options) {
    const auto adviser = policy::adviser_of(options.advise.policy);
    if (!adviser) return misused(options, "--policy " + options.advise.policy + ": " + adviser.error());
    if (options.advise.interval) end_cleanly_at_signals();
    auto table = Table::open(options.table, {.read_only = !options.advise.apply});
    if (!table) return refused(options, table.error());
    if (!options.advise.apply) return advise(options, *table, **adviser);
    const Turn turn(table->path());
    if (!turn.held())
        return refused(options, sentence(options, DROM_E_BUSY,
                                         fmt::format("another drom advise --apply moves the CPUs of {}; end it first",
                                                     table->path())));
    return advise(options, *table, **adviser);
}

}  // namespace drom::command
