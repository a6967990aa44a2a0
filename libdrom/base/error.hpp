// SPDX-License-Identifier: BSD-3-Clause
// error.hpp - a status and one finished sentence, written where the cause is first known.
#pragma once

#include "drom/drom.h"

namespace drom {

/// Fills `error` (if not null) and returns `status`. No allocation.
[[gnu::format(printf, 3, 4)]] int fail(drom_error* error, int status, const char* format, ...) noexcept;

/// Returns DROM_OK, with an empty text.
int succeed(drom_error* error) noexcept;

/// Builds a text at a tenth of snprintf's price, for sentences that belong to an ordinary outcome. Always terminated;
/// cut where the room ends.
class Text {
public:
    Text(char* out, size_t size) noexcept : at_(out), end_(out + size - 1) { *at_ = '\0'; }
    Text& add(const char* text, size_t max_length) noexcept;
    Text& operator<<(const char* text) noexcept { return add(text, SIZE_MAX); }
    Text& operator<<(uint32_t number) noexcept;

private:
    char* at_;
    char* end_;
};

/// Copies `text`, which is terminated or at least `size` long: a name in shared memory may have lost its end. Control
/// characters become '?'.
void copy_text(char* out, size_t size, const char* text) noexcept;

/// "1 CPU", "2 CPUs": a count with its noun, in the right number.
struct CountText {
    char text[40];
    CountText(uint64_t count, const char* what) noexcept;
};

/// Returns the text of an errno value, without locale, in static storage.
const char* errno_text(int number) noexcept;

}  // namespace drom
