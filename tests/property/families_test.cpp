// Members of every model family, shrunk: their gradients are the slopes of the loss, and distributed programs compute
// what those of one device do.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"
#include "support/slopes.h"

namespace foreflow::test {
namespace {

using workload::Mode;

constexpr int64_t kBatch = 8;

struct Member {
  std::string family, sizes;
  Mode mode     = Mode::training;
  int64_t below = 5;  // integers of its data
  int tp        = 4;  // greatest degree of tensor parallelism
  int pp        = 4;  // of pipeline parallelism
};

const std::map<std::string, Member>& members() {
  static const std::map<std::string, Member> kMembers = {
      {"bert",
       {"bert",
        R"({"layers": 4, "hidden": 8, "heads": 4, "feed_forward": 16, "sequence": 3, "positions": 5, "vocabulary": 7})",
        Mode::training, 2}},
      {"llama",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 7})"}},
      {"llama_prefill",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5})",
        Mode::inference}},
      {"llama_decode",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"gpt_prefill",
       {"gpt", R"({"layers": 4, "hidden": 8, "heads": 4, "sequence": 4, "vocabulary": 5, "phase": "prefill"})",
        Mode::inference}},
      {"gpt_decode",
       {"gpt",
        R"({"layers": 4, "hidden": 8, "heads": 4, "sequence": 8, "vocabulary": 5, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"resnet", {"resnet", R"({"depth": 14, "width": 4, "image": 32, "classes": 3})", Mode::training, 3, 1}},
      {"resnet_groups",
       {"resnet", R"({"depth": 14, "width": 4, "image": 32, "classes": 3, "normalization": "group"})", Mode::training,
        3, 1}},
      {"t5",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "target_sequence": 3, "vocabulary": 7})"}},
      {"t5_prefill",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "vocabulary": 7})",
        Mode::inference}},
      {"t5_decode",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "vocabulary": 7, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"unet", {"unet", R"({"blocks": 2, "width": 8, "image": 4, "heads": 2, "context": 3})", Mode::training, 5, 2}},
      {"vit",
       {"vit", R"({"layers": 4, "hidden": 8, "heads": 4, "image": 8, "patch": 4, "classes": 3})", Mode::training, 3}},
  };
  return kMembers;
}

ir::Module built(const Member& member, int64_t batch) {
  return family(member.family, member.sizes, batch, member.mode);
}

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

TEST_P(Families, ComputeTheSameNumbersOnUpToEightDevices) {
  const Member& member = members().at(GetParam());
  std::mt19937_64 random(20261);
  const ir::Module module = program_of(member);
  const auto arguments    = moderate_arguments(module, random, member.below);
  const auto expected     = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const Split& split :
       {Split{.dp = 8}, Split{.tp = 2}, Split{.tp = 4}, Split{.pp = 2, .microbatches = 2},
        Split{.pp = 4, .microbatches = 4}, Split{.dp = 2, .pp = 4, .microbatches = 2, .schedule = "gpipe"},
        Split{.tp = 4, .pp = 2, .microbatches = 4}, Split{.dp = 2, .tp = 2, .pp = 2, .microbatches = 2},
        Split{.dp = 4, .microbatches = 2}}) {
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
  for (const std::string& name : {"bert", "llama", "llama_decode", "gpt_decode", "t5", "t5_decode", "vit"}) {
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

}  // namespace
}  // namespace foreflow::test
