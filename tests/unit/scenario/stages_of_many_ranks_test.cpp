// Stages of as many layers each, on stages of many ranks: the layers of a program that states what each rank does are
// found, and stages end where they do.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::scenario::stages_of_many_ranks_test {
namespace {

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

struct Ranks {
  int tp, cp, layers;
};

class StagesOfManyRanks : public testing::TestWithParam<Ranks> {};

// Of the first rank of each stage: attention and gates, of which a layer has one each in the forward and the backward
// pass.
TEST_P(StagesOfManyRanks, HaveWholeLayers) {
  const auto [tp, cp, layers] = GetParam();
  constexpr int kStages       = 4;
  const test::TemporaryFolder folder;
  write_file(folder / "llama.json",
             fmt::format(R"({{"workload": {{"model": "llama", "layers": {}, "hidden": 1024, "heads": 16,
                                             "feed_forward": 4096, "sequence": 2048, "vocabulary": 32000}},
                             "platform": {{"topology": "dgx_h100", "nodes": 8}},
                             "strategy": {{"tp": {}, "cp": {}, "pp": {}, "stage_partition": "layers"}}}})",
                         layers, tp, cp, kStages));
  const test::CommandResult ran = test::run_foreflow({"lower", "llama.json", "-o", "ranks"}, folder.path());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto each = static_cast<size_t>(layers / kStages);
  for (int stage = 0; stage < kStages; ++stage) {
    const std::string program = read_file(folder / fmt::format("ranks/D{}.distir", stage * tp * cp + 1));
    EXPECT_EQ(count(program, " = BlockAttention["), each) << stage;
    EXPECT_EQ(count(program, " = BlockAttentionGrad["), each) << stage;
    EXPECT_EQ(count(program, " = QuickGeluGrad["), each) << stage;
  }
}

INSTANTIATE_TEST_SUITE_P(, StagesOfManyRanks,
                         testing::Values(Ranks{1, 1, 16}, Ranks{1, 2, 16}, Ranks{1, 8, 16}, Ranks{1, 16, 8},
                                         Ranks{2, 8, 32}, Ranks{4, 2, 16}, Ranks{4, 4, 8}),
                         [](const auto& each) {
                           return fmt::format("tp{}_cp{}_layers{}", each.param.tp, each.param.cp, each.param.layers);
                         });

}  // namespace
}  // namespace foreflow::scenario::stages_of_many_ranks_test
