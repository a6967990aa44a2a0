// SPDX-License-Identifier: BSD-3-Clause
// journal_test.cpp - a journal of drom advise: told again it is the same under every policy, and what was changed in it
// is found.
#include "journal/advice_journal.hpp"

#include <nlohmann/json.hpp>
#include <random>

#include "engine/advice_replay.hpp"
#include "policy/node/advisers.hpp"
#include "property.hpp"
#include "report/advice_text.hpp"
#include "report/summary_json.hpp"

namespace drom::sim {
namespace {

using policy::Advice;
using policy::NodeClient;
using policy::NodeView;

/// A node whose programs gain from CPUs as far as they have work for them; all advice is carried out.
class PlayedNode {
public:
    PlayedNode(unsigned seed, int cpus) : random_(seed), free_(cpus) {
        for (int i = 0; i < 3; ++i) {
            policy::NodeProgram program{"p" + std::to_string(i), {}, i == 0 ? "7.0" : ""};
            for (int ranks = i == 0 ? 2 : 1; ranks > 0; --ranks) {
                NodeClient client;
                client.id = ++id_;
                client.cpus = 2;
                client.max = 16;
                free_ -= client.cpus;
                program.clients.push_back(client);
            }
            programs_.push_back(program);
        }
    }

    NodeView look() {
        now_ += 10;
        for (policy::NodeProgram& program : programs_)
            for (NodeClient& client : program.clients) {
                client.useful.clear();
                const double work = std::min(client.cpus * 1.0, 0.4 * client.id * client.id);
                for (int i = 0; i < 4; ++i) client.useful.push_back(work * noise_(random_));
            }
        return {programs_, free_, now_};
    }
    void follow(const std::vector<Advice>& advices) {
        for (std::size_t i = 0; i < advices.size(); ++i)
            for (std::size_t k = 0; k < advices[i].cpus.size(); ++k) {
                NodeClient& client = programs_[i].clients[k];
                if (client.cpus != advices[i].cpus[k]) client.changed = now_;
                free_ -= advices[i].cpus[k] - client.cpus;
                client.cpus = advices[i].cpus[k];
            }
    }

private:
    std::mt19937 random_;
    std::uniform_real_distribution<double> noise_{0.9, 1};
    std::vector<policy::NodeProgram> programs_;
    int free_, id_ = 0;
    policy::Seconds now_ = 100;
};

/// Returns the journal of one command with so many rounds.
std::string command_of(const std::string& policy, int rounds, unsigned seed = 1) {
    PlayedNode node(seed, 16);
    const auto adviser = std::move(*policy::adviser_of(policy));
    std::string text = journal::text_of(journal::Heading{"n1", policy::whole_name_of(policy).value()});
    for (int round = 1; round <= rounds; ++round) {
        const NodeView view = node.look();
        const std::vector<Advice> advices = adviser->advise(view);
        text += journal::text_of(journal::RoundHead{round, 1000 + round, 0, 0, true, 0}, view, advices);
        node.follow(advices);
    }
    return text;
}

ReplayedJournal replayed(const std::string& text) {
    auto told = replay_journal(text);
    EXPECT_TRUE(told) << told.error() << '\n' << text;
    return told ? std::move(*told) : ReplayedJournal();
}

std::string complaint(const std::string& text) {
    const auto told = replay_journal(text);
    return told ? "none" : told.error();
}

std::string spoiled(std::string text, const std::string& before, const std::string& after) {
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return at == std::string::npos ? text : text.replace(at, before.size(), after);
}

/// Returns the text up to the line of that number, without it.
std::string up_to(const std::string& text, int line) {
    std::size_t end = 0;
    for (int i = 1; i < line; ++i) end = text.find('\n', end) + 1;
    return text.substr(0, end);
}

TEST(AdviceJournal, TheSamePolicyAdvisesTheSame) {
    EXPECT_TRUE(journal::is_journal(command_of("efficiency", 1)));
    for (const policy::AdviserRow& row : policy::advisers()) {
        const ReplayedJournal told = replayed(command_of(row.name, 8) + command_of(row.name, 3, 2));
        EXPECT_EQ(told.differences.size(), 0U) << row.name;
        EXPECT_EQ(told.lines, 2U + 11 * 4);
        EXPECT_EQ(told.commands, 2U);
        EXPECT_EQ(told.rounds, 11U);
        EXPECT_EQ(told.advices, 33U);
        EXPECT_GT(told.changes, 0U) << row.name;
        EXPECT_TRUE(told.cut.empty());
    }
}

TEST(AdviceJournal, AnAdviceThatWasChangedIsNamedAndLaterOnesAreCompared) {
    std::string text = command_of("equipartition", 3);
    const std::string why = "it has its share";
    const std::size_t first = text.find(why);
    text = spoiled(text, why, "it is well");
    text.replace(text.rfind("\"advised\":"), 10, "\"advised\":1");
    const ReplayedJournal told = replayed(text);
    ASSERT_EQ(told.differences.size(), 2U) << first;
    EXPECT_EQ(told.differences[0].then.why, "it is well");
    EXPECT_EQ(told.differences[0].now.why, why);
    EXPECT_EQ(told.differences[1].line, 13U);
    EXPECT_EQ(told.differences[1].round, 3);
    EXPECT_EQ(told.differences[1].program.name, "p2");
}

TEST(AdviceJournal, AnotherOptionOfThePolicyIsFound) {
    const std::string text = command_of("efficiency:lower=0.3,min_gap=0", 6);
    EXPECT_FALSE(replayed(spoiled(text, "lower=0.3", "lower=0")).differences.empty());
}

TEST(AdviceJournal, ARoundThatWasCutIsLeftOutAndNamed) {
    const std::string text = command_of("efficiency", 3);
    const ReplayedJournal in_line = replayed(text.substr(0, text.size() - 5));
    EXPECT_EQ(in_line.rounds, 2U);
    ASSERT_EQ(in_line.cut.size(), 1U);
    EXPECT_EQ(cut_text(in_line.cut[0]), "round 3 was cut at line 13");
    const ReplayedJournal between = replayed(up_to(text, 12));
    ASSERT_EQ(between.cut.size(), 1U);
    EXPECT_EQ(cut_text(between.cut[0]), "round 3 was cut at line 11");
    const ReplayedJournal head = replayed(up_to(text, 10) + "{\"rou");
    ASSERT_EQ(head.cut.size(), 1U);
    EXPECT_EQ(cut_text(head.cut[0]), "a round was cut at line 10");
    EXPECT_TRUE(replayed(up_to(text, 10)).cut.empty());
    for (std::size_t end = up_to(text, 2).size(); end < text.size(); ++end) {
        const ReplayedJournal told = replayed(text.substr(0, end) + '\n' + command_of("balance", 2));
        EXPECT_EQ(told.commands, 2U) << end;
        EXPECT_TRUE(told.differences.empty()) << end;
        EXPECT_LE(told.cut.size(), 1U) << end;
    }
}

TEST(AdviceJournal, DamageIsSaidWithItsLine) {
    const std::string text = command_of("efficiency", 3);
    EXPECT_EQ(complaint(""), "there is not one whole line in it");
    EXPECT_EQ(complaint("{\"schema\":\"drom.advise-journal/1\",\"no"), "there is not one whole line in it");
    EXPECT_EQ(complaint(spoiled(text, "journal/1", "journal/2")), "line 1 is not of schema drom.advise-journal/1");
    EXPECT_EQ(complaint(spoiled(text, "\"efficiency:", "\"fair:")),
              "line 1 has a policy that cannot be used: " + policy::adviser_of("fair").error());
    EXPECT_EQ(complaint(spoiled(text, "\"program\":\"p1\"", "\"programme\":1")), "line 4 has no program");
    EXPECT_EQ(complaint(spoiled(text, "{\"program\":\"p1\"", "p1")), "line 4 is no JSON object");
    EXPECT_EQ(complaint(spoiled(text, "\"round\":2", "\"round\":3")), "line 6 is no round 2");
    EXPECT_EQ(complaint(spoiled(text, "\"now_s\":120", "\"now_s\":109")), "line 6 is earlier than the round before it");
    EXPECT_EQ(complaint(spoiled(text, "\"programs\":3", "\"programs\":2")), "line 5 is of no round");
    EXPECT_EQ(complaint(spoiled(text, "\"programs\":3", "\"programs\":4")), "line 6 comes before the end of round 1");
    EXPECT_EQ(complaint(spoiled(text, "\"pid\":3", "\"pid\":2")), "line 4 has process 2 again");
    EXPECT_EQ(complaint(text.substr(text.find('\n') + 1)), "line 1 comes before a heading, which names the policy");
}

TEST(AdviceJournal, ASummaryCountsAndNames) {
    const std::string text = command_of("equipartition", 2);
    EXPECT_EQ(journal_summary(replayed(text)),
              "9 lines of 1 command: 2 rounds, 6 advices, 3 of them for a change\nEvery advice is what its policy "
              "gives now.\n");
    const ReplayedJournal told = replayed(spoiled(text, "\"advised\":3", "\"advised\":4"));
    EXPECT_EQ(journal_summary(told),
              "9 lines of 1 command: 2 rounds, 6 advices, 3 of them for a change\n1 of 6 advices is not what the "
              "policy gives "
              "now:\n  line 3, round 1: p0 (job 7.0), 2+2 CPUs: the journal has 4+3: an equal share is 6; the policy "
              "advises now 3+3: an equal share is 6\n");
    EXPECT_NE(journal_summary(told, 0).find("  and 1 more; --json has all that differ\n"), std::string::npos);
    const auto json = nlohmann::json::parse(journal_json(told));
    EXPECT_EQ(json["differences"][0]["line"], 3);
    EXPECT_EQ(json["differences"][0]["then"]["cpus"], (std::vector{4, 3}));
    EXPECT_EQ(json["differences"][0]["now"]["cpus"], (std::vector{3, 3}));
    EXPECT_EQ(json["differences"][0]["pids"], (std::vector{1, 2}));
}

/// Changes a byte, or a number.
std::string damaged(std::string text) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() - 1);
    const std::size_t colon = text.find_first_of(":,[", at);
    if (*rc::gen::arbitrary<bool>() || colon == std::string::npos) {
        text[at] = *rc::gen::inRange<char>(' ', '~');
        return text;
    }
    const auto value = *rc::gen::element<std::string>("0", "-1", "1", "4096", "4097", "1e-300", "1e300", "2147483648",
                                                      "1000000000000", "9223372036854775807", "null", "[]", "\"\"");
    return text.replace(colon + 1, text.find_first_of(",]}\n", colon + 1) - colon - 1, value);
}

TEST(AdviceJournal, NoDamagedByteOrNumberEndsTheProgram) {
    std::vector<std::string> texts;
    for (const policy::AdviserRow& row : policy::advisers()) texts.push_back(command_of(row.name, 6));
    EXPECT_TRUE(drom::test::holds("damaged", [&] {
        const auto told = replay_journal(damaged(*rc::gen::elementOf(texts)));
        RC_ASSERT((told ? !journal_summary(*told).empty() : !told.error().empty()));
    }));
}

}  // namespace
}  // namespace drom::sim
