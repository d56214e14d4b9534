// Gradients that are clipped by their global norm update the weights as they do on one device, whatever the degrees of
// parallelism: every weight counts once in the norm, on however many devices it is.
#include "foreflow/transform/clip_gradients.h"

#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::clip_gradients_test {
namespace {

using test::Split;
using workload::Mode;

constexpr int64_t kBatch = 8, kVocabulary = 12;
// Far below the norm of the models' gradients.
constexpr double kLargest = 0.05, kTolerance = 1e-5;

struct Model {
  const char* family;
  const char* sizes;
  const char* optimizer;
};

const Model kGpt   = {"gpt", R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 12})", "adam"};
const Model kLlama = {"llama",
                      R"({"layers": 2, "hidden": 16, "heads": 4, "kv_heads": 2, "feed_forward": 8, "sequence": 8,
                          "vocabulary": 12})",
                      "momentum"};
const Model kMlp   = {"mlp", R"({"layers": 4, "hidden": 8})", "sgd"};
const Model kMoe   = {"moe",
                      R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 8,
                          "vocabulary": 12, "experts": 4, "capacity_factor": 1, "routing_groups": 4})",
                      "momentum"};

ir::Module step_of(const Model& model) {
  const ir::Module forward = test::family(model.family, model.sizes, kBatch, Mode::training);
  const ir::Module step =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), model.optimizer);
  return transform::eliminate_dead_code(transform::resolve(step));
}

std::vector<ir::Array> evaluated(const ir::Module& module, const std::vector<ir::Array>& arguments) {
  return interpret::evaluate(module, module.functions.size() - 1, arguments);
}

// With every stage of ZeRO, with and without streams of communication, if there are replicas.
void expect_same_updates(const Model& model, const std::vector<Split>& splits) {
  const ir::Module module = step_of(model);
  std::mt19937_64 random(20264);
  const auto arguments = test::random_arguments(module, random, kVocabulary);
  const auto expected  = evaluated(transform::clip_gradients(module, ops::table(), {.max_norm = kLargest}), arguments);
  const auto free      = evaluated(module, arguments);
  double moved         = 0;
  for (size_t i = 1; i < free.size(); ++i) moved = std::max(moved, test::relative_difference(free[i], expected[i]));
  ASSERT_GT(moved, 50 * kTolerance) << "clipping changes nothing";
  for (Split split : splits) {
    split.clip = kLargest;
    for (const int zero : {0, 1, 2, 3}) {
      for (const bool overlap : {false, true}) {
        const bool has_copies = split.dp > 1 || split.cp > 1 || !split.stage_cp.empty();
        if (!has_copies && (zero > 0 || overlap)) continue;
        split.zero    = zero;
        split.overlap = overlap;
        SCOPED_TRACE(test::to_string(split));
        const auto results = test::run(test::distribute(module, split), arguments, expected.size());
        ASSERT_EQ(results.size(), expected.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
      }
    }
  }
}

TEST(ClippedGradients, UpdateAsOnOneDeviceOverReplicasShardsAndStages) {
  const std::vector<Split> splits = {{.dp = 2},
                                     {.dp = 4},
                                     {.dp = 2, .bucket = Bytes(2000)},
                                     {.dp = 2, .by_block = true},
                                     {.tp = 2},
                                     {.tp = 2, .vocabulary = true},
                                     {.tp = 2, .sequence = true},
                                     {.microbatches = 4},
                                     {.pp = 2, .microbatches = 2},
                                     {.pp = 4, .microbatches = 4, .sends = true},
                                     {.dp = 2, .tp = 2},
                                     {.dp = 2, .pp = 2, .microbatches = 2, .bucket = Bytes(2000)},
                                     {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .sequence = true},
                                     {.tp = 2, .pp = 2, .microbatches = 2, .chunks = 2, .sequence = true},
                                     {.cp = 2},
                                     {.dp = 2, .tp = 2, .cp = 2}};
  for (const Model& model : {kGpt, kLlama}) {
    SCOPED_TRACE(model.family);
    expect_same_updates(model, splits);
  }
}

TEST(ClippedGradients, UpdateAsOnOneDeviceWithEverySchedule) {
  std::vector<Split> splits = {{.dp = 2, .tp = 4}};
  for (const char* schedule : {"gpipe", "1f1b", "interleaved_1f1b", "looped_bfs", "eager_1f1b", "zb_h1", "zb_h2",
                               "zb_v", "chimera", "dualpipe", "dualpipe_v"}) {
    splits.push_back({.pp = 2, .microbatches = 4, .schedule = schedule});
    splits.push_back({.dp = 2, .pp = 2, .microbatches = 4, .schedule = schedule, .bucket = Bytes(2000)});
  }
  expect_same_updates(kGpt, splits);
}

TEST(ClippedGradients, UpdateAsOnOneDeviceWhereAllWeightsAreOneOp) {
  expect_same_updates(kMlp, {{.dp = 2}, {.tp = 2}, {.pp = 2, .microbatches = 2}, {.dp = 2, .tp = 2, .pp = 2}});
}

TEST(ClippedGradients, UpdateAsOnOneDeviceWithExperts) {
  expect_same_updates(kMoe, {{.dp = 2, .ep = 2},
                             {.dp = 4, .ep = 2},
                             {.dp = 4, .microbatches = 2, .ep = 2},
                             {.dp = 4, .cp = 2, .ep = 4},
                             {.dp = 4, .pp = 2, .microbatches = 2, .ep = 2}});
}

// A tied embedding is then in two layouts, each of which holds all of it.
TEST(ClippedGradients, UpdateAsOnOneDeviceWhereStagesHaveUnequalShards) {
  expect_same_updates(kGpt, {{.pp = 2, .microbatches = 2, .stage_tp = {4, 2}},
                             {.pp = 2, .microbatches = 2, .stage_tp = {1, 2}},
                             {.dp = 2, .pp = 2, .microbatches = 2, .stage_tp = {2, 1}},
                             {.pp = 2, .microbatches = 2, .stage_tp = {1, 1}, .stage_cp = {2, 1}}});
}

}  // namespace
}  // namespace foreflow::clip_gradients_test
