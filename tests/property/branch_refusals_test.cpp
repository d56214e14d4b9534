// Of random spaces with values that are not legal: a branch is refused only where each of its points is, and a search
// counts as many refusals, by reasons, as there are points that are refused.
#include "search/exhaustive/branch_refusals.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace foreflow::search::branch_refusals_test {
namespace {

using Draw = std::mt19937_64;

const std::vector<std::string> kWorkloads = {
    R"({"model": "gpt", "layers": 6, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 66})",
    R"({"model": "moe", "layers": 4, "sequence": 64})", R"({"model": "mlp", "layers": 8, "hidden": 64})"};

// Every key, with values that are illegal beside others. A space has none that are illegal alone.
const std::vector<std::pair<std::string, std::string>> kAxes = {
    {"dp", "[1, 2, 5]"},
    {"tp", "[1, 2, 5]"},
    {"pp", "[1, 2, 3]"},
    {"cp", "[1, 2, 3]"},
    {"ep", "[1, 2, 3]"},
    {"microbatches", "[1, 3, 4]"},
    {"schedule", R"(["gpipe", "1f1b", "interleaved_1f1b", "zb_h1", "chimera"])"},
    {"virtual_stages", "[1, 2, 5]"},
    {"recompute", R"json(["none", "full", "block(2)"])json"},
    {"zero", "[0, 1, 3]"},
    {"sequence_parallel", "[false, true]"},
    {"vocabulary_parallel", "[false, true]"},
    {"delay_weight_gradients", "[false, true]"},
    {"offload", "[false, true]"},
    {"context_attention", R"(["all_gather", "ring"])"},
    {"stage_shares", R"(["1:2", "1:1:2"])"},
    {"stage_partition", R"(["layers", "balanced"])"},
    {"overlap_gradients", "[false, true]"},
};

// Three to five axes beside dp, of which one value never divides the batch; the other keys have their defaults.
Json drawn(Draw& draw) {
  std::vector<size_t> order(kAxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), draw);
  order.resize(3 + draw() % 3);
  Json strategy =
      parse_json(R"({"dp": [1, 5], "tp": 1, "pp": 2, "ep": 1, "microbatches": 2, "schedule": "1f1b", "zero": 0,
      "virtual_stages": 1, "recompute": "none", "sequence_parallel": false, "vocabulary_parallel": false,
      "overlap_gradients": false, "overlap_tensor": 1, "global_batch": 12})",
                 "draw");
  for (const size_t axis : order) strategy.set(kAxes[axis].first, parse_json(kAxes[axis].second, "draw"));
  Json source;
  source.set("workload", parse_json(kWorkloads[draw() % kWorkloads.size()], "draw"));
  source.set("platform", parse_json(R"({"topology": "dgx1"})", "draw"));
  source.set("strategy", std::move(strategy));
  return source;
}

struct Count {
  size_t points = 0, refused = 0, by_branches = 0;
};

// `refused`: a larger branch, for this reason.
void walk(const Question& question, const BranchRefusals& refusals, const Branches& branches, const Branch& branch,
          std::optional<Refusal> refused, Count& count) {
  if (!refused) refused = refusals.of(branch);
  if (!branches.is_point(branch)) {
    for (const Branch& child : branches.children(branch)) walk(question, refusals, branches, child, refused, count);
    return;
  }
  const bool legal = static_cast<bool>(question.read(branch.point).scenario);
  EXPECT_FALSE(legal && refused) << branch.point.dump_compact() << ": " << refused->why;
  ++count.points;
  if (!legal) ++count.refused;
  if (refused) ++count.by_branches;
}

class BranchRefusal : public testing::TestWithParam<int> {};

TEST_P(BranchRefusal, IsOneOfEveryPoint) {
  Draw draw(static_cast<uint64_t>(GetParam()));
  const Question question(drawn(draw), "random.json", {});
  const BranchRefusals refusals(question);
  const Branches branches(question.space());
  Count count;
  for (size_t region = 0; region < question.space().regions().size(); ++region)
    walk(question, refusals, branches, {region, 0, Json::object()}, std::nullopt, count);
  EXPECT_GT(count.refused, 0U);
  EXPECT_EQ(count.by_branches, count.refused);
}

TEST_P(BranchRefusal, IsCountedAsItsPointsAre) {
  Draw draw(static_cast<uint64_t>(GetParam()));
  const Json source = drawn(draw);
  const Question question(source, "random.json", {});
  size_t refused = 0;
  for (const Json& point : question.space().points()) refused += question.read(point).scenario ? 0 : 1;
  Options options;
  options.pruning     = Pruning::top;
  options.top         = 1;
  const Result result = search(source, "random.json", options);
  EXPECT_GE(result.refused, refused);  // points that do not fit in memory are refused, too
  const size_t sum = std::accumulate(result.reasons.begin(), result.reasons.end(), size_t{0},
                                     [](size_t total, const auto& reason) { return total + reason.second; });
  EXPECT_EQ(sum, result.refused);
}

INSTANTIATE_TEST_SUITE_P(Random, BranchRefusal, testing::Range(0, 60));

}  // namespace
}  // namespace foreflow::search::branch_refusals_test
