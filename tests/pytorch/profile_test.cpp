// calibration/profile.py measures each op of a training step, and what it writes makes a calibration.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "pytorch/scripts.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::test {
namespace {

constexpr const char* kSmall = R"("layers": 1, "hidden": 64, "heads": 4, "vocabulary": 256, "sequence": 32)";

std::string scenario(const std::string& model, const std::string& sizes, const std::string& strategy) {
  return R"({"workload": {"model": ")" + model + R"(", "mode": "training", )" + sizes +
         R"(}, "platform": {"topology": "dgx_h100"}, "engine": "analytic",
            "strategy": {"global_batch": 4, )" +
         strategy + "}}";
}

// The fifth column, which has quotes where its writer sees a reason.
std::string signature_in(const std::string& line) {
  size_t at = 0;
  for (int column = 0; column < 4; ++column) at = line.find(',', at) + 1;
  if (line[at] != '"') return line.substr(at, line.find(',', at) - at);
  std::string text;
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '"' && line[++i] != '"') break;
    text += line[i];
  }
  return text;
}

std::vector<std::string> signatures(const std::string& csv) {
  std::vector<std::string> all;
  for (const std::string& line : split(csv, '\n')) {
    if (line.starts_with("compute")) all.push_back(signature_in(line));
  }
  std::sort(all.begin(), all.end());
  return all;
}

struct Case {
  std::string name, text;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class ProfileScript : public testing::TestWithParam<Case> {};

TEST_P(ProfileScript, MeasuresEachOpOfATrainingStep) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const TemporaryFolder folder;
  write_file(folder / "s.json", GetParam().text);
  const CommandResult listed = run_foreflow({"events", "s.json", "--csv", "events.csv"}, folder.path());
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const std::string script     = FOREFLOW_SOURCE_DIR "/calibration/profile.py";
  const CommandResult measured = run_program(
      python, {script, "events.csv", "-o", "times.csv", "--device", "cpu", "--warm-up", "0", "--repeat", "1"},
      folder.path());
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(measured.err.find("not measured"), std::string::npos) << measured.err;
  EXPECT_EQ(signatures(read_file(folder / "times.csv")), signatures(read_file(folder / "events.csv")));
  const CommandResult calibrated = run_foreflow({"calibrate", "times.csv", "-o", "c.json"}, folder.path());
  EXPECT_EQ(calibrated.exit_code, 0) << calibrated.err;
}

INSTANTIATE_TEST_SUITE_P(
    Models, ProfileScript,
    testing::Values(
        Case{"llama_cp", scenario("llama", std::string(kSmall) + R"(, "kv_heads": 2, "dtype": "bf16")", R"("cp": 2)")},
        Case{"moe_ep", scenario("moe", std::string(kSmall) + R"(, "dtype": "bf16")", R"("dp": 2, "ep": 2)")},
        Case{"gpt_tp", scenario("gpt", std::string(kSmall) + R"(, "dtype": "f32")",
                                R"("tp": 2, "vocabulary_parallel": true, "attention": "unfused")")},
        Case{"bert", scenario("bert", std::string(kSmall) + R"(, "dtype": "f32")", R"("zero": 1, "dp": 2)")},
        Case{"resnet", scenario("resnet", R"("depth": 14, "width": 8, "image": 32, "dtype": "f32")", R"("dp": 2)")}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::test
