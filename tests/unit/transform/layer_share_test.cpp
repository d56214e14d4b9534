// How many layers each stage has where stages end between layers.
#include "foreflow/transform/layer_share.h"

#include <gtest/gtest.h>

namespace foreflow::transform::layer_share_test {
namespace {

using schedule::Size;
using schedule::StageMapping;

std::vector<int> layers(int count, const Size& size, const LayerShare& share,
                        StageMapping mapping = StageMapping::looped) {
  return layers_of_stages(count, mapping, size, share).value();
}

std::string refusal(int count, const Size& size, const LayerShare& share, StageMapping mapping = StageMapping::looped) {
  const auto found = layers_of_stages(count, mapping, size, share);
  return found ? "" : found.refusal().why;
}

constexpr LayerShare kBoth{.embedding = true, .head = true};

TEST(LayerShare, GivesTheEndsNothingButEmbeddingAndHeadWhere22LayersAre24Stages) {
  std::vector<int> expected(24, 1);
  expected.front() = expected.back() = 0;
  EXPECT_EQ(layers(22, {8, 8, 3}, kBoth), expected);
}

// Llama Team, 2024, The Llama 3 Herd of Models, section 3.3.2: one layer is removed from the first and from the last
// stage, of 126 layers on 16 stages.
TEST(LayerShare, RemovesALayerFromTheFirstAndTheLastStageOfLlama405B) {
  std::vector<int> expected(16, 8);
  expected.front() = expected.back() = 7;
  EXPECT_EQ(layers(126, {16, 16, 1}, kBoth), expected);
}

TEST(LayerShare, CountsOneEndAlone) {
  EXPECT_EQ(layers(7, {4, 4, 1}, {.embedding = true}), (std::vector{1, 2, 2, 2}));
  EXPECT_EQ(layers(7, {4, 4, 1}, {.head = true}), (std::vector{2, 2, 2, 1}));
}

TEST(LayerShare, CountsStagesOfSchedulesThatComeBackToTheirFirstDevice) {
  EXPECT_EQ(layers(6, {4, 8, 2}, kBoth, StageMapping::vee), (std::vector{0, 1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(layers(6, {4, 8, 2}, kBoth, StageMapping::mirrored), (std::vector{1, 2, 2, 1}));
}

// Device 0 has stages 0 and 4, device 3 has 3 and 7.
TEST(LayerShare, SpreadsTheLayersOfAnEndOverTheStagesOfItsDevice) {
  EXPECT_EQ(layers(14, {4, 8, 2}, {.first = 2, .last = 4}), (std::vector{1, 2, 2, 2, 1, 2, 2, 2}));
  EXPECT_EQ(layers(5, {2, 4, 1}, {.first = 2}), (std::vector{2, 3}));
}

TEST(LayerShare, SaysWhatWouldMakeStagesEqual) {
  EXPECT_EQ(refusal(22, {8, 8, 3}, {}),
            "22 layers do not divide into 24 equal stages; use count_as_layers both, or state "
            "first_stage_layers and last_stage_layers");
  EXPECT_EQ(refusal(24, {8, 8, 3}, {.head = true}),
            "24 layers and the head do not divide into 24 equal stages; use count_as_layers none, or "
            "state first_stage_layers and last_stage_layers");
  EXPECT_EQ(refusal(6, {4, 8, 2}, {.embedding = true}, StageMapping::vee),
            "6 layers and the embedding do not divide into 8 equal stages; use count_as_layers both");
  EXPECT_EQ(
      refusal(9, {2, 8, 1}, {.first = 3, .last = 5}),
      "1 of 9 layers are left, which do not divide over 0 devices with 1 stages each; change first_stage_layers or "
      "last_stage_layers");
}

TEST(LayerShare, RefusesMoreLayersThanThereAre) {
  EXPECT_EQ(refusal(9, {4, 8, 1}, {.first = 6, .last = 5}),
            "11 layers of the first and the last stage are more than all 9; lower first_stage_layers or "
            "last_stage_layers");
}

TEST(LayerShare, RefusesToCountEndsTwice) {
  EXPECT_NE(refusal(14, {4, 8, 1}, {.embedding = true, .first = 2}), "");
  EXPECT_NE(refusal(14, {4, 8, 2}, {.first = 2}, StageMapping::vee), "");
}

}  // namespace
}  // namespace foreflow::transform::layer_share_test
