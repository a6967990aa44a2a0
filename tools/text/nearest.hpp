// SPDX-License-Identifier: BSD-3-Clause
// nearest.hpp - what a person who mistyped a word most likely meant; drom and drom-sim ask it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drom {

/// Returns the word of `known` that a person most likely meant; empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace drom
