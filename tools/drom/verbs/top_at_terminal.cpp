// SPDX-License-Identifier: BSD-3-Clause
// top_at_terminal.cpp - drom top on a terminal: a whole screen, and keys.
#include "verbs/top_at_terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "output/format.hpp"
#include "output/messages.hpp"
#include "table/same_table.hpp"
#include "table/snapshot.hpp"
#include "text/visible.hpp"
#include "verbs/sampled_clients.hpp"
#include "verbs/top_rows.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kFirst = milliseconds(500);  // so long, and no longer, a person looks at a screen without numbers
constexpr auto kKey = milliseconds(100);

uint64_t now_ns() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

/// Returns the text without "drom: VERB: ", which says nothing on this screen.
std::string without_origin(const std::string& text) {
    constexpr std::string_view kOrigin = "drom: ";
    return visible(text.starts_with(kOrigin) ? text.substr(kOrigin.size()) : text);
}

class Screen {
public:
    Screen(const CommandOptions& options, const Table& table, Terminal terminal)
        : options_(options), table_(table), same_(table.path()), terminal_(std::move(terminal)), clients_(table) {}

    Expected<void> run() {
        if (const auto begun = sample(); !begun) return begun;
        next_ = Clock::now() + kFirst;
        for (bool goes_on = true; goes_on;) {
            terminal_.show(top_screen(frame_, node_, view_, terminal_.width(), terminal_.height()));
            char letter = '\0';
            const Key key = terminal_.key(kKey, letter);
            goes_on = key != Key::kInterrupt && act(key, letter);
            if (Clock::now() < next_) continue;
            if (const auto sampled = sample(); !sampled) return sampled;
            next_ = Clock::now() + options_.stats.window;
        }
        return {};
    }

private:
    /// Looks at the table. Errors: it is gone.
    Expected<void> sample() {
        if (const auto there = same_.check(); !there) return there;
        const auto snapshot = take_snapshot(table_);
        if (!snapshot) return tl::make_unexpected(snapshot.error());
        const uint64_t time_ns = now_ns();
        const std::vector<ClientSample> samples = clients_.look(time_ns);
        std::vector<drom_client_info> infos;
        for (const ClientView& view : snapshot->clients) infos.push_back(view.info);
        clients_.follow(infos, time_ns);
        frame_ = {snapshot->node, samples.empty() ? 0 : samples.front().seconds(), {}};
        for (const ClientView& view : snapshot->clients) frame_.rows.push_back(row_of(view, samples, time_ns));
        node_ = {snapshot->masks.present, snapshot->masks.drained, snapshot->locations};
        drop_ended_selection();
        return {};
    }

    /// Leaves no client selected when the selected one has ended: the next key must not act on another one.
    void drop_ended_selection() {
        if (!view_.selected || selected() != nullptr) return;
        view_.selected.reset();
        view_.message = fmt::format("process {} has ended; j or k selects another client", selected_pid_);
    }

    [[nodiscard]] const TopRow* selected() const {
        const auto found = std::ranges::find_if(
            frame_.rows, [&](const TopRow& row) { return row.slot == view_.selected && row.pid == selected_pid_; });
        return found == frame_.rows.end() ? nullptr : &*found;
    }

    /// Returns the selected client. Says what to do where none is.
    const TopRow* need_selected() {
        const TopRow* row = selected();
        if (row == nullptr) view_.message = "j or k selects a client first";
        return row;
    }

    /// Does what a key says. Returns false when it ends the screen.
    bool act(Key key, char letter) {
        if (key == Key::kUp || letter == 'k') select(-1);
        if (key == Key::kDown || letter == 'j') select(1);
        if (letter == 's') view_.order = next_order(view_.order);
        if (letter == '+') resize(1);
        if (letter == '-') resize(-1);
        if (letter == 'e') return explain();
        if (letter == '?') return show_until_key([&] { return help_screen(terminal_.width(), terminal_.height()); });
        return letter != 'q';
    }

    void select(int by) {
        view_.message.clear();
        const std::vector<TopRow> rows = ordered(frame_.rows, view_.order);
        if (rows.empty()) return;
        const auto at = std::ranges::find_if(rows, [&](const TopRow& row) { return row.slot == view_.selected; });
        const auto next = at == rows.end()
                              ? std::ptrdiff_t{0}
                              : std::clamp<std::ptrdiff_t>(at - rows.begin() + by, 0, std::ssize(rows) - 1);
        view_.selected = rows[static_cast<size_t>(next)].slot;
        selected_pid_ = rows[static_cast<size_t>(next)].pid;
    }

    /// Asks for a CPU more or less for the selected client. Waits a second at most, and moves threads from outside
    /// where the client does not, as the verbs do.
    void resize(int by) {
        const TopRow* row = need_selected();
        if (row == nullptr) return;
        const auto told = resize(*row, by);
        view_.message = told ? *told : without_origin(told.error().text);
        next_ = Clock::now();
    }

    [[nodiscard]] Expected<std::string> resize(const TopRow& row, int by) const {
        // Opened anew each time: more people may look than may change.
        auto table = Table::open(table_.path());
        if (!table) return tl::make_unexpected(table.error());
        const auto client = view_of(*table, row.pid);
        if (!client) return failure(DROM_E_NOPROC, fmt::format("process {} has ended", row.pid));
        const unsigned cpus = client->wanted.count();
        const unsigned wanted = by > 0 ? cpus + 1 : cpus - 1;
        const auto posted = by > 0 ? table->expand(row.pid, wanted, {}) : table->shrink(row.pid, wanted, {});
        if (!posted) return tl::make_unexpected(posted.error());
        if (posted->pending()) return without_origin(posted->text);
        return fmt::format("{}: {} -> {}", visible(row.name), cpus, counted(wanted, "CPU"));
    }

    /// Shows what drom explain says of the selected client, until the next key. Returns false when a signal ends it.
    bool explain() {
        const TopRow* row = need_selected();
        if (row == nullptr) return true;
        const auto text = explain_text(table_, row->pid, options_.sample);
        view_.message = text ? "" : without_origin(text.error().text);
        if (!text) return true;
        return show_until_key([&] { return text_screen(*text, terminal_.width(), terminal_.height()); });
    }

    /// Shows another screen until the next key. Returns false when a signal ends it.
    bool show_until_key(const std::function<std::vector<ScreenLine>()>& screen) {
        char letter = '\0';
        Key key = Key::kNone;
        while (key == Key::kNone || key == Key::kResized) {
            terminal_.show(screen());
            key = terminal_.key(kKey, letter);
        }
        return key != Key::kInterrupt;
    }

    const CommandOptions& options_;
    const Table& table_;
    SameTable same_;
    Terminal terminal_;
    SampledClients clients_;
    TopFrame frame_;
    TopNode node_;
    TopView view_;
    pid_t selected_pid_ = 0;
    Clock::time_point next_;
};

}  // namespace

int top_at_terminal(const CommandOptions& options, const Table& table, Terminal terminal) {
    Expected<void> shown;
    {
        Screen screen(options, table, std::move(terminal));
        shown = screen.run();
    }
    return shown ? kDone : refused(options, sentence(options, shown.error().status, shown.error().text));
}

}  // namespace drom::command
