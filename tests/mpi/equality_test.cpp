// Processes with messages compute what the reference executor does, bit by bit, and never wait for each other for ever.
#include <gmock/gmock.h>

#include "execute/values.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "mpi/processes.h"
#include "mpi/random_program.h"
#include "support/distribution.h"

namespace foreflow {
namespace {

using execute::Task;

// Every result has the same bytes.
void expect_equal(const Task& task, const execute::Execution& execution, const std::string& what) {
  const auto expected = interpret::evaluate(task.module, task.module.functions.size() - 1, task.arguments);
  ASSERT_EQ(execution.results.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(execute::to_bytes(execution.results[i]), execute::to_bytes(expected[i]))
        << "result " << i << " of " << what;
  }
}

TEST(Processes, ComputeRandomProgramsAsTheReferenceExecutorDoes) {
  FOREFLOW_MPI_OR_SKIP();
  constexpr int kPrograms = 200, kDevices = 4, kOps = 40;
  std::mt19937_64 random(20261121);
  std::vector<Task> tasks;
  std::vector<std::string> texts;
  for (int i = 0; i < kPrograms; ++i) {
    texts.push_back(test::random_program(random, kDevices, kOps));
    tasks.push_back(test::with_random_arguments(ir::parse(texts.back(), "random.distir", ops::table()), random()));
  }
  const auto executions = test::run_processes(tasks, {.timeout = Seconds(60)});
  for (size_t i = 0; i < tasks.size(); ++i) expect_equal(tasks[i], executions[i], texts[i]);
}

TEST(Processes, TrainAsTheReferenceExecutorDoes) {
  FOREFLOW_MPI_OR_SKIP();
  const std::string gpt           = R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";
  const std::string mlp           = R"({"layers": 4, "hidden": 8})";
  std::vector<test::Split> splits = {{2, 1, 1, 1}, {1, 2, 1, 1}, {1, 1, 2, 4},
                                     {2, 1, 2, 2}, {1, 2, 2, 2}, {2, 2, 1, 1}};
  for (const std::vector<int>& stages : {std::vector{2, 1}, {1, 2}}) {
    splits.push_back({.microbatches = 2});
    splits.back().stage_tp = stages;
  }
  std::vector<Task> tasks;
  for (const test::Split& split : splits) {
    for (const auto& [name, sizes] : {std::pair("gpt", gpt), std::pair("mlp", mlp)}) {
      const ir::Module gradients =
          transform::differentiate(test::family(name, sizes, 8, workload::Mode::training), ops::table());
      const ir::Module updated = transform::add_optimizer(gradients, ops::table(), "adam");
      const auto steps         = test::distribute(transform::eliminate_dead_code(transform::resolve(updated)), split);
      tasks.push_back(test::with_random_arguments(steps.back().module, tasks.size()));
    }
  }
  const auto executions = test::run_processes(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) expect_equal(tasks[i], executions[i], test::to_string(splits[i / 2]));
}

// The programs that ship, made smaller.
TEST(Processes, ComputeTheShippedProgramsAsTheReferenceExecutorDoes) {
  FOREFLOW_MPI_OR_SKIP();
  std::vector<Task> tasks;
  for (const char* name : {"pipeline_mlp", "zero_mlp", "checkpointing_mlp"}) {
    std::string text = read_file(std::string(FOREFLOW_SOURCE_DIR "/workloads/") + name + ".distir");
    for (const auto& [large, small] : {std::pair("512", "16"), std::pair("256", "8"), std::pair("128", "4")}) {
      for (size_t at = text.find(large); at != std::string::npos; at = text.find(large)) text.replace(at, 3, small);
    }
    tasks.push_back(test::with_random_arguments(ir::parse(text, name, ops::table()), 1));
  }
  const auto executions = test::run_processes(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) expect_equal(tasks[i], executions[i], tasks[i].module.source);
}

TEST(Processes, AreTimedOpByOpAndMessageByMessage) {
  FOREFLOW_MPI_OR_SKIP();
  const std::string text    = R"(func @main(%x: Tensor[Float32, (64, 32), 1], %w: Tensor[Float32, (32, 16), 2]) {
  %a = Relu(%x)
  %b: D2 = Send(%a, 2)
  %c: D2 = MatMul(%b, %w)
  return %c
}
)";
  constexpr int kIterations = 5;
  const Task task           = test::with_random_arguments(ir::parse(text, "p.distir", ops::table()), 1);
  const auto execution      = test::run_processes({task}, {.iterations = kIterations, .warmup = 2}).front();
  ASSERT_EQ(execution.iterations.size(), 5U);
  ASSERT_EQ(execution.measurements.size(), 3U);
  const auto& [relu, matmul, send] =
      std::tie(execution.measurements[0], execution.measurements[1], execution.measurements[2]);
  EXPECT_EQ(relu.signature, "Relu(f32[64x32]) -> f32[64x32]");
  EXPECT_EQ(relu.rank, 0);
  EXPECT_EQ(matmul.signature, "MatMul(f32[64x32] f32[32x16]) -> f32[64x16]");
  EXPECT_EQ(matmul.rank, 1);
  EXPECT_EQ(matmul.flops, Flops(2.0 * 64 * 32 * 16));
  EXPECT_EQ(send.signature, "Send 8192 B over 2");
  EXPECT_EQ(send.message, Bytes(64 * 32 * 4));
  for (const cost::Measurement& row : execution.measurements) {
    EXPECT_EQ(row.count, kIterations);
    EXPECT_GT(row.fastest, Seconds(0));
    EXPECT_LE(row.fastest, row.time);
  }
  // The program is a chain: no iteration is shorter than its parts at their fastest.
  for (const Seconds iteration : execution.iterations)
    EXPECT_GE(iteration, relu.fastest + send.fastest + matmul.fastest);
}

}  // namespace
}  // namespace foreflow
