// The searches of Table 1: how many strategies each has, and that bounds lose none of the best ones. Exhaustively only
// the MLPs; GPT-2 takes minutes.
#include <gtest/gtest.h>

#include "foreflow/search/search.h"

namespace foreflow::published::table1_test {
namespace {

search::Result searched(const std::string& model, search::Pruning pruning) {
  const std::string file = FOREFLOW_SOURCE_DIR "/scenarios/distir_table1/" + model + ".json";
  search::Options options;
  options.pruning = pruning;
  options.jobs    = 2;
  return search::search(scenario::read_source(file, {}), file, options);
}

std::string best_ten(const search::Result& result) { return search::to_json(result, 10).find("ranked")->dump(); }

// N_grid of the table: 75 for training at one batch.
TEST(PublishedTable1, BoundsLoseNoneOfTheBestTen) {
  for (const char* model : {"mlp_1b", "mlp_17b", "mlp_103b"}) {
    const search::Result all = searched(model, search::Pruning::none), pruned = searched(model, search::Pruning::top);
    EXPECT_EQ(all.points, 75U) << model;
    EXPECT_LT(pruned.evaluated, all.evaluated) << model;
    EXPECT_EQ(best_ten(pruned), best_ten(all)) << model;
  }
}

// N_grid of the table: 1035 for inference at any batch from 128 to 1048576. T = 16 does not divide the 40 heads of
// GPT-2 13B, whose width the authors split where it falls.
TEST(PublishedTable1, InferenceHasTheAuthorsGrid) {
  for (const auto& [model, legal] : {std::pair{"gpt2_1.6b", 1035U}, {"gpt2_13b", 1035U - 14U}}) {
    const search::Result result = searched(model, search::Pruning::top);
    size_t illegal              = 0;
    for (const search::Infeasible& point : result.infeasible) illegal += point.refusal.cause == Cause::memory ? 0 : 1;
    EXPECT_EQ(result.points - illegal, legal) << model;
    EXPECT_EQ(result.exact, 10U);
  }
}

}  // namespace
}  // namespace foreflow::published::table1_test
