// Stages of a pipeline that are sharded in different ways compute together what the sequential program does.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "foreflow/base/refusal.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::unequal_stages_test {
namespace {

using test::Split;
using workload::Mode;

constexpr double kTolerance = 1e-4;  // 32-bit floats, summed in another order
constexpr int64_t kBatch    = 8;

struct Original {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Original original(ir::Module module) {
  std::mt19937_64 random(11);
  Original made{std::move(module), {}, {}};
  made.arguments = test::random_arguments(made.module, random, 8);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

ir::Module trained(const std::string& name, const std::string& sizes, const std::string& optimizer,
                   bool fused = false) {
  const ir::Module forward   = test::family(name, sizes, kBatch, Mode::training);
  const ir::Module gradients = transform::differentiate(
      fused ? transform::fuse_attention(transform::resolve(forward), ops::table()) : forward, ops::table());
  return transform::eliminate_dead_code(
      transform::resolve(transform::add_optimizer(gradients, ops::table(), optimizer)));
}

const std::string kGpt = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 8})";
const std::string kMoe =
    R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 8, "experts": 4, "top_k": 2,
        "routing_groups": 4})";
const std::string kMlp = R"({"layers": 8, "hidden": 8})";

// The embedding of the GPT is its output layer, too, so the first and the last stage share a weight.
const std::map<std::string, Original>& originals() {
  static const std::map<std::string, Original> kOriginals = [] {
    std::map<std::string, Original> all;
    all.emplace("mlp_inference", original(test::family("mlp", kMlp, kBatch, Mode::inference)));
    all.emplace("mlp_sgd", original(trained("mlp", kMlp, "sgd")));
    all.emplace("gpt_inference", original(transform::resolve(test::family("gpt", kGpt, kBatch, Mode::inference))));
    all.emplace("gpt_sgd", original(trained("gpt", kGpt, "sgd")));
    all.emplace("gpt_adam", original(trained("gpt", kGpt, "adam")));
    all.emplace("gpt_flash", original(trained("gpt", kGpt, "sgd", true)));
    all.emplace("moe_sgd", original(trained("moe", kMoe, "sgd")));
    all.emplace("gpt_recomputed", original(transform::recompute(trained("gpt", kGpt, "sgd"), ops::table(),
                                                                {transform::Recompute::Kind::blocks, 1}, 2)));
    return all;
  }();
  return kOriginals;
}

// In any function: replicas may be calls of one.
bool reshards(const ir::Module& module) {
  const auto in = [](const ir::Function& function) {
    return std::any_of(function.ops.begin(), function.ops.end(),
                       [](const ir::Op& op) { return !op.is_call() && op.def->reshards; });
  };
  return std::any_of(module.functions.begin(), module.functions.end(), in);
}

