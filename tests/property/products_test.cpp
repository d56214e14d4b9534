// Contexts and experts beside every other way to distribute a program: products of two and more of them keep its
// meaning.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/families.h"

namespace foreflow::test::products_test {
namespace {

using transform::Recompute;
using workload::Mode;

constexpr int64_t kBatch = 8, kVocabulary = 8;

struct Model {
  std::string name, family, sizes;
  int cp, ep;                   // greatest degrees
  int64_t below = kVocabulary;  // integers of its data
};

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"gpt", "gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 8})", 4, 1},
      {"llama", "llama",
       R"({"layers": 2, "hidden": 16, "heads": 4, "kv_heads": 2, "feed_forward": 12, "sequence": 8, "vocabulary": 8})",
       4, 1},
      {"moe", "moe",
       R"({"layers": 2, "hidden": 16, "heads": 4, "kv_heads": 2, "feed_forward": 12, "sequence": 8, "vocabulary": 8, "experts": 4,
           "routing_groups": 8, "shared_experts": 1, "balance_loss": 0.3})",
       4, 4},
      {"bert", "bert", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "positions": 8, "vocabulary": 8})", 4,
       1, 2},
      {"t5", "t5",
       R"({"layers": 2, "hidden": 16, "heads": 4, "head_size": 4, "feed_forward": 12, "sequence": 16, "vocabulary": 8})",
       4, 1},
  };
  return kModels;
}

struct Program {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Program program_of(const Model& model) {
  const ir::Module forward = family(model.family, model.sizes, kBatch, Mode::training);
  const ir::Module step =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "adam");
  Program program{transform::eliminate_dead_code(transform::resolve(step)), {}, {}};
  std::mt19937_64 random(20263);
  program.arguments = random_arguments(program.module, random, model.below);
  program.results   = interpret::evaluate(program.module, program.module.functions.size() - 1, program.arguments);
  return program;
}

struct Factor {
  std::string name;
  Split split;  // beside cp and ep
  transform::Sharding sharding;
  Recompute recompute;
};

Factor factor(std::string name, Split split, transform::Sharding sharding = {}, Recompute recompute = {}) {
  return {std::move(name), std::move(split), std::move(sharding), std::move(recompute)};
}

const std::vector<Factor>& factors() {
  static const transform::Sharding kSequence{.sequence = true}, kBoth{.sequence = true, .vocabulary = true};
  static const Recompute kSelective{Recompute::Kind::selective, 1, {}}, kFull{Recompute::Kind::blocks, 1, {}};
  static const std::vector<Factor> kFactors = {
      factor("tp", {.tp = 2}),
      factor("sequence", {.tp = 2}, kSequence),
      factor("vocabulary", {.tp = 2}, {.vocabulary = true}),
      factor("both", {.tp = 2}, kBoth),
      factor("megatron", {.tp = 2}, {.plan = {transform::TensorPlan::Kind::megatron}, .sequence = true}),
      factor("overlap_tensor", {.tp = 2, .chunks = 2}, kSequence),
      factor("zero1", {.dp = 2, .zero = 1}),
      factor("zero2", {.dp = 2, .microbatches = 2, .zero = 2, .overlap = true}),
      factor("zero3", {.dp = 2, .zero = 3, .overlap = true, .bucket = Bytes(512)}),
      factor("selective", {}, {}, kSelective),
      factor("full", {.microbatches = 2}, {}, kFull),
      factor("pipeline", {.pp = 2, .microbatches = 4, .sends = true}),
      factor("zero_bubble", {.pp = 2, .microbatches = 4, .schedule = "zb_h1"}),
      factor("pipeline_full", {.pp = 2, .microbatches = 2}, {}, kFull),
      factor("all", {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .zero = 1, .overlap = true, .chunks = 2}, kBoth,
             kSelective),
  };
  return kFactors;
}

// As scenarios do it: test::distribute knows neither recomputation nor what is split beside weights.
std::vector<transform::Distributed> distributed(const ir::Module& module, const Factor& factor, const Split& split) {
  const ir::OpTable& ops = ops::table();
  std::vector<transform::Distributed> steps;
  steps.push_back(
      transform::shard(transform::recompute(module, ops, factor.recompute, split.pp), ops, split.tp, factor.sharding));
  for (const transform::DataSplitStep& step :
       transform::data_split_steps(split.cp, split.ep, factor.sharding.sequence ? split.tp : 1))
    steps.push_back(transform::split_data(steps.back().module, ops, step.ways, step.split));
  if (split.pp > 1 || split.microbatches > 1)
    steps.push_back(
        transform::pipeline(steps.back().module, ops, pipeline(split.pp, split.microbatches, split.schedule)));
  const int replicas = split.dp / transform::replicas_in_group(split.cp, split.ep);
  if (replicas > 1)
    steps.push_back(
        transform::replicate(steps.back().module, ops, {replicas, split.zero, split.overlap, split.bucket}));
  ir::Module& last = steps.back().module;
  last             = transform::overlap_tensor(last, ops, split.chunks);
  if (split.sends) last = transform::overlap_sends(last, ops);
  return steps;
}

class Products : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Products, KeepTheMeaningWithContextsAndExperts) {
  const auto& [name, with] = GetParam();
  const auto model =
      std::find_if(models().begin(), models().end(), [&, &key = name](const Model& one) { return one.name == key; });
  const auto factor =
      std::find_if(factors().begin(), factors().end(), [&, &key = with](const Factor& one) { return one.name == key; });
  const Program program = program_of(*model);
  for (int cp = 1; cp <= model->cp; cp *= 2) {
    for (int ep = 1; ep <= model->ep; ep *= 2) {
      for (const int replicas : {1, 2}) {
        Split split = factor->split;
        split.cp    = cp;
        split.ep    = ep;
        split.dp    = replicas * std::max(split.dp, 1) * transform::replicas_in_group(cp, ep);
        if (split.dp > kBatch / split.microbatches || split.dp * split.cp * split.tp * split.pp > 16) continue;
        if (cp * ep == 1) continue;
        SCOPED_TRACE(to_string(split));
        const auto actual = run(distributed(program.module, *factor, split), program.arguments, program.results.size());
        ASSERT_EQ(actual.size(), program.results.size());
        for (size_t i = 0; i < actual.size(); ++i)
          EXPECT_LE(relative_difference(actual[i], program.results[i]), 1e-4) << "result " << i;
      }
    }
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> factor_names() {
  std::vector<std::string> names;
  for (const Factor& factor : factors()) names.push_back(factor.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Products,
                         testing::Combine(testing::ValuesIn(model_names()), testing::ValuesIn(factor_names())),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

// Inference that reads a prompt and keeps the keys and values of it.
class Prefill : public testing::TestWithParam<std::string> {};

TEST_P(Prefill, KeepsItsMeaningWithContexts) {
  const Member& member    = members().at(GetParam());
  const ir::Module module = transform::eliminate_dead_code(transform::resolve(built(member, kBatch)));
  std::mt19937_64 random(20265);
  const auto arguments = random_arguments(module, random, member.below);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const Split& split :
       {Split{.cp = 2}, Split{.cp = 4}, Split{.tp = 2, .cp = 2}, Split{.pp = 2, .microbatches = 2, .cp = 2},
        Split{.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .cp = 2}}) {
    SCOPED_TRACE(to_string(split));
    const auto actual = run(distribute(module, split), arguments, expected.size());
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_LE(relative_difference(actual[i], expected[i]), 1e-4) << "result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Decoders, Prefill,
                         testing::Values("gpt_prefill", "llama_prefill", "moe_prefill", "t5_prefill"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::products_test
