// SPDX-License-Identifier: BSD-3-Clause
// kept_signals.hpp - signals that arrive in the middle of a change take effect after it.
#pragma once

#include <csignal>

namespace drom::command {

/// Holds every signal back while an object of this type exists. Signals that have arrived take effect at its end.
class KeptSignals {
public:
    KeptSignals();
    ~KeptSignals();
    KeptSignals(const KeptSignals&) = delete;
    KeptSignals& operator=(const KeptSignals&) = delete;

    /// Returns a descriptor that is readable as soon as a signal has arrived that asks to end. Reading would lose that
    /// signal. -1: no signal is seen.
    [[nodiscard]] int descriptor() const { return descriptor_; }

    [[nodiscard]] bool arrived() const;

private:
    sigset_t before_{};
    int descriptor_ = -1;
};

}  // namespace drom::command
