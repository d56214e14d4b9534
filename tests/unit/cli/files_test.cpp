// No answer is written over another one, or over a file that the command reads: it is refused before any work.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::files_test {
namespace {
namespace fs = std::filesystem;

using test::CommandResult;
using test::run_foreflow;
using test::TemporaryFolder;
using testing::StartsWith;

using Words = std::vector<std::string>;

constexpr std::string_view kScenario =
    R"({ "workload": { "model": "mlp", "layers": 4, "hidden": 64 }, "platform": { "topology": "dgx2" },
         "cost": { "model": "prices.json" },
         "strategy": { "dp": 2, "tp": 2, "global_batch": 32 } })";

const char* const kEveryCommandWithTwoOutputs[] = {
    "simulate s.json --json X --csv Y",
    "simulate s.json --svg X --trace Y",
    "simulate s.json --html X --json Y",
    "search s.json --json X --csv Y",
    "search s.json --json X --store Y",
    "sweep s.json --json X --csv Y",
    "sweep s.json --csv X --store Y",
    "events s.json --json X --csv Y",
    "import m.onnx --output X --json Y",
    "analyze p.distir --json X --dot Y",
    "execute p.distir --ranks mpi --measurements X --json Y",
    "calibrate m.csv --output X --json Y",
    "calibrate m.csv --output X --measurements Y",
    "validate s.json --here --trace X --json Y",
    "platform dgx2 --output X --json Y",
    "reshard --shape 8 --src-mesh 1x2 --src-spec S0 --dst-mesh 1x2 --dst-spec R --platform dgx2 --json X --svg Y",
    "reshard --shape 8 --src-mesh 1x2 --src-spec S0 --dst-mesh 1x2 --dst-spec R --platform dgx2 --svg X --trace Y",
    "reproduce distir_table3 --json X --svg Y"};

Words words_of(const std::string& line, const std::string& one, const std::string& other) {
  Words words = split(line, ' ');
  for (std::string& word : words) word = word == "X" ? one : word == "Y" ? other : word;
  return words;
}

// The option before the word "X" or "Y".
std::string option_of(const std::string& line, const std::string& word) {
  const Words words = split(line, ' ');
  return *(std::find(words.begin(), words.end(), word) - 1);
}

TEST(Files, TwoOutputsInOneAreRefused) {
  const TemporaryFolder folder;
  for (const std::string line : kEveryCommandWithTwoOutputs) {
    const CommandResult result = run_foreflow(words_of(line, "both", "./both"), folder.path());
    EXPECT_EQ(result.exit_code, 1) << line;
    const std::string first = option_of(line, "X") + " both", second = option_of(line, "Y") + " ./both";
    const auto message = [](const std::string& one, const std::string& other) {
      return fmt::format("foreflow: error: {}, {}: both would be written to one file; give each a file of its own\n",
                         one, other);
    };
    EXPECT_THAT(result.err, testing::AnyOf(message(first, second), message(second, first))) << line;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Files, TwoOutputsOnStdoutAreRefused) {
  const TemporaryFolder folder;
  for (const std::string line : kEveryCommandWithTwoOutputs) {
    const CommandResult result = run_foreflow(words_of(line, "-", "-"), folder.path());
    EXPECT_EQ(result.exit_code, 1) << line;
    EXPECT_EQ(result.out, "") << line;
    const bool has_store = line.find("--store") != std::string::npos;
    EXPECT_THAT(result.err,
                testing::EndsWith(has_store ? " -: is read and added to, which stdout cannot be; name a file\n"
                                            : " -: both would go to stdout; write one of them to a file\n"))
        << line;
  }
}

TEST(Files, OneNameByALinkIsOneFile) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink("real", folder / "link");
  EXPECT_THAT(run_foreflow({"search", "s.json", "--json", "real/x", "--csv", "link/x"}, folder.path()).err,
              StartsWith("foreflow: error: --json real/x, --csv link/x: both would be written to one file"));
}

TEST(Files, AnInputIsNotOverwritten) {
  const Words lines = {"simulate s.json --json s.json",
                       "search s.json --csv s.json",
                       "sweep s.json --csv s.json",
                       "explain s.json --json s.json",
                       "events s.json --csv s.json",
                       "import s.json --output s.json",
                       "transform s.json --pass simplify --output s.json",
                       "analyze s.json --dot s.json",
                       "evaluate p.distir --input x=s.json --json s.json",
                       "execute p.distir --expect y=s.json --json s.json",
                       "calibrate s.json --output s.json",
                       "validate s.json --here --json s.json",
                       "platform s.json --json s.json",
                       "platform --from s.json --output s.json",
                       "collective all_reduce --platform s.json --bytes 1MiB --json s.json"};
  for (const std::string& line : lines) {
    const TemporaryFolder folder;
    write_file(folder / "s.json", kScenario);
    const CommandResult result = run_foreflow(split(line, ' '), folder.path());
    EXPECT_EQ(result.exit_code, 1) << line;
    EXPECT_THAT(result.err, testing::EndsWith("s.json, which is read; write to another file\n")) << line;
    EXPECT_EQ(read_file(folder / "s.json"), kScenario) << line;
  }
}

TEST(Files, AFileThatTheScenarioNamesIsNotOverwritten) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  write_file(folder / "prices.json", "{}");
  EXPECT_EQ(run_foreflow({"simulate", "s.json", "--json", "prices.json"}, folder.path()).err,
            "foreflow: error: --json prices.json: would overwrite prices.json of s.json, which is read; write to "
            "another file\n");
  EXPECT_EQ(read_file(folder / "prices.json"), "{}");
}

TEST(Files, ANumberedOutputIsNotWrittenOverAnInput) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  for (const char* name : {"out/output_0.pb", "out/D1.distir"}) write_file(folder / name, "x");
  const std::string end = ", which is read; write to another folder\n";
  EXPECT_EQ(
      run_foreflow({"evaluate", "p.distir", "--expect", "y=out/output_0.pb", "--output", "out"}, folder.path()).err,
      "foreflow: error: --output out: would overwrite --expect y=out/output_0.pb" + end);
  EXPECT_EQ(run_foreflow({"lower", "out/D1.distir", "-o", "out/"}, folder.path()).err,
            "foreflow: error: --output out/: would overwrite FILE out/D1.distir" + end);
}

TEST(Files, DevicesAndDifferentFilesMayBeWritten) {
  const TemporaryFolder folder;
  write_file(folder / "s.json",
             R"({ "workload": { "model": "mlp" }, "platform": { "topology": "dgx2" }, "strategy": {} })");
  for (const auto& [json, csv] : {std::pair{"/dev/null", "/dev/null"}, std::pair{"a", "b"}, std::pair{"a", "-"}}) {
    const CommandResult result = run_foreflow({"simulate", "s.json", "--json", json, "--csv", csv}, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

}  // namespace
}  // namespace foreflow::files_test
