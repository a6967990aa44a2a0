// SPDX-License-Identifier: BSD-3-Clause
// verify.hpp - what must be true of the table at every point, and when all actors are done.
#pragma once

#include <array>
#include <map>
#include <set>

#include "scene.hpp"

namespace drom::explorer {

/// The owner of each CPU when all is done, by process; kNoProcess: free. And the clients.
struct Outcome {
    std::array<uint32_t, kCpus> owner;
    uint32_t clients;
    auto operator<=>(const Outcome&) const = default;
};

class Verifier {
public:
    Verifier(const Scene& scene, bool one_administrator) : scene_(scene), one_administrator_(one_administrator) {}

    /// Learns the outcomes of the actors one after the other, in every order, with and without each that dies. Called
    /// before the exploration. Returns nullptr, or the violation that exists already then.
    const char* learn_orders();

    const char* at_point();
    const char* at_write(size_t offset, uint64_t old_word, uint64_t new_word);
    const char* at_end();
    [[nodiscard]] Judge judge() {
        return {[this] { return at_point(); },
                [this](size_t offset, uint64_t from, uint64_t to) { return at_write(offset, from, to); },
                [this] { return at_end(); }};
    }

    uint64_t compared = 0, refused = 0, without_turn = 0;

private:
    const char* learn(const std::vector<uint32_t>& order, uint32_t dies);
    const char* everybody_obeys();
    [[nodiscard]] const char* nothing_is_lost() const;
    [[nodiscard]] const char* no_client_is_forgotten() const;
    [[nodiscard]] Outcome outcome() const;

    const Scene& scene_;
    bool one_administrator_;
    std::map<uint32_t, std::set<Outcome>> allowed_;  ///< by the actor that died
    char text_[400] = {};
};

}  // namespace drom::explorer
