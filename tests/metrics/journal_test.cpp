// SPDX-License-Identifier: BSD-3-Clause
// journal_test.cpp - the lines of drom advise's journal, byte by byte and read again, and the file that they are
// appended to.
#include "journal/advice_journal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "output/journal_file.hpp"

namespace drom {

namespace {

using command::JournalFile;
using journal::Heading;
using journal::ProgramLine;
using journal::RoundHead;

policy::NodeView view_of_two() {
    policy::NodeClient heat, rank0, rank1;
    heat.id = 4242;
    heat.cpus = 4;
    heat.max = 8;
    heat.changed = 90;
    heat.useful = {0.1, 1.0 / 3};
    rank0.id = 51;
    rank0.held = "it is rigid";
    rank1.id = 52;
    rank1.unknown = "it has just started";
    policy::NodeView view;
    view.programs = {{"heat", {heat}}, {"mpi", {rank0, rank1}, "7.0"}};
    view.free = 3;
    view.now = 100;
    return view;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string complaint(const std::string& line) {
    const auto read = journal::read_line(line);
    return read ? "none" : read.error();
}

std::string spoiled(std::string text, const std::string& before, const std::string& after) {
    return text.replace(text.find(before), before.size(), after);
}

class JournalOnDisk : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "journal.XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return (folder_ / "journal").string(); }
    [[nodiscard]] std::string contents() const {
        std::ostringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }
    void write(const std::string& text) const { std::ofstream(path()) << text; }
    [[nodiscard]] std::string refusal() const {
        const auto file = JournalFile::open(path());
        return file ? "none" : file.error().text.substr(path().size());
    }

    std::filesystem::path folder_;
};

const std::string kHeading = R"({"schema":"drom.advise-journal/1","node":"n1","policy":"efficiency:upper=0.5"})"
                             "\n";

}  // namespace

TEST(Journal, ARoundIsItsHeadAndALinePerProgram) {
    EXPECT_EQ(text_of(Heading{"n1", "efficiency:upper=0.5"}), kHeading);
    const std::string text = text_of(RoundHead{2, 1'764'412'800, 0, 0, true, 0}, view_of_two(),
                                     {{{2}, "31 % of its CPU time is useful"}, {{1, 1}, "it is rigid"}});
    EXPECT_EQ(text,
              R"({"round":2,"unix_s":1764412800,"now_s":100,"free":3,"apply":true,"programs":2}
{"program":"heat","job":"","why":"31 % of its CPU time is useful","clients":[{"pid":4242,"cpus":4,"advised":2,"min":1,"max":8,"changed_s":90,"held":"","unknown":"","useful":[0.1,0.3333333333333333]}]}
{"program":"mpi","job":"7.0","why":"it is rigid","clients":[{"pid":51,"cpus":1,"advised":1,"min":1,"max":1,"changed_s":0,"held":"it is rigid","unknown":"","useful":[]},{"pid":52,"cpus":1,"advised":1,"min":1,"max":1,"changed_s":0,"held":"","unknown":"it has just started","useful":[]}]}
)");
}

TEST(Journal, WhatIsReadIsWhatWasWritten) {
    const policy::NodeView view = view_of_two();
    const std::vector<policy::Advice> advices{{{2}, "x"}, {{1, 1}, "y"}};
    const auto lines = lines_of(kHeading + text_of(RoundHead{2, 5, 0, 0, true, 0}, view, advices));
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(std::get<Heading>(*journal::read_line(lines[0])).policy, "efficiency:upper=0.5");
    const auto head = std::get<RoundHead>(*journal::read_line(lines[1]));
    EXPECT_EQ(head.round, 2);
    EXPECT_EQ(head.now, 100);
    EXPECT_EQ(head.free, 3);
    EXPECT_EQ(head.programs, 2U);
    EXPECT_TRUE(head.apply);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto program = std::get<ProgramLine>(*journal::read_line(lines[i + 2]));
        EXPECT_EQ(program.advice, advices[i]);
        EXPECT_EQ(program.seen.name, view.programs[i].name);
        EXPECT_EQ(program.seen.job, view.programs[i].job);
        for (std::size_t k = 0; k < program.seen.clients.size(); ++k) {
            const policy::NodeClient &is = program.seen.clients[k], &was = view.programs[i].clients[k];
            EXPECT_EQ(std::tie(is.id, is.cpus, is.min, is.max, is.changed, is.held, is.unknown, is.useful),
                      std::tie(was.id, was.cpus, was.min, was.max, was.changed, was.held, was.unknown, was.useful));
        }
    }
}

TEST(Journal, ANameThatIsNoUtf8IsNoReasonToEnd) {
    policy::NodeView view = view_of_two();
    view.programs[0].name = "a\xff\nb";
    const auto lines = lines_of(text_of(RoundHead{1, 5, 0, 0, true, 0}, view, {{{2}, "x"}, {{1, 1}, "y"}}));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(std::get<ProgramLine>(*journal::read_line(lines[1])).seen.name, "a\xef\xbf\xbd\nb");
}

TEST(Journal, WhatCannotBeMeantIsRefused) {
    const auto lines =
        lines_of(kHeading + text_of(RoundHead{2, 5, 0, 0, true, 0}, view_of_two(), {{{2}, "x"}, {{1, 1}, "y"}}));
    EXPECT_EQ(complaint(""), "is no JSON object");
    EXPECT_EQ(complaint("[1]"), "is no JSON object");
    EXPECT_EQ(complaint(lines[1].substr(0, 20)), "is no JSON object");
    EXPECT_EQ(complaint(std::string(100'000, '[')), "is no JSON object");
    EXPECT_EQ(complaint(spoiled(lines[0], "journal/1", "journal/2")), "is not of schema drom.advise-journal/1");
    EXPECT_EQ(complaint(spoiled(lines[0], "node", "nods")), "has no node");
    EXPECT_EQ(complaint(spoiled(lines[1], "\"free\":3", "\"free\":-3")), "has a value that cannot be meant, of free");
    EXPECT_EQ(complaint(spoiled(lines[1], "\"now_s\":100", "\"now_s\":1e30")),
              "has a value that cannot be meant, of now_s");
    EXPECT_EQ(complaint(spoiled(lines[1], "true", "1")), "has a value that cannot be meant, of apply");
    EXPECT_EQ(complaint(spoiled(lines[2], "\"cpus\":4", "\"cpus\":0")), "has a value that cannot be meant, of cpus");
    EXPECT_EQ(complaint(spoiled(lines[2], "\"pid\":4242", "\"pid\":99999999999999999999")),
              "has a value that cannot be meant, of pid");
    EXPECT_EQ(complaint(spoiled(lines[2], "[0.1,", "[-0.1,")), "has a value that cannot be meant, of useful");
    EXPECT_EQ(complaint(spoiled(lines[2], "\"why\":\"x\",", "")), "has no why");
    EXPECT_EQ(complaint(R"({"program":"p","job":"","why":"x","clients":[]})"),
              "has a value that cannot be meant, of clients");
    EXPECT_EQ(complaint(R"({"program":"p","job":"","why":"x","clients":[7]})"), "has a client that is no object");
}

TEST_F(JournalOnDisk, RoundsAreAppendedAndALineThatWasCutIsEnded) {
    {
        auto file = JournalFile::open(path());
        ASSERT_TRUE(file) << file.error().text;
        EXPECT_TRUE(file->append(kHeading));
        EXPECT_TRUE(file->append("{\"round\":1}\n"));
    }
    EXPECT_EQ(contents(), kHeading + "{\"round\":1}\n");
    write(kHeading + "{\"rou");
    auto file = JournalFile::open(path());
    ASSERT_TRUE(file) << file.error().text;
    EXPECT_TRUE(file->append(kHeading));
    EXPECT_TRUE(file->append("{\"round\":1}\n"));
    EXPECT_EQ(contents(), kHeading + "{\"rou\n" + kHeading + "{\"round\":1}\n");
}

TEST_F(JournalOnDisk, WhatIsNoJournalIsLeftAlone) {
    write("precious\n");
    EXPECT_EQ(refusal(), ": it is no journal of drom advise; name another file with --journal");
    EXPECT_EQ(contents(), "precious\n");
    write("");
    EXPECT_EQ(refusal(), "none");
    std::filesystem::remove(path());
    ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
    EXPECT_EQ(refusal(), ": it is no regular file; name another file with --journal");
    std::filesystem::remove(path());
    std::filesystem::create_directory(path());
    EXPECT_EQ(refusal(), ": it cannot be written: Is a directory; name another file with --journal");
}

TEST_F(JournalOnDisk, AnotherCommandWritesItOnlyAfterwards) {
    {
        const auto file = JournalFile::open(path());
        ASSERT_TRUE(file);
        EXPECT_EQ(refusal(), ": another drom advise writes it; end that, or name another file with --journal");
    }
    EXPECT_EQ(refusal(), "none");
}

/// Rounds went into a file that had been removed, and advice was carried out without a trace.
TEST_F(JournalOnDisk, AFileThatIsRemovedReplacedOrCutIsNotWrittenAnyMore) {
    auto journal = JournalFile::open(path());
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->append(journal::text_of(Heading{"n1", "efficiency"})));
    std::filesystem::rename(path(), path() + ".1");
    EXPECT_EQ(journal->append("{}\n").error().text,
              path() + ": it was removed or replaced while it was written; start drom advise again");
    std::ofstream(path()) << "another\n";
    EXPECT_FALSE(journal->append("{}\n"));
    std::filesystem::rename(path() + ".1", path());
    ASSERT_TRUE(journal->append("{}\n"));
    std::filesystem::resize_file(path(), 0);
    EXPECT_EQ(journal->append("{}\n").error().text,
              path() + ": it was cut while it was written; start drom advise again");
}

}  // namespace drom
