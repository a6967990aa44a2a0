// SPDX-License-Identifier: BSD-3-Clause
// stack_room_test.cpp - a thread knows whether it has stack enough.
#include "client/stack_room.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

namespace {

/// Asks in a thread with a stack of so many bytes.
bool has_room_with(size_t bytes) {
    bool room = false;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    pthread_t thread{};
    const auto ask = [](void* answer) -> void* {
        *static_cast<bool*>(answer) = drom::has_stack_room();
        return nullptr;
    };
    EXPECT_EQ(pthread_create(&thread, &attributes, ask, &room), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return room;
}

TEST(StackRoom, TheSmallestStackIsTooSmallAndACommonOneIsNot) {
    constexpr size_t kSmallest = 16384;
    EXPECT_FALSE(has_room_with(kSmallest));
    EXPECT_TRUE(has_room_with(16 * kSmallest));
}

TEST(StackRoom, TheFirstThreadsStackGrows) { EXPECT_TRUE(drom::has_stack_room()); }

}  // namespace
