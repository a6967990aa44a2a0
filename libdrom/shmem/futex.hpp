// SPDX-License-Identifier: BSD-3-Clause
// futex.hpp - sleeping on a shared word, with a deadline, between processes.
#pragma once

#include "layout.hpp"

namespace drom {

/// Returns the futex half of a word: its low 32 bits.
Half* futex_half(const Word& word) noexcept;

/// Sleeps while *word == expected, until a wake or `deadline_ns` (now_ns). May return early, so the caller looks again.
void futex_wait(const Half* word, uint32_t expected, uint64_t deadline_ns) noexcept;

/// Wakes every process that sleeps on the word. Works on read-only mappings too. About 0.3 us when none sleeps.
void futex_wake(const Half* word) noexcept;

}  // namespace drom
