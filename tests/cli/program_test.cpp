// SPDX-License-Identifier: BSD-3-Clause
// program_test.cpp - programs before they are started: ELF headers, LD_PRELOAD.
#include "program/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "program/elf_file.hpp"
#include "program/loader_list.hpp"
#include "program/preload.hpp"
#include "property.hpp"
#include "temp_dir.hpp"

namespace {

using namespace drom::command;
using drom::test::holds;

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), 0755);
}

TEST(ElfFile, ReadsThisVeryProgram) {
    const ElfFile file = read_elf("/proc/self/exe");
    EXPECT_EQ(file.kind, ElfKind::kDynamic);
    EXPECT_TRUE(file.interpreter.starts_with("/lib")) << file.interpreter;
    EXPECT_TRUE(file.mentions("libc.so.6"));
}

TEST(ElfFile, WhatIsNoElfIsNone) {
    EXPECT_EQ(read_elf("/nowhere").kind, ElfKind::kNotElf);
    EXPECT_EQ(read_elf("/").kind, ElfKind::kNotElf);
    EXPECT_EQ(read_elf("/dev/null").kind, ElfKind::kNotElf);
    const drom::test::TempDir folder;
    write_bytes(folder.path() + "/script", "#!/bin/sh\n");
    EXPECT_TRUE(read_elf(folder.path() + "/script").is_script);
    write_bytes(folder.path() + "/stump", "\177ELF");
    EXPECT_EQ(read_elf(folder.path() + "/stump").kind, ElfKind::kForeign);
}

TEST(ElfFile, DamageNeverLeadsOutsideTheFile) {
    // The shell: small, and on every machine.
    const std::string whole = bytes_of("/bin/sh");
    const drom::test::TempDir folder;
    const std::string path = folder.path() + "/damaged";
    EXPECT_TRUE(holds("damaged ELF", [&] {
        std::string bytes = whole.substr(0, *rc::gen::inRange<size_t>(4, 8192));
        if (*rc::gen::inRange(0, 20) == 0) bytes = whole;
        for (int i = *rc::gen::inRange(0, 8); i > 0; --i)
            bytes[*rc::gen::inRange<size_t>(0, std::min<size_t>(bytes.size(), 1024))] =
                static_cast<char>(*rc::gen::inRange(0, 256));
        write_bytes(path, bytes);
        const ElfFile file = read_elf(path);
        RC_ASSERT(file.build_id.size() <= 128);
    }));
}

TEST(LoaderList, HasTheLibrariesOfLibraries) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::vector<std::string> names;
    for (const auto& library : libraries_of(self, read_elf(self).interpreter)) {
        names.push_back(library.name);
        EXPECT_TRUE(std::filesystem::exists(library.path)) << library.name;
    }
    // libm comes with libstdc++ only.
    for (const char* wanted : {"libstdc++.so.6", "libc.so.6", "libm.so.6"})
        EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
}

TEST(LoaderList, IsEmptyWithoutALoader) {
    EXPECT_TRUE(libraries_of("/bin/sh", "/nowhere").empty());
    EXPECT_TRUE(libraries_of("-x/nothing", read_elf("/bin/sh").interpreter).empty());
}

TEST(LoaderList, ReadsFoundMissingAndPreloadedLibraries) {
    const auto found = read_loader_list(
        "\tlinux-vdso.so.1 (0x00007ffd)\n\t/u/own dir/own.so (0x00007f31)\n\tlibmpi.so.40 => /opt/a (b)/libmpi.so.40 "
        "(0x00007f32)\n\tlibgone.so => not found\n\n\tVersion information:\n\t/bin/x:\n\t\tlibc.so.6 (GLIBC_2.2) => "
        "/lib/libc.so.6\n");
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].path, "/u/own dir/own.so");
    EXPECT_EQ(found[1].name, "libmpi.so.40");
    EXPECT_EQ(found[1].path, "/opt/a (b)/libmpi.so.40");
    EXPECT_EQ(found[2].name, "libgone.so");
    EXPECT_TRUE(found[2].path.empty());
}

TEST(LoaderList, KnowsTheDirectoriesOfTheDistribution) {
    for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib64/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
                             "/usr/lib/aarch64-linux-gnu/libm.so.6"})
        EXPECT_TRUE(is_of_the_system({"", path})) << path;
    for (const char* path : {"/opt/lib/libc.so.6", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3",
                             "/srv/lib64/libown.so", "/opt/x86_64-linux-gnu/libown.so"})
        EXPECT_FALSE(is_of_the_system({"", path})) << path;
}

TEST(Program, ThePathIsSearchedAsExecDoes) {
    EXPECT_EQ(inspect_program("sh")->kind, ProgramKind::kDynamic);
    EXPECT_EQ(inspect_program("no-such-command").error().exit_status, 127);
    EXPECT_EQ(inspect_program("/").error().exit_status, 126);
    EXPECT_EQ(inspect_program("/etc/passwd").error().exit_status, 126);
}

