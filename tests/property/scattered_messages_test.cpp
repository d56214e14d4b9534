// What all ranks of a tensor-parallel group have crosses to the next stage in parts, which the receiving group gathers:
// values, and bytes by their closed form.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::scattered_messages_test {
namespace {

using test::Split;

TEST(ScatteredMessages, ComputeTheSameNumbers) {
  for (const std::string family : {"mlp", "gpt", "llama"}) {
    const std::string sizes  = family == "mlp"
                                   ? R"({"layers": 4, "hidden": 8})"
                                   : R"({"layers": 2, "hidden": 8, "heads": 4, "sequence": 8, "vocabulary": 12})";
    const ir::Module forward = test::family(family, sizes, 8, workload::Mode::training);
    const ir::Module module  = transform::eliminate_dead_code(transform::resolve(
         transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "adam")));
    std::mt19937_64 random(5);
    const auto arguments = test::random_arguments(module, random, 12);
    const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
    for (const auto& [dp, tp, schedule, sends] :
         {std::tuple{1, 2, "1f1b", false}, {1, 4, "1f1b", true}, {2, 2, "zb_h1", true}, {1, 2, "chimera", true}}) {
      Split split{.dp = dp, .tp = tp, .pp = 2, .microbatches = 4, .schedule = schedule, .sends = sends};
      split.scattered = tp;
      SCOPED_TRACE(family + " " + test::to_string(split));
      const auto steps   = test::distribute(module, split);
      const auto results = test::run(steps, arguments, expected.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], expected[i]), 1e-4) << "result " << i;
    }
  }
}

// Per kind and bytes: how often.
std::map<std::pair<std::string, double>, int64_t> messages(int tp, bool scattered, const std::string& rest) {
  const std::string text = R"({"workload": {"model": "llama", "layers": 8, "hidden": 64, "heads": 8, "sequence": 32,
                                            "vocabulary": 128, "dtype": "bf16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100", "nodes": 4}, "engine": "analytic", "cost": {"model": "roofline"},
          "strategy": {"pp": 4, "microbatches": 8, "global_batch": 8, "tp": )" +
                           std::to_string(tp) + R"(, "scatter_gather": )" + (scattered ? "true" : "false") + rest +
                           "}}";
  const auto outcome = scenario::run(scenario::load(parse_json(text, "scattered"), "scattered"));
  std::map<std::pair<std::string, double>, int64_t> all;
  for (const auto& row : outcome.summary.collectives) all[{row.kind, row.bytes.value()}] += row.count;
  return all;
}

// Eight microbatches cross three boundaries, forward and backward: a whole from each rank, or a part from each and one
// all-gather for the group.
TEST(ScatteredMessages, AreAPartOfTheResidualStreamFromEachRank) {
  constexpr double kWhole     = 32 * 64 * 2;
  constexpr int64_t kCrossing = 8 * 3 * 2;
  for (const std::string rest : {"", R"(, "overlap_sends": false)", R"(, "schedule": "zb_h1")"}) {
    for (const int tp : {2, 8}) {
      const auto whole = messages(tp, false, rest), parts = messages(tp, true, rest);
      EXPECT_EQ(whole.at({"send", kWhole}), kCrossing * tp) << rest;
      EXPECT_EQ(parts.count({"send", kWhole}), 0U) << rest;
      EXPECT_EQ(parts.at({"send", kWhole / tp}), kCrossing * tp) << rest;
      EXPECT_EQ(parts.at({"all_gather", kWhole}), kCrossing) << rest;
    }
  }
}

}  // namespace
}  // namespace foreflow::scattered_messages_test
