// `foreflow validate --here` and `calibrate --here` with PyTorch, as a user runs them. Times differ from run to run, so
// the tests look at what is compared, not at how well it agrees.
#include <gmock/gmock.h>

#include <set>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "pytorch/scripts.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::test {
namespace {

constexpr const char* kScenario = R"({
  "name": "small",
  "workload": { "model": "gpt", "layers": 2, "hidden": 32, "heads": 2, "sequence": 16, "vocabulary": 64,
                "dtype": "f32", "mode": "training", "optimizer": "adam" },
  "platform": { "topology": "localhost", "nodes": 2 },
  "strategy": { "pp": 2, "global_batch": 4, "microbatches": 2, "schedule": "1f1b" }
})";

TEST(ValidateHere, ComparesIterationProcessesOpsAndTimelines) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const TemporaryFolder folder;
  write_file(folder / "small.json", kScenario);
  const CommandResult result = run_foreflow({"validate", "small.json", "--here", "--python", python, "--iterations",
                                             "3", "--json", "rows.json", "--trace", "trace.json"},
                                            folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(read_file(folder / "rows.json"), "rows.json");
  std::set<std::string> names;
  for (const JsonView& row : JsonView(json, "rows.json").at("rows").items()) {
    EXPECT_GT(row.at("measured_s").as_number(), 0);
    EXPECT_GE(row.at("predicted_s").as_number(), 0);
    names.insert(row.at("name").as_string());
  }
  for (const char* name : {"iteration", "D1 compute", "D2 compute", "D1 communication", "MatMul", "Send"})
    EXPECT_TRUE(names.contains(name)) << name;
  const Json trace = parse_json(read_file(folder / "trace.json"), "trace.json");
  std::set<int64_t> processes;
  for (const JsonView& event : JsonView(trace, "trace.json").at("traceEvents").items())
    processes.insert(event.at("pid").as_int());
  EXPECT_EQ(processes.size(), 4U);  // D1 and D2, measured and predicted
}

TEST(CalibrateHere, WritesAFileThatPricesTheSameScenarioFromMeasurements) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const TemporaryFolder folder;
  write_file(folder / "small.json", kScenario);
  const CommandResult calibrated = run_foreflow({"calibrate", "small.json", "--here", "--python", python,
                                                 "--iterations", "3", "-o", "here.json", "--measurements", "times.csv"},
                                                folder.path());
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  const CommandResult simulated =
      run_foreflow({"simulate", "small.json", "--set", "cost.model=here.json", "--json", "answer.json"}, folder.path());
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const Json json       = parse_json(read_file(folder / "answer.json"), "answer.json");
  const JsonView shares = JsonView(json, "answer.json").at("cost_provenance");
  EXPECT_EQ(shares.at("roofline").as_number(), 0) << json.dump();
  EXPECT_GT(shares.at("table").as_number(), 0.99);
}

TEST(ValidateHere, SaysWhatAPythonWithoutTorchLacks) {
  const TemporaryFolder folder;
  write_file(folder / "small.json", kScenario);
  const CommandResult result =
      run_foreflow({"validate", "small.json", "--here", "--python", "/nowhere/python3"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("/nowhere/python3"));
}

}  // namespace
}  // namespace foreflow::test
