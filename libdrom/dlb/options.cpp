// SPDX-License-Identifier: BSD-3-Clause
// options.cpp - DLB_ARGS and the argument of DLB_Init, as far as they concern DROM.
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "private.h"
#include "say.hpp"

namespace drom::dlb {

namespace {

constexpr const char* kBlanks = " \t\n";
/// Stands between the name of the user's table and a key.
constexpr const char* kKeyMark = ".dlb-";

/// A word "--no-name" or "--name=value", taken apart.
struct Word {
    char name[40];
    const char* value;  ///< not terminated; nullptr: none
    size_t length;      ///< of the value
    bool negated;

    [[nodiscard]] bool is(const char* other) const noexcept { return strcmp(name, other) == 0; }
    [[nodiscard]] bool begins(const char* other) const noexcept { return strncmp(name, other, strlen(other)) == 0; }
    [[nodiscard]] bool says(const char* other) const noexcept {
        return value != nullptr && strlen(other) == length && strncasecmp(value, other, length) == 0;
    }
    [[nodiscard]] bool on() const noexcept {
        const bool no = says("0") || says("no") || says("n") || says("false") || says("f");
        return negated ? no : !no;
    }
};

bool take_apart(const char* text, size_t length, Word& word) noexcept {
    if (length < 3 || strncmp(text, "--", 2) != 0) return false;
    text += 2;
    length -= 2;
    word.negated = length > 3 && strncmp(text, "no-", 3) == 0;
    if (word.negated) text += 3, length -= 3;
    const auto* equals = static_cast<const char*>(memchr(text, '=', length));
    const size_t name = equals != nullptr ? static_cast<size_t>(equals - text) : length;
    if (name == 0 || name >= sizeof word.name) return false;
    memcpy(word.name, text, name);
    word.name[name] = '\0';
    word.value = equals != nullptr ? equals + 1 : nullptr;
    word.length = equals != nullptr ? length - name - 1 : 0;
    return true;
}

bool is_plain(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

/// Makes a name of a key. Two keys never have the same name: other characters are written as %XX, and nothing is cut
/// off.
void set_key(const Word& word, Options& options) noexcept {
    constexpr size_t kLongest = 64;
    size_t used = 0;
    options.key_refused = word.length > kLongest;
    for (size_t i = 0; i < word.length && !options.key_refused; ++i) {
        const char c = word.value[i];
        if (is_plain(c))
            options.key[used++] = c;
        else
            used += static_cast<size_t>(snprintf(options.key + used, 4, "%%%02X", static_cast<unsigned char>(c)));
    }
    options.key[used] = '\0';
}

bool names_return_stolen(const Word& word) noexcept {
    constexpr const char* kText = "return-stolen";
    return word.value != nullptr && memmem(word.value, word.length, kText, strlen(kText)) != nullptr;
}

/// Applies an option that this library has.
bool apply(const Word& word, Options& options) noexcept {
    if (word.is("drom"))
        options.drom = word.on();
    else if (word.is("talp"))
        options.talp = word.on();
    else if (word.is("mode"))
        options.async = word.says("async");
    else if (word.is("silent"))
        options.silent = word.on();
    else if (word.is("shm-key"))
        set_key(word, options);
    else if (word.is("debug-opts"))
        options.return_stolen = names_return_stolen(word);
    else if (word.is("preinit-pid"))
        options.preinit_pid = word.value != nullptr ? atoi(word.value) : 0;
    else
        return false;
    return true;
}

/// Returns whether an option has no meaning here, and does no harm.
bool is_harmless(const Word& word) noexcept {
    constexpr const char* kNames[] = {
        "quiet", "ompt", "barrier", "barrier-id", "shm-size-multiplier", "ompt-thread-manager"};
    for (const char* name : kNames)
        if (word.is(name)) return true;
    return word.begins("verbose") || word.begins("instrument") || word.begins("lewi-") || word.begins("talp-");
}

bool is_absent_module(const Word& word) noexcept { return word.is("lewi") || word.is("mngo"); }

void read_word(const char* text, size_t length, bool speak, Options& options) noexcept {
    Word word{};
    const bool readable = take_apart(text, length, word);
    if (readable && (apply(word, options) || is_harmless(word))) return;
    if (!speak || options.silent) return;
    const int shown = static_cast<int>(length < 64 ? length : 64);
    if (readable && is_absent_module(word)) {
        if (word.on())
            say("drom: dlb: option %.*s: this library has DROM and regions only; the program runs without that module",
                shown, text);
        return;
    }
    say("drom: dlb: option %.*s is unknown and ignored; docs/user/dlb.md lists those that are known", shown, text);
}

void read_text(const char* text, bool speak, Options& options) noexcept {
    if (text == nullptr) return;
    for (text += strspn(text, kBlanks); *text != '\0'; text += strspn(text, kBlanks)) {
        const size_t length = strcspn(text, kBlanks);
        read_word(text, length, speak, options);
        text += length;
    }
}

}  // namespace

Options read_options(const char* args, bool speak) noexcept {
    Options options;
    read_text(args, speak, options);
    read_text(secure_getenv("DLB_ARGS"), speak, options);
    return options;
}

Options read_options_of_agent() noexcept {
    Options options;
    options.drom = true;
    read_text(secure_getenv("DLB_ARGS"), true, options);
    return options;
}

bool table_of(const Options& options, char* room, size_t size, const char*& where) noexcept {
    where = nullptr;
    if (options.key_refused) return false;
    if (options.key[0] == '\0') return true;
    char base[256];
    if (drom_dlb_table(base, sizeof base) != DROM_OK) return false;
    // DLB_DROM_PreInit may have set a table with a key in this process already.
    const char* slash = strrchr(base, '/');
    const char* mark = strstr(slash != nullptr ? slash : base, kKeyMark);
    const int stem = static_cast<int>(mark != nullptr ? static_cast<size_t>(mark - base) : strlen(base));
    const int length = snprintf(room, size, "%.*s%s%s", stem, base, kKeyMark, options.key);
    where = room;
    return length > 0 && static_cast<size_t>(length) < size;
}

void remove_words(char* text, const char* prefix) noexcept {
    char* out = text;
    for (const char* at = text + strspn(text, kBlanks); *at != '\0'; at += strspn(at, kBlanks)) {
        const size_t length = strcspn(at, kBlanks);
        if (strncmp(at, prefix, strlen(prefix)) != 0) {
            if (out != text) *out++ = ' ';
            memmove(out, at, length);
            out += length;
        }
        at += length;
    }
    *out = '\0';
}

}  // namespace drom::dlb
