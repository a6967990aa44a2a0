// SPDX-License-Identifier: BSD-3-Clause
// sha256_test.cpp - the published vectors, in pieces of any size, and files.
#include "workload/sha256.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "property.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

std::string sum_of(std::string_view text) {
    Sha256 sum;
    sum.add(text);
    return sum.finish();
}

// FIPS 180-4 and NIST's "SHA-256 examples".
TEST(Sha256, GivesThePublishedVectors) {
    EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sum_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                     "mnopqrstnopqrstu"),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EXPECT_EQ(sum_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
    EXPECT_TRUE(drom::test::holds("pieces", [] {
        const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        std::string all;
        for (int i = 0; i < 5; ++i) all += text + "more";
        Sha256 sum;
        for (std::string_view rest = all; !rest.empty();) {
            const std::size_t size = std::min<std::size_t>(rest.size(), *rc::gen::inRange<std::size_t>(1, 150));
            sum.add(rest.substr(0, size));
            rest.remove_prefix(size);
        }
        RC_ASSERT(sum.finish() == sum_of(all));
    }));
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
    const drom::test::TempDir folder;
    const std::string path = folder.path() + "/file";
    std::ofstream(path, std::ios::binary) << std::string(200'000, 'x');
    EXPECT_EQ(sha256_of_file(path).value(), sum_of(std::string(200'000, 'x')));
    EXPECT_EQ(sha256_of_file(folder.path() + "/none").error(), "No such file or directory");
    EXPECT_FALSE(sha256_of_file(folder.path()));
}

}  // namespace
}  // namespace drom::sim
