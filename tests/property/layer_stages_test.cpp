// Stages of whole layers, with embedding and head counted or not: where they end, and that they compute what the
// sequential program does.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::layer_stages_test {
namespace {

using test::Split;
using transform::LayerShare;
using workload::Mode;

constexpr double kTolerance = 1e-4;  // 32-bit floats, summed in another order
constexpr LayerShare kBoth{.embedding = true, .head = true};

ir::Module trained(const std::string& family, const std::string& sizes) {
  const ir::Module gradients = transform::differentiate(test::family(family, sizes, 8, Mode::training), ops::table());
  return transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(gradients, ops::table(), "sgd")));
}

struct Case {
  const char* family;
  const char* sizes;
  int pp;
  std::optional<int> chunks;
  const char* schedule;
  LayerShare share;
  int tp = 1, microbatches = 8;
};

constexpr const char* kGpt6    = R"({"layers": 6, "hidden": 8, "heads": 2, "sequence": 2, "vocabulary": 6})";
constexpr const char* kGpt4    = R"({"layers": 4, "hidden": 8, "heads": 2, "sequence": 2, "vocabulary": 6})";
constexpr const char* kLlama10 = R"({"layers": 10, "hidden": 8, "heads": 2, "kv_heads": 2, "feed_forward": 16,
                                     "sequence": 2, "vocabulary": 6})";

TEST(StagesOfLayers, ComputeWhatTheSequentialProgramDoes) {
  for (const Case& one : {
           Case{"gpt", kGpt6, 4, 2, "interleaved_1f1b", kBoth},
           Case{"llama", kLlama10, 4, 3, "interleaved_1f1b", kBoth},
           Case{"llama", kLlama10, 4, {}, "1f1b", kBoth},
           Case{"gpt", kGpt6, 4, {}, "zb_v", kBoth},
           Case{"gpt", kGpt6, 4, {}, "zb_h1", kBoth},
           Case{"gpt", kGpt6, 4, {}, "chimera", kBoth},
           Case{"gpt", kGpt6, 4, {}, "dualpipe_v", kBoth},
           Case{"gpt", kGpt4, 5, {}, "1f1b", {.embedding = true}},
           Case{"gpt", kGpt4, 5, {}, "gpipe", {.head = true}},
           Case{"gpt", kGpt6, 4, {}, "1f1b", {.first = 1, .last = 1}},
           Case{"gpt", kGpt6, 2, 2, "interleaved_1f1b", {.first = 2}},
           Case{"gpt", kGpt6, 4, 2, "looped_bfs", kBoth, 2},
           Case{"gpt", kGpt6, 4, {}, "zb_v", kBoth, 2},
       }) {
    SCOPED_TRACE(std::string(one.family) + " " + one.schedule);
    const ir::Module module = trained(one.family, one.sizes);
    std::mt19937_64 random(7);
    const auto arguments = test::random_arguments(module, random, 6);
    const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
    Split split{1, one.tp, one.pp, one.microbatches, one.schedule};
    split.virtual_stages = one.chunks;
    split.partition      = transform::StagePartition::layers;
    split.layers         = one.share;
    const auto steps     = test::distribute(module, split);
    const auto results   = test::run(steps, arguments, expected.size());
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
  }
}

}  // namespace
}  // namespace foreflow::layer_stages_test
