// Every command takes `.distirb` where it takes `.distir`.
#include <gmock/gmock.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::test::distirb_test {
namespace {

const std::string kText = (std::filesystem::path(FOREFLOW_SOURCE_DIR) / "workloads/pipeline_mlp.distir").string();

TEST(DistirbCommands, TurnAProgramToBinaryAndBack) {
  const TemporaryFolder folder;
  const std::string binary = folder / "m.distirb", text = folder / "m.distir", plain = folder / "plain.distir";
  ASSERT_EQ(run_foreflow({"transform", kText, "--pass", "eliminate_dead_code", "-o", binary}).exit_code, 0);
  ASSERT_EQ(run_foreflow({"transform", kText, "--pass", "eliminate_dead_code", "-o", plain}).exit_code, 0);
  ASSERT_EQ(run_foreflow({"transform", binary, "--pass", "eliminate_dead_code", "-o", text}).exit_code, 0);
  EXPECT_EQ(read_file(text), read_file(plain));
  EXPECT_LT(read_file(binary).size(), read_file(plain).size());
}

TEST(DistirbCommands, KnowAFileByItsContent) {
  const TemporaryFolder folder;
  const std::string binary = folder / "m.distirb", renamed = folder / "m.distir";
  ASSERT_EQ(run_foreflow({"workload", "mlp", "--layers", "2", "--hidden", "8", "-o", binary}).exit_code, 0);
  std::filesystem::copy_file(binary, renamed);
  EXPECT_EQ(run_foreflow({"check", renamed}).exit_code, 0);
  EXPECT_EQ(run_foreflow({"infer", binary}).out, run_foreflow({"infer", renamed}).out);
  EXPECT_EQ(run_foreflow({"infer", binary}).exit_code, 0);
}

TEST(DistirbCommands, SimulateAProgramOfEitherForm) {
  const TemporaryFolder folder;
  const std::string scenario =
      R"({"name": "m", "workload": {"distir": "m.FORM"}, "platform": {"topology": "p3_8xlarge", "nodes": 1}, "engine": "analytic"})";
  std::vector<std::string> answers;
  for (const std::string form : {"distir", "distirb"}) {
    ASSERT_EQ(
        run_foreflow({"workload", "mlp", "--layers", "2", "--hidden", "8", "-o", folder / ("m." + form)}).exit_code, 0);
    std::string text = scenario;
    write_file(folder / "s.json", text.replace(text.find("FORM"), 4, form));
    answers.push_back(run_foreflow({"simulate", folder / "s.json"}).out);
  }
  EXPECT_FALSE(answers[0].empty());
  EXPECT_EQ(answers[0], answers[1]);
}

TEST(DistirbCommands, RefuseADamagedFileInOneLine) {
  const TemporaryFolder folder;
  const std::string binary = folder / "m.distirb";
  write_file(binary,
             "\x0A\x08"
             "distirb");
  const CommandResult result = run_foreflow({"check", binary});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "foreflow: error: " + binary + ": is no .distirb file: it does not begin like one\n");
}

}  // namespace
}  // namespace foreflow::test::distirb_test
