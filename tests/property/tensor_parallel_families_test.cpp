// Every model family, shrunk, keeps its meaning when tensor parallelism splits recognised blocks, the sequence and the
// vocabulary.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/families.h"
#include "support/slopes.h"

namespace foreflow::test::tensor_parallel_families_test {
namespace {

using transform::Sharding;
using transform::TensorPlan;
using workload::Mode;

constexpr int64_t kBatch = 4;

struct Program {
  ir::Module module;
  std::vector<ir::Array> arguments, expected;
};

Member with_sizes(Member member, const std::map<std::string, int>& changed) {
  Json sizes = parse_json(member.sizes, "sizes");
  for (const auto& [key, size] : changed) {
    if (sizes.find(key) != nullptr) sizes.set(key, size);
  }
  member.sizes = sizes.dump_compact();
  return member;
}

// Sizes that four ways divide, in place of those that they do not.
Member divisible(const Member& member) {
  return with_sizes(
      member, {{"sequence", 8}, {"target_sequence", 4}, {"vocabulary", 8}, {"positions", 8}, {"routing_groups", 4}});
}

Program program_of(const Member& member) {
  ir::Module module = built(member, kBatch);
  if (member.mode == Mode::training) module = transform::differentiate(module, ops::table());
  std::mt19937_64 random(20262);
  Program program{transform::eliminate_dead_code(transform::resolve(module)), {}, {}};
  program.arguments = moderate_arguments(program.module, random, member.below);
  program.expected  = interpret::evaluate(program.module, program.module.functions.size() - 1, program.arguments);
  return program;
}

struct Groups {
  int tp, pp, dp, microbatches;
};

void expect_same_numbers(const Program& program, const Sharding& sharding, const Groups& groups) {
  std::vector<transform::Distributed> steps;
  steps.push_back(transform::shard(program.module, ops::table(), groups.tp, sharding));
  if (groups.pp > 1 || groups.microbatches > 1) {
    steps.push_back(
        transform::pipeline(steps.back().module, ops::table(), test::pipeline(groups.pp, groups.microbatches)));
  }
  if (groups.dp > 1) steps.push_back(transform::replicate(steps.back().module, ops::table(), {.ways = groups.dp}));
  const auto actual = run(steps, program.arguments, program.expected.size());
  ASSERT_EQ(actual.size(), program.expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_LT(relative_difference(actual[i], program.expected[i]), 1e-4) << "result " << i;
}

// What a family may say when it has nothing to split so.
bool is_refusal(const std::string& what) {
  for (const char* reason :
       {"sequence parallelism of", "vocabulary parallelism over", "that the plan megatron recognises"}) {
    if (what.find(reason) != std::string::npos) return true;
  }
  return false;
}

class TensorParallelFamilies : public testing::TestWithParam<std::string> {};

TEST_P(TensorParallelFamilies, ComputeTheSameNumbersHoweverTheyAreSplit) {
  const Member member   = divisible(members().at(GetParam()));
  const Program program = program_of(member);
  const TensorPlan megatron{TensorPlan::Kind::megatron};
  for (const Sharding& sharding : {Sharding{.sequence = true},
                                   {.vocabulary = true},
                                   {.sequence = true, .vocabulary = true},
                                   {.plan = megatron},
                                   {.plan = megatron, .sequence = true, .vocabulary = true}}) {
    for (const Groups& groups :
         {Groups{2, 1, 1, 1}, {4, 1, 1, 1}, {2, 2, 2, 2}, {2, 1, 4, 1}, {4, 2, 2, 2}, {2, 2, 1, 4}}) {
      const int parts = groups.dp * groups.microbatches;
      if (groups.tp > member.tp || groups.pp > member.pp || parts > kBatch) continue;
      SCOPED_TRACE("tp=" + std::to_string(groups.tp) + " pp=" + std::to_string(groups.pp) +
                   " dp=" + std::to_string(groups.dp) + (sharding.sequence ? " sequence" : "") +
                   (sharding.vocabulary ? " vocabulary" : "") +
                   (sharding.plan.kind == TensorPlan::Kind::megatron ? " megatron" : ""));
      try {
        expect_same_numbers(program, sharding, groups);
      } catch (const Error& error) {
        EXPECT_TRUE(is_refusal(error.what())) << error.what();
      }
    }
  }
}

// Positions, and the places of routing groups, that are as many as samples are not taken for samples.
TEST(TensorParallelSequences, ComputeTheSameNumbersWhereOtherSizesEqualTheBatch) {
  const std::map<std::string, std::vector<std::map<std::string, int>>> cases = {
      {"t5", {{{"sequence", 4}, {"target_sequence", 4}}, {{"sequence", 4}, {"target_sequence", 8}}}},
      {"bert", {{{"sequence", 4}, {"positions", 4}}}},
      {"gpt_prefill", {{{"sequence", 4}}}},
      {"moe", {{{"sequence", 8}, {"routing_groups", 2}}, {{"sequence", 4}, {"routing_groups", 1}}}},
  };
  for (const auto& [name, all] : cases) {
    for (const auto& sizes : all) {
      const Program program = program_of(with_sizes(divisible(members().at(name)), sizes));
      for (const Groups& groups :
           {Groups{2, 1, 1, 1}, {4, 1, 1, 1}, {2, 2, 1, 2}, {4, 1, 2, 2}, {4, 2, 1, 4}, {2, 1, 4, 1}}) {
        SCOPED_TRACE(name + " " + std::to_string(sizes.at("sequence")) + " tp=" + std::to_string(groups.tp) +
                     " pp=" + std::to_string(groups.pp) + " dp=" + std::to_string(groups.dp) +
                     " microbatches=" + std::to_string(groups.microbatches));
        if (groups.tp > members().at(name).tp || groups.pp > members().at(name).pp) continue;
        EXPECT_NO_THROW(expect_same_numbers(program, {.sequence = true}, groups));
      }
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, member] : members()) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, TensorParallelFamilies, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::tensor_parallel_families_test
