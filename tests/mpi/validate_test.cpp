// `foreflow validate --here` where the reference executor runs the program.
#include <gmock/gmock.h>

#include <set>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "mpi/processes.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow {
namespace {

constexpr const char* kScenario = R"({
  "name": "small",
  "workload": { "model": "mlp", "layers": 2, "hidden": 16, "dtype": "f32", "mode": "training", "optimizer": "sgd" },
  "platform": { "topology": "localhost", "nodes": 2 },
  "strategy": { "dp": 2, "global_batch": 4 }
})";

TEST(ValidateUnderMpi, ComparesIterationProcessesAndOps) {
  FOREFLOW_MPI_OR_SKIP();
  const test::TemporaryFolder folder;
  write_file(folder / "small.json", kScenario);
  const test::CommandResult result = test::run_foreflow(
      {"validate", "small.json", "--here", "--runner", "mpi", "--iterations", "2", "--json", "rows.json"},
      folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(read_file(folder / "rows.json"), "rows.json");
  std::set<std::string> names;
  for (const JsonView& row : JsonView(json, "rows.json").at("rows").items()) {
    EXPECT_GT(row.at("measured_s").as_number(), 0);
    names.insert(row.at("name").as_string());
  }
  for (const char* name : {"iteration", "D1 compute", "D2 compute", "MatMul", "MPIAllreduce"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(ValidateUnderMpi, RefusesATraceThatWouldLackWhatWasMeasured) {
  FOREFLOW_MPI_OR_SKIP();
  const test::TemporaryFolder folder;
  write_file(folder / "small.json", kScenario);
  const test::CommandResult result = test::run_foreflow(
      {"validate", "small.json", "--here", "--runner", "mpi", "--trace", "trace.json"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("--trace: needs the timelines of PyTorch"));
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.json"));
}

}  // namespace
}  // namespace foreflow
