// Functions are a way of writing: outlined, inlined, cleared of what is dead or computed twice, a program computes the
// same numbers.
#include <gtest/gtest.h>

#include <random>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/blocks.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/repeating.h"

namespace foreflow::functions_test {
namespace {

using workload::Mode;
using Arrays = std::vector<ir::Array>;

constexpr uint64_t kPrograms = 300;

Arrays evaluate(const ir::Module& module, const Arrays& arguments) {
  return interpret::evaluate(module, module.functions.size() - 1, arguments);
}

struct Program {
  std::string name;
  ir::Module module;
  int64_t below = 2;  // integers of the data
};

ir::Module trained(const ir::Module& forward, std::string_view optimizer) {
  return transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), optimizer);
}

// Forward and training, on one device and on several, by families and from ONNX.
std::vector<Program> real_programs() {
  const std::string gpt = R"({"layers": 3, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";
  const std::string mlp = R"({"layers": 6, "hidden": 8})";
  std::vector<Program> programs;
  const ir::Module loss = test::family("gpt", gpt, 8, Mode::training);
  programs.push_back({"gpt", loss, 11});
  programs.push_back({"gpt with sgd", trained(loss, "sgd"), 11});
  programs.push_back({"gpt with adam", trained(loss, "adam"), 11});
  programs.push_back({"mlp", test::family("mlp", mlp, 8, Mode::inference)});
  const ir::Module mlp_sgd = transform::resolve(trained(test::family("mlp", mlp, 8, Mode::training), "sgd"));
  programs.push_back({"mlp with sgd", mlp_sgd});
  programs.push_back({"mlp in shards", transform::shard(mlp_sgd, ops::table(), 2).module});
  programs.push_back({"mlp in a pipeline", test::distribute(mlp_sgd, {2, 1, 2, 2, "1f1b"}).back().module});
  const onnx::Imported gpt2 =
      onnx::import_bytes(onnx::write_gpt2({3, 2, 8, 11, 16}), "gpt2", ops::table(), onnx::Numbers::skip);
  programs.push_back({"gpt2 from ONNX", scenario::with_shapes(gpt2, {{"input1", {1, 2, 4}}}, "test"), 11});
  return programs;
}

using Pass = ir::Module (*)(const ir::Module&);

void expect_same_numbers(const Program& program, Pass pass, uint64_t seed) {
  std::mt19937_64 random(seed);
  const Arrays arguments = test::random_arguments(program.module, random, program.below);
  const ir::Module after = pass(program.module);
  ASSERT_NO_THROW(ir::verify(after));
  EXPECT_EQ(evaluate(after, arguments), evaluate(program.module, arguments)) << ir::print(after);
}

void expect_same_numbers_everywhere(Pass pass) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    expect_same_numbers({"random", test::repeating_program(seed)}, pass, seed);
    if (testing::Test::HasFailure()) return;
  }
  for (const Program& program : real_programs()) {
    SCOPED_TRACE(program.name);
    expect_same_numbers(program, pass, 1);
  }
}

ir::Module outlined(const ir::Module& module) { return transform::outline(module, 2); }
ir::Module inlined(const ir::Module& module) { return transform::inline_calls(module); }

TEST(Outline, ComputesTheSameNumbers) { expect_same_numbers_everywhere(outlined); }
TEST(Outline, ComputesTheSameNumbersWithLargeBlocks) {
  expect_same_numbers_everywhere([](const ir::Module& module) { return transform::outline(module); });
}
TEST(Inline, ComputesTheSameNumbers) { expect_same_numbers_everywhere(inlined); }

TEST(Inline, UndoesOutline) {
  size_t repeating = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Module module  = test::repeating_program(seed);
    const ir::Module written = outlined(module);
    repeating += written.functions.size() > 1 ? 1 : 0;
    ASSERT_EQ(test::anonymous(inlined(written)), test::anonymous(module)) << ir::print(written);
  }
  EXPECT_GT(repeating, kPrograms / 2);
  for (const Program& program : real_programs()) {
    if (program.module.functions.size() > 1) continue;
    EXPECT_EQ(test::anonymous(inlined(outlined(program.module))), test::anonymous(program.module)) << program.name;
  }
}

TEST(Outline, NeverWritesMoreOpsAndFindsNothingMoreInWhatItWrote) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Module module  = test::repeating_program(seed);
    const ir::Module written = outlined(module);
    EXPECT_LE(test::count_ops(written), test::count_ops(module));
    EXPECT_TRUE(ir::same_program(outlined(written), written));
    EXPECT_TRUE(ir::same_program(ir::parse(ir::print(written), "random", ops::table()), written));
  }
}

void expect_never_more_and_idempotent(Pass pass) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Module module = test::repeating_program(seed);
    for (const ir::Module& form : {module, outlined(module)}) {
      const ir::Module after = pass(form);
      EXPECT_LE(test::count_ops(after), test::count_ops(form));
      EXPECT_TRUE(ir::same_program(pass(after), after)) << ir::print(after);
    }
  }
}

TEST(CommonSubexpressions, AreComputedOnceWithTheSameNumbers) {
  expect_same_numbers_everywhere(transform::eliminate_common_subexpressions);
  expect_same_numbers_everywhere(
      [](const ir::Module& module) { return transform::eliminate_common_subexpressions(outlined(module)); });
}
TEST(CommonSubexpressions, AreGoneAfterOnePass) {
  expect_never_more_and_idempotent(transform::eliminate_common_subexpressions);
}

TEST(DeadCode, IsNotMissed) {
  expect_same_numbers_everywhere(transform::eliminate_dead_code);
  expect_same_numbers_everywhere(
      [](const ir::Module& module) { return transform::eliminate_dead_code(outlined(module)); });
}
TEST(DeadCode, IsGoneAfterOnePass) { expect_never_more_and_idempotent(transform::eliminate_dead_code); }

// Through calls as if they were written out.
TEST(DeadCode, IsFoundInFunctions) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const ir::Module module = test::repeating_program(seed);
    ir::Module one_result   = outlined(module);
    one_result.functions.back().results.resize(1);
    for (const ir::Function& function : transform::eliminate_dead_code(one_result).functions) {
      std::vector<bool> used(function.values.size());
      for (const ir::ValueId id : function.operands) used[ir::index(id)] = true;
      for (const ir::ValueId id : function.results) used[ir::index(id)] = true;
      for (const ir::Op& op : function.ops) {
        bool any = false;
        for (uint32_t i = 0; i < op.result_count; ++i) any = any || used[op.first_result + i];
        EXPECT_TRUE(any) << seed << " @" << function.name << " " << (op.is_call() ? "call" : op.def->name);
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::functions_test
