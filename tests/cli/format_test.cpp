// SPDX-License-Identifier: BSD-3-Clause
// format_test.cpp - words, names of clients, suggestions, and the choice between modes.
#include "output/format.hpp"
#include "text/nearest.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "command_line/clients.hpp"
#include "command_line/verb_texts.hpp"
#include "output/messages.hpp"

namespace {

using namespace drom::command;
using drom::nearest;

drom_client_info client(int32_t pid, uint32_t slot, const char* name, int32_t launcher = 0) {
    drom_client_info info{};
    info.pid = pid;
    info.slot = slot;
    info.launcher_pid = launcher;
    std::strcpy(info.name, name);
    return info;
}

TEST(Clients, AreNamedByPidLauncherSlotAndName) {
    const std::vector<drom_client_info> clients{client(100, 0, "sim", 90), client(200, 3, "twin"),
                                                client(300, 4, "twin")};
    EXPECT_EQ(resolve_client("100", clients).value(), 100);
    EXPECT_EQ(resolve_client("90", clients).value(), 100);
    EXPECT_EQ(resolve_client("#3", clients).value(), 200);
    EXPECT_EQ(resolve_client("sim", clients).value(), 100);
    EXPECT_EQ(resolve_client("555", clients).value(), 555) << "the library says what is wrong with it";
}

TEST(Clients, WhatNamesNoneIsRefused) {
    const std::vector<drom_client_info> clients{client(200, 3, "twin"), client(300, 4, "twin")};
    EXPECT_EQ(resolve_client("twin", clients).error().status, DROM_E_BUSY);
    EXPECT_EQ(resolve_client("twin", clients).error().text,
              "2 clients are called 'twin': 200, 300; name one by its pid");
    EXPECT_EQ(resolve_client("#9", clients).error().status, DROM_E_NOPROC);
    EXPECT_EQ(resolve_client("#", clients).error().status, DROM_E_INVAL);
    EXPECT_EQ(resolve_client("#3x", clients).error().status, DROM_E_INVAL);
    EXPECT_EQ(resolve_client("", clients).error().status, DROM_E_INVAL);
    EXPECT_EQ(resolve_client("0", clients).error().status, DROM_E_INVAL);
    EXPECT_EQ(resolve_client("4294967297", clients).error().status, DROM_E_INVAL);
    EXPECT_EQ(resolve_client("-1", clients).error().status, DROM_E_NOPROC) << "no name either";
}

TEST(Clients, OneInAContainerIsNotTakenForTheProcessOfThatNumberHere) {
    const std::vector<drom_client_info> clients{client(100, 0, "sim"), client(100, 3, "contained", 90),
                                                client(200, 4, "other")};
    for (const char* text : {"#3", "contained", "90", "#0", "sim"})
        EXPECT_EQ(resolve_client(text, clients).error().status, DROM_E_BUSY) << text;
    EXPECT_EQ(
        resolve_client("#3", clients).error().text,
        "the clients of slots 0 and 3 are both process 100, in pid namespaces of their own; name it by its pid from "
        "within its container");
    EXPECT_EQ(resolve_client("100", clients).value(), 100) << "the library knows which of them is of its namespace";
    EXPECT_EQ(resolve_client("#4", clients).value(), 200);
}

TEST(Words, SuggestTheNearestOrNothing) {
    const std::vector<std::string> verbs{"run", "list", "shrink", "expand", "explain", "env"};
    EXPECT_EQ(nearest("lits", verbs), "list");
    EXPECT_EQ(nearest("shrnik", verbs), "shrink");
    EXPECT_EQ(nearest("ex", verbs), "expand");
    EXPECT_EQ(nearest("rum", verbs), "run");
    EXPECT_EQ(nearest("frobnicate", verbs), "");
    EXPECT_EQ(nearest("", verbs), "");
}

TEST(Words, RequestsAreAsFarAsTheyAre) {
    drom_client_info info{};
    EXPECT_EQ(request_word(info), "none");
    info.request_seq = 2;
    EXPECT_EQ(request_word(info), "posted");
    info.released_seq = 2;
    EXPECT_EQ(request_word(info), "released");
    info.confined_seq = 2;
    EXPECT_EQ(request_word(info), "confined");
    info.resized_seq = 2;
    info.resize = DROM_RESIZE_FOLLOWS;
    EXPECT_EQ(request_word(info), "resized");
    info.resize = DROM_RESIZE_HELD;
    EXPECT_EQ(request_word(info), "confined");
    info.confined_seq = 1;
    EXPECT_EQ(request_word(info), "released");
}

TEST(Words, ARequestToATeamThatKeepsItsSizeSaysWhy) {
    drom_client_info info{};
    info.state = DROM_CLIENT_LIVE;
    info.request_seq = info.released_seq = 2;
    EXPECT_EQ(progress_words(info, 63'000), "released after 63 us");
    info.resize = DROM_RESIZE_KEEPS;
    EXPECT_EQ(progress_words(info, 63'000), "released after 63 us, threads kept: a change of its team was not allowed");
    std::strcpy(info.why, "DROM_RESIZE=keep");
    EXPECT_EQ(progress_words(info, 63'000), "released after 63 us, threads kept: DROM_RESIZE=keep");
}

TEST(Words, DurationsAreReadable) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(63'400), "63 us");
    EXPECT_EQ(duration_text(1'234'567), "1.23 ms");
    EXPECT_EQ(duration_text(2'000'000'000), "2 s");
    EXPECT_EQ(counted(1, "CPU"), "1 CPU");
    EXPECT_EQ(counted(2, "CPU"), "2 CPUs");
    EXPECT_EQ(counted(0, "entry"), "0 entries");
    EXPECT_EQ(counted(1, "entry"), "1 entry");
}

TEST(Report, EveryStatusHasAnExitStatus) {
    EXPECT_EQ(exit_of(DROM_OK), 0);
    EXPECT_EQ(exit_of(DROM_UNCHANGED), 0);
    EXPECT_EQ(exit_of(DROM_PENDING), 3);
    EXPECT_EQ(exit_of(DROM_E_CORRUPT), 4);
    for (int status = DROM_E_NOINIT; status < 0; ++status)
        EXPECT_EQ(exit_of(status), status == DROM_E_CORRUPT ? 4 : 1) << status;
}

TEST(Words, WhyTheNumberOfThreadsDoesNotFollow) {
    drom_client_info info{};
    info.state = DROM_CLIENT_RESERVED;
    EXPECT_EQ(why_not_resized(info), "no entry point has answered");
    info.state = DROM_CLIENT_LIVE;
    EXPECT_EQ(why_not_resized(info), "no OpenMP region was seen so far");
    for (const uint32_t follows : {DROM_RESIZE_FOLLOWS, DROM_RESIZE_CALLER}) {
        info.resize = follows;
        EXPECT_EQ(why_not_resized(info), "");
    }
    info.resize = DROM_RESIZE_KEEPS;
    EXPECT_EQ(why_not_resized(info), "a change of its team was not allowed");
    info.resize = DROM_RESIZE_HELD;
    EXPECT_EQ(why_not_resized(info), "the program set its thread count itself");
    std::strcpy(info.why, "the program opens leagues of teams");
    EXPECT_EQ(why_not_resized(info), "the program opens leagues of teams");
}

}  // namespace
