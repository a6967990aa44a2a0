// SPDX-License-Identifier: BSD-3-Clause
// top_screen.hpp - the screen of drom top: the node's CPUs by owner, one line per client, and what the keys do. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drom/drom.hpp"
#include "output/top_table.hpp"

namespace drom::command {

/// Text of one appearance.
struct Span {
    std::string text;
    unsigned colour = 0;  ///< 1 to kOwnerColours: of an owner; 0: none
    bool strong = false;
    bool inverse = false;
};
using ScreenLine = std::vector<Span>;

inline constexpr unsigned kOwnerColours = 6;

enum class TopOrder { kSlot, kCpus, kBusy, kEfficiency, kWaited };

/// Returns the order after this one; after the last comes the first.
TopOrder next_order(TopOrder order);

/// The CPUs of a node.
struct TopNode {
    CpuSet present;
    CpuSet drained;
    std::vector<drom_location> locations;  ///< by CPU
};

/// The choices of the person at the terminal.
struct TopView {
    TopOrder order = TopOrder::kSlot;
    std::optional<uint32_t> selected;  ///< slot
    std::string message;               ///< of the last key
};

/// Returns the rows in the order of the view. Equal ones stay in the order of their slots.
std::vector<TopRow> ordered(std::vector<TopRow> rows, TopOrder order);

/// Returns the letter that stands for a client: A to Z, then a to z, then again.
char letter_of(uint32_t slot);

/// Returns the lines, `height` at most, of `width` columns at most. Without colour they say the same: the CPUs of a
/// client are its letter. Where there are more clients than lines, those around the selected one are shown.
std::vector<ScreenLine> top_screen(const TopFrame& frame, const TopNode& node, const TopView& view, size_t width,
                                   size_t height);

/// Returns a text as a screen of its own. `height`: 1 at least.
std::vector<ScreenLine> text_screen(const std::string& text, size_t width, size_t height);

/// Returns what the keys do and the signs say.
std::vector<ScreenLine> help_screen(size_t width, size_t height);

}  // namespace drom::command