Program program(ProgramKind kind, bool llvm, bool gomp) {
    Program it;
    it.kind = kind;
    it.llvm = llvm;
    it.gomp = gomp;
    return it;
}

TEST(Preload, FollowFromWhatTheProgramNeeds) {
    const Preload llvm = choose_preload(program(ProgramKind::kDynamic, true, false), false);
    EXPECT_TRUE(llvm.agent && llvm.remark.empty());
    const Preload gcc = choose_preload(program(ProgramKind::kDynamic, false, true), false);
    EXPECT_TRUE(gcc.agent && gcc.remark.empty());
    const Preload none = choose_preload(program(ProgramKind::kDynamic, false, false), false);
    EXPECT_TRUE(none.agent) << "its children may need them";
    const Preload script = choose_preload(program(ProgramKind::kScript, false, false), false);
    EXPECT_TRUE(script.agent);
    for (const ProgramKind kind : {ProgramKind::kStatic, ProgramKind::kForeign}) {
        const Preload preload = choose_preload(program(kind, false, false), false);
        EXPECT_FALSE(preload.agent || preload.remark.empty());
    }
    Program secure = program(ProgramKind::kDynamic, true, true);
    secure.secure = true;
    EXPECT_FALSE(choose_preload(secure, false).agent);
    const Program dynamic = program(ProgramKind::kDynamic, false, false);
    EXPECT_FALSE(choose_preload(dynamic, false, size_t{32} * 1024 - 1).agent) << "the loader would crash";
    EXPECT_TRUE(choose_preload(dynamic, false, size_t{32} * 1024).agent);
}

TEST(Preload, RanksAndWhatNeedsMpiHaveTheMpiLibrary) {
    EXPECT_TRUE(choose_preload(program(ProgramKind::kDynamic, false, false), true).mpi);
    EXPECT_TRUE(choose_preload(program(ProgramKind::kScript, false, false), true).mpi) << "the rank behind a script";
    EXPECT_FALSE(choose_preload(program(ProgramKind::kDynamic, true, true), false).mpi);
    Program singleton = program(ProgramKind::kDynamic, false, false);
    singleton.mpi = true;
    EXPECT_TRUE(choose_preload(singleton, false).mpi);
    EXPECT_EQ(preload_text(choose_preload(singleton, true), "/l", ""),
              "/l/libdrom-mpi.so:/l/libdrom-agent.so:/l/libdrom.so.0");
}

TEST(Preload, OursComeFirstTheUsersStayAndNothingIsRepeated) {
    const Preload both{.agent = true, .mpi = true};
    EXPECT_EQ(preload_text(both, "/l", ""), "/l/libdrom-mpi.so:/l/libdrom-agent.so:/l/libdrom.so.0");
    EXPECT_EQ(preload_text(both, "/l", "/u/own.so"), "/l/libdrom-mpi.so:/l/libdrom-agent.so:/l/libdrom.so.0:/u/own.so");
    EXPECT_EQ(preload_text(both, "/l", "/l/libdrom-mpi.so:/l/libdrom-agent.so:/l/libdrom.so.0"), "");
    EXPECT_EQ(preload_text({.agent = true}, "/l", ""), "/l/libdrom-agent.so:/l/libdrom.so.0");
    EXPECT_EQ(preload_text({}, "/l", "/u/own.so"), "");
}

TEST(Preload, TheOpenMPLibraryIsLoadedOnlyWhereTheTeamMayChange) {
    Program silent = program(ProgramKind::kDynamic, true, false);
    EXPECT_FALSE(may_follow(silent, "auto", ""));
    EXPECT_TRUE(may_follow(silent, "auto", "TRUE"));
    EXPECT_FALSE(may_follow(silent, "keep", "true"));
    EXPECT_TRUE(may_follow(silent, "follow", ""));
    silent.sets_dynamic = true;
    EXPECT_TRUE(may_follow(silent, "auto", ""));
    EXPECT_FALSE(may_follow(silent, "keep", ""));
    EXPECT_EQ(preload_text({.agent = true, .mpi = true, .omp = true}, "/l", ""),
              "/l/libdrom-mpi.so:/l/libdrom-omp.so:/l/libdrom-agent.so:/l/libdrom.so.0");
}

TEST(Preload, AProgramWithAddressSanitizerHasItsLibraryFirst) {
    const Preload preload{.agent = true, .first = "libasan.so.8"};
    EXPECT_EQ(preload_text(preload, "/l", ""), "libasan.so.8:/l/libdrom-agent.so:/l/libdrom.so.0");
    EXPECT_EQ(preload_text(preload, "/l", "/u/own.so"), "libasan.so.8:/l/libdrom-agent.so:/l/libdrom.so.0:/u/own.so");
    EXPECT_EQ(preload_text(preload, "/l", "/u/own.so:/g/libasan.so.8"),
              "/g/libasan.so.8:/l/libdrom-agent.so:/l/libdrom.so.0:/u/own.so");
    EXPECT_EQ(preload_text(preload, "/l", "/g/libasan.so.8:/l/libdrom-agent.so:/l/libdrom.so.0"), "");
}

}  // namespace