void expect_same_numbers(const Original& original, const Split& split) {
  SCOPED_TRACE(test::to_string(split));
  const auto steps = test::distribute(original.module, split);
  if (split.zero == 0) {
    EXPECT_TRUE(reshards(steps.back().module));
  }
  const auto results = test::run(steps, original.arguments, original.results.size());
  ASSERT_EQ(results.size(), original.results.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
}

Split stages(std::vector<int> tp, int microbatches, const std::string& schedule = "1f1b") {
  Split split;
  split.microbatches = microbatches;
  split.schedule     = schedule;
  split.stage_tp     = std::move(tp);
  return split;
}

std::vector<std::string> schedules() {
  std::vector<std::string> names;
  for (const auto& schedule : schedule::schedules()) names.emplace_back(schedule.name);
  return names;
}

class UnequalStages : public testing::TestWithParam<std::string> {};

TEST_P(UnequalStages, ComputeWhatTheSequentialProgramDoes) {
  const auto& schedule = schedule::schedules().get(GetParam(), "test");
  int tried            = 0;
  for (const auto& [name, original] : originals()) {
    SCOPED_TRACE(name);
    if (!schedule.trains && !name.ends_with("inference")) continue;
    for (const std::vector<int>& tp : {std::vector{4, 2}, {1, 2}, {2, 1}, {2, 4, 1}, {4, 2, 2, 4}, {1, 2, 2, 1}}) {
      for (const int microbatches : {1, 2, 4, 8}) {
        try {
          test::pipeline(static_cast<int>(tp.size()), microbatches, GetParam());
        } catch (const Error&) {
          continue;  // the schedule needs another number of microbatches
        }
        try {
          expect_same_numbers(original, stages(tp, microbatches, GetParam()));
          ++tried;
        } catch (const RefusalError& error) {
          // Two pipes run a stage on two devices, which must be sharded in the same way.
          EXPECT_EQ(error.refusal().cause, Cause::schedule) << error.what();
        }
      }
    }
  }
  EXPECT_GE(tried, 4);
}

INSTANTIATE_TEST_SUITE_P(Pipeline, UnequalStages, testing::ValuesIn(schedules()),
                         [](const auto& info) { return "s_" + info.param; });

TEST(UnequalStagesBesides, ComputeTheSameWithSequenceAndVocabularyParallelism) {
  for (const char* name : {"gpt_sgd", "gpt_adam", "gpt_recomputed", "gpt_inference"}) {
    SCOPED_TRACE(name);
    for (const auto& [tp, sequence] : {std::pair(std::vector{4, 2}, std::vector{true, true}),
                                       {{2, 2}, {true, false}},
                                       {{4, 2}, {false, true}},
                                       {{1, 4}, {false, true}},
                                       {{2, 2, 4}, {false, true, true}}}) {
      for (const bool vocabulary : {false, true}) {
        Split split          = stages(tp, 4);
        split.stage_sequence = sequence;
        split.vocabulary     = vocabulary;
        expect_same_numbers(originals().at(name), split);
        split.delay_weight_gradients = std::string_view(name) != "gpt_inference";
        if (split.delay_weight_gradients) expect_same_numbers(originals().at(name), split);
      }
    }
  }
}

// Two stages of the decoder have a copy of its table of relative positions. Its gradient is complete after the backward
// pass of the first of them, when that of the second is over.
TEST(UnequalStagesBesides, ShareTheGradientOfAWeightThatIsCompleteInAnEarlierStage) {
  const Original t5 =
      original(trained("t5", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 8})", "adam"));
  for (const std::vector<int>& tp : {std::vector{1, 1, 2}, {1, 2, 1}, {1, 2, 4}, {2, 1, 1}}) {
    for (const std::string schedule : {"gpipe", "1f1b", "zb_h1"}) {
      for (const int microbatches : {1, 4}) expect_same_numbers(t5, stages(tp, microbatches, schedule));
    }
  }
}

TEST(UnequalStagesBesides, ComputeTheSameWithContexts) {
  struct Stages {
    std::vector<int> tp, cp;
    std::vector<bool> sequence = {};
  };
  for (const char* name : {"gpt_sgd", "gpt_adam", "gpt_recomputed", "gpt_inference"}) {
    SCOPED_TRACE(name);
    for (const Stages& wanted : {Stages{{1, 1}, {2, 1}},
                                 {{1, 1}, {1, 2}},
                                 {{1, 1, 1}, {2, 4, 1}},
                                 {{2, 1}, {1, 2}},
                                 {{4, 2}, {2, 2}},
                                 {{2, 2}, {2, 1}, {true, false}},
                                 {{2, 2}, {1, 2}, {true, true}},
                                 {{1, 2, 2}, {4, 2, 1}, {false, true, true}}}) {
      for (const bool vocabulary : {false, true}) {
        Split split          = stages(wanted.tp, 4);
        split.stage_cp       = wanted.cp;
        split.stage_sequence = wanted.sequence;
        split.vocabulary     = vocabulary;
        expect_same_numbers(originals().at(name), split);
        split.delay_weight_gradients = std::string_view(name) != "gpt_inference";
        if (split.delay_weight_gradients) expect_same_numbers(originals().at(name), split);
      }
    }
  }
}

// Attention of one op, whose keys and values go round a ring of the ranks of a stage, or whose heads are dealt out.
TEST(UnequalStagesBesides, ComputeTheSameWithEveryWayToShareAttention) {
  for (const transform::ContextAttention attention :
       {transform::ContextAttention::ring, transform::ContextAttention::striped_ring,
        transform::ContextAttention::all_to_all, transform::ContextAttention::all_gather}) {
    SCOPED_TRACE(transform::name(attention));
    for (const auto& [tp, cp] : {std::pair(std::vector{1, 1}, std::vector{2, 1}),
                                 {{2, 1}, {1, 2}},
                                 {{2, 2}, {2, 1}},
                                 {{1, 1, 1}, {1, 2, 4}}}) {
      for (const bool sequence : {false, true}) {
        Split split     = stages(tp, 2);
        split.stage_cp  = cp;
        split.sequence  = sequence;
        split.attention = attention;
        expect_same_numbers(originals().at("gpt_flash"), split);
      }
    }
  }
}

TEST(UnequalStagesBesides, ComputeTheSameWithExperts) {
  for (const auto& [tp, cp, ep, dp] : {std::tuple(std::vector{2, 1}, std::vector{2, 2}, 2, 1),
                                       {{1, 1}, {2, 4}, 2, 1},
                                       {{2, 1}, {1, 1}, 2, 2},
                                       {{1, 2}, {2, 2}, 4, 4}}) {
    Split split    = stages(tp, 2);
    split.stage_cp = cp;
    split.ep       = ep;
    split.dp       = dp;
    expect_same_numbers(originals().at("moe_sgd"), split);
  }
}

TEST(UnequalStagesBesides, ComputeTheSameBesideReplicasOverlapAndDelayedWeightGradients) {
  for (const char* name : {"mlp_sgd", "gpt_adam"}) {
    SCOPED_TRACE(name);
    for (const std::vector<int>& tp : {std::vector{4, 2}, {1, 2}, {2, 1, 4}}) {
      for (const int dp : {1, 2}) {
        for (const bool delayed : {false, true}) {
          for (const std::string schedule : {"1f1b", "eager_1f1b"}) {
            Split split                  = stages(tp, 4, schedule);
            split.dp                     = dp;
            split.sends                  = true;
            split.delay_weight_gradients = delayed;
            expect_same_numbers(originals().at(name), split);
            split.zero = 1;
            if (dp > 1) expect_same_numbers(originals().at(name), split);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::unequal_stages_test
