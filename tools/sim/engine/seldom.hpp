// SPDX-License-Identifier: BSD-3-Clause
// seldom.hpp - a value that few objects of many have.
#pragma once

#include <memory>

namespace drom::sim {

/// As large as a pointer while the value is a T{}. A copy has a value of its own. Threads may read it at once, where
/// none edits it.
template <class T>
class Seldom {
public:
    Seldom() = default;
    Seldom(const Seldom& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Seldom(Seldom&& other) noexcept = default;
    Seldom& operator=(const Seldom& other) {
        *this = Seldom(other);
        return *this;
    }
    Seldom& operator=(Seldom&& other) noexcept = default;
    ~Seldom() = default;

    const T& operator*() const {
        static const T kNone;
        return value_ ? *value_ : kNone;
    }
    const T* operator->() const { return &**this; }

    /// Returns the value to be changed. From then on it takes its own room.
    T& edit() {
        if (!value_) value_ = std::make_unique<T>();
        return *value_;
    }

private:
    std::unique_ptr<T> value_;
};

}  // namespace drom::sim
