// Searches for the program or graph in a file, whose own batch strategies have that state none.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/search/search.h"
#include "support/temporary.h"
#include "unit/onnx/bytes.h"

namespace foreflow::search::file_search_test {
namespace {

using namespace foreflow::test;

// Two products for 16 samples.
std::string graph_file() {
  const std::vector<float> numbers(64 * 64, 0.5);
  return model({.nodes  = {{"MatMul", {"x", "w1"}, {"a"}}, {"Relu", {"a"}, {"b"}}, {"MatMul", {"b", "w2"}, {"y"}}},
                .inputs = {port("x", kFloat, {"16", "64"})},
                .initializers = {floats("w1", {64, 64}, numbers), floats("w2", {64, 64}, numbers)}});
}

constexpr const char* kProgram = R"(
func @main(%x: Tensor[Float32, (16, 64)], weight %w: Tensor[Float32, (64, 64)]) {
  %a = MatMul(%x, %w)
  %y = Relu(%a)
  return %y
}
)";

class FileSearch : public testing::Test {
 protected:
  FileSearch() {
    write_file(folder_ / "m.onnx", graph_file());
    write_file(folder_ / "m.distir", kProgram);
  }

  // 3 microbatches do not divide the batch.
  Json question(const std::string& workload) const {
    return parse_json(R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx2"}, "engine": "analytic",
                          "strategy": {"dp": [1, 2], "tp": 1, "pp": [1, 2], "microbatches": [1, 2, 3],
                                       "schedule": ["1f1b", "zb_h1"], "recompute": "none", "overlap_tensor": 1}})",
                      "m.json");
  }

  Result searched(const Json& source, Options options = {}) const {
    return search(source, folder_ / "m.json", options);
  }

  // Returns how many strategies bounds ruled out.
  size_t expect_same_with_and_without_bounds(const std::string& workload) const {
    constexpr size_t kTop = 2;
    Options all;
    all.pruning         = Pruning::none;
    all.top             = kTop;
    Options top         = all;
    top.pruning         = Pruning::top;
    const Json source   = question(workload);
    const Result full   = searched(source, all);
    const Result pruned = searched(source, top);
    EXPECT_GE(pruned.ranked.size(), kTop);
    for (size_t i = 0; i < std::min(kTop, pruned.ranked.size()); ++i) {
      EXPECT_EQ(pruned.ranked[i].strategy.dump_compact(), full.ranked[i].strategy.dump_compact());
      EXPECT_EQ(pruned.ranked[i].samples_per_second, full.ranked[i].samples_per_second);
    }
    return full.evaluated - pruned.evaluated;
  }

  TemporaryFolder folder_;
};

TEST_F(FileSearch, LosesNoneOfTheFirstToBoundsOfAGraph) {
  EXPECT_GT(expect_same_with_and_without_bounds(R"({"onnx": "m.onnx", "mode": "training"})"), 0U);
  expect_same_with_and_without_bounds(R"({"onnx": "m.onnx"})");
}

TEST_F(FileSearch, LosesNoneOfTheFirstToBoundsOfAProgram) {
  expect_same_with_and_without_bounds(R"({"distir": "m.distir"})");
}

TEST_F(FileSearch, FindsWhatItFindsForTheSameBatchStated) {
  const Json source = question(R"({"onnx": "m.onnx", "mode": "training"})");
  Json stated       = source;
  stated.member("strategy").set("global_batch", 16);
  const Result own = searched(source), same = searched(stated);
  ASSERT_FALSE(own.ranked.empty());
  EXPECT_EQ(own.ranked.front().iteration_time, same.ranked.front().iteration_time);
  EXPECT_EQ(own.ranked.front().samples_per_second, same.ranked.front().samples_per_second);
}

TEST_F(FileSearch, HasNoColumnOfBatchesThatNoStrategyStates) {
  EXPECT_EQ(to_text(searched(question(R"({"distir": "m.distir"})")), 3).find(" batch "), std::string::npos);
}

// As `load` and `simulate` say it.
TEST_F(FileSearch, SaysAtOnceThatTheFileCannotBeRead) {
  try {
    searched(question(R"({"onnx": "none.onnx"})"));
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none.onnx: cannot be read"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foreflow::search::file_search_test
