// SPDX-License-Identifier: BSD-3-Clause
// inputs.cpp - inputs of a scheduler as words, and back.
#include "policy/record/inputs.hpp"

#include <cmath>

#include "policy/job/escaped.hpp"
#include "policy/sharing/words.hpp"

namespace drom::policy::record {
namespace {

using namespace words;

constexpr Seconds kLatest = Seconds{1} << 40;
constexpr int kMaxNodes = (1 << 24) - 1;  // NodeSet::parse()
constexpr int kMaxCores = 100'000;
constexpr int kMaxSlots = 1 << 30;
constexpr int kMaxPartitions = 1000;

constexpr std::array kLaws{Named<SizeLaw>{SizeLaw::kStep, "step"}, Named<SizeLaw>{SizeLaw::kPowerOfTwo, "power-of-two"},
                           Named<SizeLaw>{SizeLaw::kNearSquare, "near-square"},
                           Named<SizeLaw>{SizeLaw::kSquareOfCores, "square-of-cores"}};
constexpr std::array kLabelled{Named<bool>{false, "partition"}, Named<bool>{true, "qos"}};
constexpr std::array kRanks{Named<JobClass>{JobClass::kGold, "gold"}, Named<JobClass>{JobClass::kPlatinum, "platinum"}};

// ---- writing

void add_resize(Words& words, const ResizeTraits& traits) {
    const LegalSizes& sizes = traits.sizes;
    words.add("law", text_in(kLaws, sizes.law))
        .add("step", sizes.step)
        .add("blocks", sizes.blocks)
        .add("square_cores", sizes.cores_per_node)
        .add("min", sizes.min)
        .add("max", sizes.max)
        .add("rank", text_in(kRanks, traits.rank))
        .add("resizable", text_in(kYesOrNo, traits.resizable));
}

std::string words_of(Seconds at, const Submitted& submitted) {
    const Job& job = submitted.job;
    Words words("submit");
    words.add("at", at).add("job", job.id).add(job);
    words.add("kind", text_in(kKinds, job.kind))
        .add("limit", job.limit)
        .add("reserve_limit", text_in(kYesOrNo, job.reserve_limit))
        .add("partition", job.partition)
        .add("qos", job.qos)
        .add("application", job.application)
        .add("user", job.user)
        .add("features", std::string_view(std::to_string(job.filter.features)))
        .add("memory", job.filter.memory_mb)
        .add("contiguous", text_in(kYesOrNo, job.filter.contiguous));
    if (!submitted.resize) return words.add("law", "none").take();
    add_resize(words, *submitted.resize);
    return words.take();
}

std::string words_of(Seconds at, const Cancelled& cancelled) {
    return Words("cancel").add("at", at).add("job", cancelled.job).take();
}

std::string words_of(Seconds at, const Ended& ended) {
    return Words("end").add("at", at).add("job", ended.job).add("run", ended.run).take();
}

std::string words_of(Seconds at, const Iteration& iteration) {
    return Words("iteration")
        .add("at", at)
        .add("partition", iteration.partition)
        .add("slot", iteration.slot)
        .add_number("seconds", iteration.seconds)
        .add_number("mtct", iteration.mtct)
        .take();
}

std::string words_of(Seconds at, const Shrunk& shrunk) {
    return Words("shrunk").add("at", at).add("partition", shrunk.partition).add("slot", shrunk.slot).take();
}

std::string words_of(Seconds at, const Passed& passed) {
    return Words("pass").add("at", at).add("ended", text_in(kYesOrNo, passed.ended)).take();
}

// ---- reading

std::optional<ResizeTraits> read_resize(Reader& reader) {
    ResizeTraits traits;
    LegalSizes& sizes = traits.sizes;
    bool none = false;
    reader.take("law",
                [&](std::string_view text) { return (none = text == "none") || value_in(kLaws, text, sizes.law); });
    if (none) return std::nullopt;
    reader.take_within("step", sizes.step, 1, kMaxNodes)
        .take_within("blocks", sizes.blocks, 0, kMaxNodes)
        .take_within("square_cores", sizes.cores_per_node, 1, kMaxCores)
        .take_within("min", sizes.min, 1, kMaxNodes)
        .take_within("max", sizes.max, 1, std::numeric_limits<int>::max())
        .take("rank", kRanks, traits.rank)
        .take("resizable", traits.resizable);
    return traits;
}

Submitted submitted(Reader& reader) {
    Submitted made;
    Job& job = made.job;
    reader.take("job", job.id)
        .take(job)
        .take("kind", kKinds, job.kind)
        .take_within("limit", job.limit, Seconds{0}, kLatest)
        .take("reserve_limit", job.reserve_limit)
        .take_within("partition", job.partition, -1, kMaxNodes)
        .take("qos", job.qos)
        .take_within("application", job.application, -1, std::numeric_limits<int>::max())
        .take("user", job.user)
        .take("features", job.filter.features)
        .take_within("memory", job.filter.memory_mb, std::int64_t{0}, kLatest)
        .take("contiguous", job.filter.contiguous);
    made.resize = read_resize(reader);
    if (job.submit < -kLatest || job.submit > kLatest) reader.complain("has a job of a time that there is not");
    if (job.min_cores < 1) reader.complain("has a job without cores");
    return made;
}

Iteration iteration(Reader& reader) {
    Iteration made;
    const auto duration = [](double& into) {
        return [&into](std::string_view text) { return read(text, into) && into >= 0 && std::isfinite(into); };
    };
    reader.take_within("partition", made.partition, 0, kMaxPartitions)
        .take_within("slot", made.slot, 0, kMaxSlots)
        .take("seconds", duration(made.seconds))
        .take("mtct", duration(made.mtct));
    return made;
}

Shrunk shrunk(Reader& reader) {
    Shrunk made;
    reader.take_within("partition", made.partition, 0, kMaxPartitions).take_within("slot", made.slot, 0, kMaxSlots);
    return made;
}

Ended ended(Reader& reader) {
    Ended made;
    reader.take("job", made.job).take_within("run", made.run, Seconds{0}, kLatest);
    return made;
}

Cancelled cancelled(Reader& reader) {
    Cancelled made;
    reader.take("job", made.job);
    return made;
}

Passed passed(Reader& reader) {
    Passed made;
    reader.take("ended", made.ended);
    return made;
}

tl::expected<InputLine, std::string> label_line(Reader& reader) {
    LabelLine label;
    reader.take("of", kLabelled, label.is_qos)
        .take_within("number", label.number, 0, std::numeric_limits<int>::max())
        .take("name", [&label](std::string_view text) {
            label.name = unescaped(text).value_or("");
            return !label.name.empty();
        });
    return reader.finish<InputLine>(std::move(label));
}

tl::expected<InputLine, std::string> partition_line(Reader& reader) {
    PartitionLine partition;
    reader.take_within("nodes", partition.nodes, 1, kMaxNodes)
        .take_within("cores", partition.cores_per_node, 1, kMaxCores);
    return reader.finish<InputLine>(partition);
}

tl::expected<InputLine, std::string> class_line(Reader& reader) {
    ClassLine line;
    reader.take_within("partition", line.partition, 0, kMaxPartitions)
        .take("nodes", line.nodes.nodes)
        .take("features", line.nodes.features)
        .take_within("memory", line.nodes.memory_mb, std::int64_t{0}, kLatest);
    return reader.finish<InputLine>(std::move(line));
}

}  // namespace

std::string text_of(const LabelLine& label) {
    return Words("label")
        .add("of", text_in(kLabelled, label.is_qos))
        .add("number", label.number)
        .add("name", std::string_view(escaped(label.name)))
        .take();
}

std::string text_of(const PartitionLine& partition) {
    return Words("partition").add("nodes", partition.nodes).add("cores", partition.cores_per_node).take();
}

std::string text_of(const ClassLine& line) {
    return Words("class")
        .add("partition", line.partition)
        .add("nodes", std::string_view(line.nodes.nodes.text()))
        .add("features", std::string_view(std::to_string(line.nodes.features)))
        .add("memory", line.nodes.memory_mb)
        .take();
}

std::string text_of(const TimedInput& input) {
    return std::visit([&input](const auto& what) { return words_of(input.at, what); }, input.input);
}

tl::expected<InputLine, std::string> parse_input(std::string_view text) {
    Reader reader(text);
    const std::string_view first = reader.first();
    if (first == "label") return label_line(reader);
    if (first == "partition") return partition_line(reader);
    if (first == "class") return class_line(reader);
    TimedInput line;
    const auto with = [&](auto read) {
        reader.take_within("at", line.at, -kLatest, kLatest);
        line.input = read(reader);
        return reader.finish<InputLine>(line);
    };
    if (first == "submit") return with(submitted);
    if (first == "cancel") return with(cancelled);
    if (first == "end") return with(ended);
    if (first == "iteration") return with(iteration);
    if (first == "shrunk") return with(shrunk);
    if (first == "pass") return with(passed);
    return tl::unexpected("begins with a word that is not known: " + std::string(first));
}

}  // namespace drom::policy::record
