// SPDX-License-Identifier: BSD-3-Clause
// terminal.cpp - a terminal as a whole screen, by ncurses.
#include "verbs/terminal.hpp"

// Without the macros of the same names as functions that are found at run time.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 0
#include <curses.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace drom::command {

/// The few functions that are used here.
struct Terminal::Curses {
    decltype(&::newterm) newterm;
    decltype(&::endwin) endwin;
    decltype(&::delscreen) delscreen;
    decltype(&::cbreak) cbreak;
    decltype(&::noecho) noecho;
    decltype(&::curs_set) curs_set;
    decltype(&::keypad) keypad;
    decltype(&::wtimeout) wtimeout;
    decltype(&::wgetch) wgetch;
    decltype(&::wmove) wmove;
    decltype(&::waddnstr) waddnstr;
    decltype(&::wattrset) wattrset;
    decltype(&::werase) werase;
    decltype(&::wrefresh) wrefresh;
    decltype(&::getmaxx) getmaxx;
    decltype(&::getmaxy) getmaxy;
    decltype(&::has_colors) has_colors;
    decltype(&::start_color) start_color;
    decltype(&::use_default_colors) use_default_colors;
    decltype(&::init_pair) init_pair;
    char* (*tigetstr)(const char*);  // its header is full of macros
    WINDOW** window;
    bool colours = false;
};

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

bool find_all(void* library, Terminal::Curses& all) {
    return find(library, "newterm", all.newterm) && find(library, "endwin", all.endwin) &&
           find(library, "delscreen", all.delscreen) && find(library, "cbreak", all.cbreak) &&
           find(library, "noecho", all.noecho) && find(library, "curs_set", all.curs_set) &&
           find(library, "keypad", all.keypad) && find(library, "wtimeout", all.wtimeout) &&
           find(library, "wgetch", all.wgetch) && find(library, "wmove", all.wmove) &&
           find(library, "waddnstr", all.waddnstr) && find(library, "wattrset", all.wattrset) &&
           find(library, "werase", all.werase) && find(library, "wrefresh", all.wrefresh) &&
           find(library, "getmaxx", all.getmaxx) && find(library, "getmaxy", all.getmaxy) &&
           find(library, "has_colors", all.has_colors) && find(library, "start_color", all.start_color) &&
           find(library, "use_default_colors", all.use_default_colors) && find(library, "init_pair", all.init_pair) &&
           find(library, "tigetstr", all.tigetstr) && find(library, "stdscr", all.window);
}

Expected<Terminal::Curses> open_curses() {
    // Never closed: it is wanted once per process.
    void* library = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return failure(DROM_E_OS, fmt::format("{}; install libncursesw6", dlerror()));
    Terminal::Curses curses{};
    if (!find_all(library, curses)) return failure(DROM_E_OS, "libncursesw is of another version");
    return curses;
}

bool can_move_cursor(const Terminal::Curses& curses) {
    std::string name = "cup";
    const char* how = curses.tigetstr(name.data());
    return how != nullptr && how != reinterpret_cast<const char*>(-1) && *how != '\0';
}

volatile std::sig_atomic_t ended = 0;

/// Ends the screen at its next key. A process in the background would be stopped as it gives the screen back, which it
/// does not have: it ends at once.
void end_screen(int) {
    if (tcgetpgrp(STDIN_FILENO) != getpgrp()) _exit(0);
    ended = 1;
}

/// Sets handlers before the library does so, whose own would end this process with a status of theirs. A signal that is
/// ignored, as under nohup, stays so.
void handle_ends() {
    struct sigaction action{};
    action.sa_handler = end_screen;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        struct sigaction before{};
        if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(number, &action, nullptr);
    }
}

