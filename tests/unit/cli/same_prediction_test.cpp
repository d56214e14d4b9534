// All commands predict a scenario of a framework alike, also where they learn late what its conditions ask for: sweeps
// from an axis, `explain` and `events` from another setting.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::same_prediction_test {
namespace {

constexpr const char* kScenario = R"({{"framework": "{}",
  "workload": {{"model": "gpt", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128}},
  "platform": {{"topology": "dgx_h100"}}, "engine": "analytic",
  "strategy": {{"dp": [1, 2], "tp": [1, 2], "pp": [1, 2], "microbatches": 2, "global_batch": 8}}}})";

Json answer(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const test::CommandResult result = test::run_foreflow(arguments, folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out, "stdout");
}

class Commands : public testing::TestWithParam<const char*> {};

TEST_P(Commands, PredictTheSame) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", fmt::format(kScenario, GetParam()));
  const Json swept = answer({"sweep", "s.json", "--jobs", "1", "--json", "-"}, folder.path());
  int points       = 0;
  const JsonView view(swept, "sweep");
  for (const JsonView& point : view.at("points").items()) {
    if (!point.has("iteration_time_s")) continue;
    std::vector<std::string> settings;
    for (const auto& [axis, value] : point.at("values").members()) {
      settings.insert(settings.end(), {"--set", axis + "=" + value.json().dump_compact()});
    }
    const auto of = [&](const std::string& command) {
      std::vector<std::string> arguments{command, "s.json", "--json", "-"};
      arguments.insert(arguments.end(), settings.begin(), settings.end());
      const Json result = answer(arguments, folder.path());
      return JsonView(result, command).at("iteration_time_s").as_number();
    };
    EXPECT_DOUBLE_EQ(of("simulate"), point.at("iteration_time_s").as_number()) << point.json().dump_compact();
    EXPECT_DOUBLE_EQ(of("simulate"), of("explain")) << point.json().dump_compact();
    ++points;
  }
  EXPECT_EQ(points, 8);
}

INSTANTIATE_TEST_SUITE_P(Frameworks, Commands, testing::Values("megatron-lm", "torchtitan", "fsdp"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace foreflow::same_prediction_test
