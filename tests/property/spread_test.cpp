// Context and expert parallelism compute what the sequential program does, and move the bytes that they should.
#include "foreflow/transform/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"

namespace foreflow {
namespace {

using test::Split;
using transform::Distributed;
using workload::Mode;

// As in distribution_test.cpp: the order of summation differs.
constexpr double kTolerance = 1e-4;

constexpr int64_t kBatch = 8, kVocabulary = 11;

// Weights are updated by sgd, so the results are the loss and every new weight.
ir::Module training(const std::string& name, const std::string& sizes, const std::string& optimizer = "sgd") {
  const ir::Module forward  = test::family(name, sizes, kBatch, Mode::training);
  const ir::Module gradient = transform::differentiate(forward, ops::table());
  return transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(gradient, ops::table(), optimizer)));
}

struct Model {
  std::string name;
  ir::Module (*build)();
  int heads;    // what tp divides
  int groups;   // what cp divides: positions, or groups of them
  int experts;  // what ep divides
};

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"gpt", [] { return training("gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11})"); }, 4, 8, 1},
      {"moe", [] {
         return training("moe", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 8, "vocabulary": 11,
                                    "experts": 4, "capacity_factor": 1, "routing_groups": 4, "shared_experts": 1})");
       }, 2, 4, 4},
      {"moe_adam", [] {
         return training("moe", R"({"layers": 2, "hidden": 8, "feed_forward": 4, "heads": 2, "sequence": 8, "vocabulary": 11,
                                    "experts": 8, "top_k": 1, "routing_groups": 8, "normalise_gates": false})", "adam");
       }, 2, 8, 8},
      {"moe_inference", [] {
         return transform::resolve(test::family("moe", R"({"layers": 2, "hidden": 8, "feed_forward": 4, "heads": 2, "sequence": 4,
             "vocabulary": 11, "experts": 4, "routing_groups": 4})", kBatch, Mode::inference));
       }, 2, 4, 4},
  };
  return kModels;
}

class EverySpread : public testing::TestWithParam<std::tuple<size_t, int, int>> {};

TEST_P(EverySpread, ComputesTheSameNumbersOnUpToSixteenDevices) {
  const auto& [number, cp, ep] = GetParam();
  const Model& model           = models()[number];
  if (model.groups % cp != 0 || model.experts % ep != 0) GTEST_SKIP() << "not a split of this model";
  std::mt19937_64 random(20261);
  const ir::Module module = model.build();
  const auto arguments    = test::random_arguments(module, random, kVocabulary);
  const auto expected     = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const int tp : {1, 2}) {
    for (const int pp : {1, 2}) {
      for (const int dp : {1, 2, 4}) {
        for (const int microbatches : {1, 2}) {
          if (cp * tp * pp * dp > 16 || dp % transform::replicas_in_group(cp, ep) != 0) continue;
          const Split split{.dp = dp, .tp = tp, .pp = pp, .microbatches = microbatches, .schedule = "1f1b", .cp = cp, .ep = ep};
          SCOPED_TRACE(test::to_string(split));
          const std::vector<Distributed> steps = test::distribute(module, split);
          const auto results                   = test::run(steps, arguments, expected.size());
          for (size_t i = 0; i < results.size(); ++i)
            EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spread, EverySpread,
                         testing::Combine(testing::Range(size_t{0}, size_t{4}), testing::Values(1, 2, 4, 8), testing::Values(1, 2, 4, 8)),
                         [](const auto& info) {
                           return models()[std::get<0>(info.param)].name + "_cp" + std::to_string(std::get<1>(info.param)) + "_ep" +
                                  std::to_string(std::get<2>(info.param));
                         });

}  // namespace
}  // namespace foreflow