/// Gives each owner a colour that can be told from the others on a dark and on a bright terminal. None where the person
/// wants none (no-color.org).
void start_colours(Terminal::Curses& curses) {
    const char* none = std::getenv("NO_COLOR");
    if ((none != nullptr && *none != '\0') || !curses.has_colors()) return;
    if (curses.start_color() == ERR || curses.use_default_colors() == ERR) return;
    constexpr short kColours[kOwnerColours] = {COLOR_GREEN,  COLOR_BLUE, COLOR_MAGENTA,
                                               COLOR_YELLOW, COLOR_CYAN, COLOR_RED};
    for (unsigned i = 0; i < kOwnerColours; ++i) curses.init_pair(static_cast<short>(i + 1), kColours[i], -1);
    curses.colours = true;
}

/// Returns the text with a '?' for each character that a locale without UTF-8 cannot show.
std::string ascii(const std::string& text) {
    std::string shown;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            shown += c;
        else if (byte >= 0xc0)
            shown += '?';
    }
    return shown;
}

int attributes_of(const Span& span, bool colours) {
    chtype attributes = A_NORMAL;
    if (span.strong) attributes |= A_BOLD;
    if (span.inverse) attributes |= A_REVERSE;
    if (colours && span.colour != 0) attributes |= static_cast<chtype>(span.colour) << NCURSES_ATTR_SHIFT;
    return static_cast<int>(attributes);
}

}  // namespace

Expected<Terminal> Terminal::open() {
    static Curses curses;
    auto opened = open_curses();
    if (!opened) return tl::make_unexpected(opened.error());
    curses = *opened;
    std::setlocale(LC_CTYPE, "");
    handle_ends();
    SCREEN* screen = curses.newterm(nullptr, stdout, stdin);
    if (screen == nullptr || !can_move_cursor(curses)) {
        if (screen != nullptr) curses.endwin();
        const char* kind = std::getenv("TERM");
        return failure(DROM_E_OS, fmt::format("the cursor of a terminal with TERM={} cannot be moved",
                                              kind == nullptr ? "" : kind));
    }
    start_colours(curses);
    curses.cbreak();
    curses.noecho();
    curses.curs_set(0);
    curses.keypad(*curses.window, TRUE);
    return Terminal(&curses, screen, MB_CUR_MAX > 1);
}

Terminal::~Terminal() {
    if (screen_ == nullptr) return;
    curses_->endwin();
    curses_->delscreen(static_cast<SCREEN*>(screen_));
}

Terminal::Terminal(Terminal&& other) noexcept
    : curses_(other.curses_), screen_(std::exchange(other.screen_, nullptr)), shows_all_(other.shows_all_) {}

size_t Terminal::width() const { return static_cast<size_t>(curses_->getmaxx(*curses_->window)); }
size_t Terminal::height() const { return static_cast<size_t>(curses_->getmaxy(*curses_->window)); }

void Terminal::show(const std::vector<ScreenLine>& lines) const {
    WINDOW* window = *curses_->window;
    curses_->werase(window);
    for (size_t i = 0; i < lines.size(); ++i) {
        curses_->wmove(window, static_cast<int>(i), 0);
        for (const Span& span : lines[i]) {
            curses_->wattrset(window, attributes_of(span, curses_->colours));
            const std::string text = shows_all_ ? span.text : ascii(span.text);
            curses_->waddnstr(window, text.c_str(), -1);
        }
    }
    curses_->wrefresh(window);
}

Key Terminal::key(std::chrono::milliseconds wait, char& letter) const {
    curses_->wtimeout(*curses_->window, static_cast<int>(wait.count()));
    const int code = ended != 0 ? ERR : curses_->wgetch(*curses_->window);
    if (ended != 0) return Key::kInterrupt;
    switch (code) {
        case ERR: return Key::kNone;
        case KEY_UP: return Key::kUp;
        case KEY_DOWN: return Key::kDown;
        case KEY_RESIZE: return Key::kResized;
        default: break;
    }
    letter = code > 0 && code < 128 ? static_cast<char>(code) : '\0';
    return Key::kOther;
}

}  // namespace drom::command
