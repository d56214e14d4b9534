// Tensor parallelism keeps the meaning of a program whatever is split: by any plan, along the sequence, by the
// vocabulary, and under stages and replicas.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/llama_layer.h"

namespace foreflow::tensor_parallel_test {
namespace {

using transform::Distributed;
using transform::Sharding;
using transform::TensorPlan;
using workload::Mode;

// Summation order differs between the two programs; 32-bit floats allow for this much of a tensor's largest element.
constexpr double kTolerance = 1e-4;

constexpr int64_t kBatch = 4, kVocabulary = 16;
const std::string kGpt = R"({"layers": 2, "hidden": 16, "heads": 8, "sequence": 8, "vocabulary": 16})";

ir::Module simplified(const ir::Module& module) { return transform::eliminate_dead_code(transform::resolve(module)); }

ir::Module gpt_gradients() {
  return transform::differentiate(test::family("gpt", kGpt, kBatch, Mode::training), ops::table());
}

ir::Module mlp_sgd() {
  const ir::Module mlp = test::family("mlp", R"({"layers": 4, "hidden": 16})", kBatch, Mode::training);
  return transform::add_optimizer(transform::differentiate(mlp, ops::table()), ops::table(), "sgd");
}

ir::Module gpt_graph() {
  const std::string bytes =
      onnx::write_gpt2({.layers = 2, .heads = 8, .hidden = 16, .vocabulary = kVocabulary, .positions = 8});
  const onnx::Imported imported = onnx::import_bytes(bytes, "gpt2", ops::table());
  return scenario::with_shapes(imported, {{imported.inputs.front().name, {kBatch, 1, 8}}}, "test");
}

ir::Module llama() { return ir::parse(std::string(test::kLlama), "llama", ops::table()); }

ir::Module llama_adam() {
  const ir::Module loss = transform::add_loss(llama(), ops::table(), "cross_entropy");
  return transform::add_optimizer(transform::differentiate(loss, ops::table()), ops::table(), "adam");
}

struct Model {
  std::string name;
  ir::Module (*build)();
  int ways;          // greatest degree of tensor parallelism
  bool tokens;       // looks up a vocabulary, and has a sequence
  std::string plan;  // name patterns
};

const std::vector<Model>& models() {
  const static std::string kRows = R"({"h.*.attn.weight": 1, "h.*.attn.bias": 0, "h.*.proj.weight": 0, "h.*.up.*": 0})";
  static const std::vector<Model> kModels = {
      {"mlp_sgd", mlp_sgd, 8, false, R"({"w*": 1})"},
      {"gpt_gradients", gpt_gradients, 8, true, kRows},
      {"gpt_adam", [] { return transform::add_optimizer(gpt_gradients(), ops::table(), "adam"); }, 8, true,
       R"({"h.*.attn.weight": 1, "h.*.down.weight": 1, "wte": 1, "ln_f.*": 0})"},
      {"gpt_graph", gpt_graph, 8, true, R"({"h.*.mlp.c_fc.weight": 1, "*.c_fc.bias": 0, "*.attn.c_proj.weight": 0})"},
      {"llama", llama, 2, true, R"({"e": 0, "g": 0, "i": 1})"},
      {"llama_adam", llama_adam, 2, true, R"({"d": 0, "h": 1, "z": 0})"},
  };
  return kModels;
}

struct Variant {
  std::string name;
  Sharding (*make)(const Model& model);
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kVariants = {
      {"sequence", [](const Model&) { return Sharding{.sequence = true}; }},
      {"vocabulary", [](const Model&) { return Sharding{.vocabulary = true}; }},
      {"both", [](const Model&) { return Sharding{.sequence = true, .vocabulary = true}; }},
      {"leave_split",
       [](const Model&) {
         return Sharding{.sequence = true, .vocabulary = true, .results = transform::Results::leave_split};
       }},
  };
  return kVariants;
}

struct Groups {
  int dp, pp, microbatches;
};

void expect_same_results(const ir::Module& module, const Sharding& sharding, int ways, const Groups& groups) {
  SCOPED_TRACE("tp=" + std::to_string(ways) + " pp=" + std::to_string(groups.pp) + " dp=" + std::to_string(groups.dp) +
               " microbatches=" + std::to_string(groups.microbatches));
  std::mt19937_64 random(20260);
  const auto arguments = test::random_arguments(module, random, kVocabulary);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  std::vector<Distributed> steps;
  steps.push_back(transform::shard(module, ops::table(), ways, sharding));
  if (groups.pp > 1 || groups.microbatches > 1) {
    steps.push_back(
        transform::pipeline(steps.back().module, ops::table(), test::pipeline(groups.pp, groups.microbatches)));
  }
  if (groups.dp > 1) steps.push_back(transform::replicate(steps.back().module, ops::table(), {.ways = groups.dp}));
  const auto results = test::run(steps, arguments, expected.size());
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
}

void expect_same_results_everywhere(const ir::Module& module, const Sharding& sharding, int most) {
  for (int ways = 2; ways <= most; ways *= 2) {
    for (const Groups& groups : {Groups{1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {1, 2, 4}, {2, 2, 2}, {1, 1, 4}, {4, 1, 1}}) {
      if (groups.dp * groups.pp * ways <= 16) expect_same_results(module, sharding, ways, groups);
    }
  }
}

class TensorParallel : public testing::TestWithParam<std::string> {
 protected:
  const Model& model() const {
    return *std::find_if(models().begin(), models().end(), [&](const Model& row) { return row.name == GetParam(); });
  }
};

// Models with a vocabulary and a sequence.
class TensorParallelTokens : public TensorParallel {};

TEST_P(TensorParallelTokens, ComputesTheSameNumbersAlongTheSequenceAndByTheVocabulary) {
  const ir::Module module = simplified(model().build());
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    expect_same_results_everywhere(module, variant.make(model()), model().ways);
  }
}

TEST_P(TensorParallel, ComputesTheSameNumbersByTheBlocksThatAreRecognised) {
  const ir::Module module = simplified(model().build());
  for (const bool sequence : {false, true}) {
    if (sequence && !model().tokens) continue;
    const Sharding sharding{.plan = {TensorPlan::Kind::megatron}, .sequence = sequence, .vocabulary = sequence};
    expect_same_results_everywhere(module, sharding, model().ways);
  }
}

TEST_P(TensorParallel, ComputesTheSameNumbersByAPlan) {
  const ir::Module module = simplified(model().build());
  const Json plan         = parse_json(model().plan, "plan");
  Sharding sharding{.plan = transform::read_tensor_plan(JsonView(plan, "plan"))};
  expect_same_results_everywhere(module, sharding, model().ways);
  if (!model().tokens) return;
  sharding.sequence = true;
  expect_same_results_everywhere(module, sharding, model().ways);
}

std::vector<std::string> names(bool tokens) {
  std::vector<std::string> all;
  for (const Model& model : models()) {
    if (model.tokens || !tokens) all.push_back(model.name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, TensorParallel, testing::ValuesIn(names(false)),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(EveryModel, TensorParallelTokens, testing::ValuesIn(names(true)),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::tensor_parallel_test
