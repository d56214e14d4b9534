// Members of every model family, shrunk: their gradients are the slopes of the loss, and distributed programs compute
// what those of one device do.
#include "support/families.h"

#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/blocks.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/slopes.h"

namespace foreflow::test::families_test {
namespace {

using workload::Mode;

constexpr int64_t kBatch = 8;

std::vector<std::string> names_of(Mode mode) {
  std::vector<std::string> names;
  for (const auto& [name, member] : members()) {
    if (member.mode == mode) names.push_back(name);
  }
  return names;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& [name, member] : members()) names.push_back(name);
  return names;
}

class FamilyGradients : public testing::TestWithParam<std::string> {};

TEST_P(FamilyGradients, AreTheSlopesOfTheLoss) {
  std::mt19937_64 random(7);
  const Member& member    = members().at(GetParam());
  const ir::Module module = in_double(built(member, 2));
  const auto arguments    = moderate_arguments(module, random, member.below);
  const SlopeCheck check  = check_slopes(module, arguments, random, {}, 60);
  EXPECT_LT(check.worst, 1e-5) << "%" << check.parameter;
  EXPECT_GE(check.parameters, 20);
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyGradients, testing::ValuesIn(names_of(Mode::training)),
                         [](const auto& info) { return info.param; });

class Families : public testing::TestWithParam<std::string> {};

ir::Module program_of(const Member& member) {
  ir::Module module = built(member, kBatch);
  if (member.mode == Mode::training) module = transform::differentiate(module, ops::table());
  return transform::eliminate_dead_code(transform::resolve(module));
}

TEST_P(Families, ComputeTheSameNumbersOnUpToSixteenDevices) {
  const Member& member = members().at(GetParam());
  std::mt19937_64 random(20261);
  const ir::Module module = program_of(member);
  const auto arguments    = moderate_arguments(module, random, member.below);
  const auto expected     = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const Split& split :
       {Split{.dp = 8}, Split{.tp = 2}, Split{.tp = 4}, Split{.pp = 2, .microbatches = 2},
        Split{.pp = 4, .microbatches = 4}, Split{.dp = 2, .pp = 4, .microbatches = 2, .schedule = "gpipe"},
        Split{.tp = 4, .pp = 2, .microbatches = 4}, Split{.dp = 2, .tp = 2, .pp = 2, .microbatches = 2},
        Split{.dp = 4, .microbatches = 2}, Split{.dp = 2, .tp = 4, .pp = 2, .microbatches = 2},
        Split{.dp = 4, .tp = 2, .pp = 2, .microbatches = 2}, Split{.dp = 2, .tp = 2, .pp = 4, .microbatches = 4},
        Split{.tp = 4, .pp = 4, .microbatches = 8}}) {
    if (split.tp > member.tp || split.pp > member.pp) continue;
    SCOPED_TRACE(to_string(split));
    const auto actual = run(distribute(module, split), arguments, expected.size());
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(relative_difference(actual[i], expected[i]), 1e-4) << "result " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Families, testing::ValuesIn(all_names()),
                         [](const auto& info) { return info.param; });

// What tensor parallelism is for: no device has all of the large weights.
TEST(Sharding, HalvesTheWeightsOfEveryTransformer) {
  for (const char* name : {"bert", "llama", "llama_decode", "gpt_decode", "t5", "t5_decode", "vit"}) {
    const ir::Module module  = built(members().at(name), kBatch);
    const ir::Module sharded = transform::shard(transform::resolve(module), ops::table(), 2).module;
    double whole = 0, parts = 0;
    const auto add = [](const ir::Function& function, double& sum) {
      for (size_t i = 0; i < function.parameters.size(); ++i) {
        const ir::Type& type = *function.values[i].annotation;
        if (function.parameters[i] == ir::ParameterRole::weight && type.dims.size() == 2)
          sum += static_cast<double>(ir::element_count(type.dims));
      }
    };
    add(module.entry(), whole);
    add(sharded.entry(), parts);
    EXPECT_LT(parts / 2, 0.75 * whole) << name;
  }
}

// Statistics of a batch are those of all samples, which no device and no microbatch has.
TEST(StatisticsOfABatch, RefuseToBeSplit) {
  const std::string sizes = R"({"depth": 14, "width": 4, "image": 32, "classes": 3, "normalization": "batch"})";
  const ir::Module module = transform::eliminate_dead_code(
      transform::resolve(transform::differentiate(family("resnet", sizes, kBatch, Mode::training), ops::table())));
  for (const Split& split : {Split{.dp = 2}, Split{.microbatches = 2}}) {
    try {
      distribute(module, split);
      ADD_FAILURE() << to_string(split);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("BatchNormalization: needs the whole batch"), std::string::npos)
          << error.what();
    }
  }
}

// Equal layers become calls of functions: a layer more is a few ops more, in both directions, and not the hundred that
// it has.
TEST(Outline, FindsTheLayersOfEveryTransformer) {
  const std::map<std::string, std::string> sizes{
      {"bert", R"("hidden": 8, "heads": 2)"},
      {"gpt", R"("hidden": 8, "heads": 2)"},
      {"llama", R"("hidden": 8, "heads": 2, "feed_forward": 8)"},
      {"vit", R"("hidden": 8, "heads": 2)"},
  };
  for (const auto& [name, rest] : sizes) {
    const auto ops_of = [&, &key = name, &others = rest](int layers) {
      const std::string json  = "{" + others + R"(, "layers": )" + std::to_string(layers) + "}";
      const ir::Module module = transform::differentiate(family(key, json, 2, Mode::training), ops::table());
      return transform::outline(module).entry().ops.size();
    };
    EXPECT_LE(ops_of(8), ops_of(4) + 16) << name;
  }
}

}  // namespace
}  // namespace foreflow::test::families_test
