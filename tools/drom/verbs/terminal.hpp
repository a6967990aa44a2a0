// SPDX-License-Identifier: BSD-3-Clause
// terminal.hpp - a terminal as a whole screen, by ncurses.
#pragma once

#include <chrono>
#include <vector>

#include "drom/drom.hpp"
#include "output/top_screen.hpp"

namespace drom::command {

enum class Key { kNone, kOther, kUp, kDown, kResized, kInterrupt };

/// One terminal per process. The library is opened when it is wanted: a command that prints lines does not wait for it.
class Terminal {
public:
    struct Curses;  ///< the functions of the library

    /// Takes the screen. key() reports SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless they are ignored. Errors: E_OS where
    /// the library is missing, or the cursor cannot be moved.
    static Expected<Terminal> open();

    /// Gives the screen back as it was.
    ~Terminal();
    Terminal(Terminal&& other) noexcept;
    Terminal& operator=(Terminal&&) = delete;

    [[nodiscard]] size_t width() const;
    [[nodiscard]] size_t height() const;

    void show(const std::vector<ScreenLine>& lines) const;

    /// Waits for a key, that long at most. `letter`: of kOther.
    [[nodiscard]] Key key(std::chrono::milliseconds wait, char& letter) const;

private:
    Terminal(const Curses* curses, void* screen, bool shows_all)
        : curses_(curses), screen_(screen), shows_all_(shows_all) {}

    const Curses* curses_;
    void* screen_;    ///< of the library; nullptr: moved from
    bool shows_all_;  ///< the locale has UTF-8
};

}  // namespace drom::command
