#include "foreflow/reshard/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foreflow::reshard::tiles_test {
namespace {

using testing::ElementsAre;

Tiling tiling(const std::vector<int64_t>& shape, const std::vector<int>& mesh, const char* spec) {
  return tiles(shape, consecutive(mesh, 0), parse_spec(spec, "spec"));
}

// Figure 2 of the paper: a 4x4 matrix on 2x2 devices; the devices of the first row both hold elements 0 to 7.
TEST(ReshardTiles, DevicesOfARowHoldTheSameSliceOfS0R) {
  const Tiling found = tiling({4, 4}, {2, 2}, "S0R");
  ASSERT_EQ(found.tiles.size(), 2U);
  EXPECT_EQ(print(found.tiles[0].box), "[0:2, 0:4]");
  EXPECT_THAT(found.tiles[0].devices, ElementsAre(0, 1));
  EXPECT_THAT(found.tiles[1].devices, ElementsAre(2, 3));
}

TEST(ReshardTiles, TheFirstMeshDimensionOfAnSIsTheMajorOne) {
  EXPECT_THAT(tiling({8}, {2, 4}, "S01").tile_of, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(tiling({8}, {2, 4}, "S10").tile_of, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(ReshardTiles, TheLastPartIsSmallerAndPartsOfPaddingHaveNoTile) {
  const Tiling ten = tiling({10}, {4}, "S0");
  ASSERT_EQ(ten.tiles.size(), 4U);
  EXPECT_EQ(print(ten.tiles[3].box), "[9:10]");
  const Tiling five = tiling({5}, {4}, "S0");
  ASSERT_EQ(five.tiles.size(), 3U);
  EXPECT_EQ(print(five.tiles[2].box), "[4:5]");
  EXPECT_THAT(five.tile_of, ElementsAre(0, 1, 2, -1));
}

TEST(ReshardTiles, DevicesWithPaddingInOneOfTwoDimensionsHoldNothing) {
  const Tiling found = tiling({5, 6}, {4, 2}, "S0S1");
  EXPECT_THAT(found.grid, ElementsAre(3, 2));
  EXPECT_THAT(found.tile_of, ElementsAre(0, 1, 2, 3, 4, 5, -1, -1));
}

TEST(ReshardTiles, ACutIsEvenAndCoversTheBox) {
  const auto boxes = cut({{2, 5}, {10, 17}}, 3);
  EXPECT_EQ(print(boxes[0]), "[2:5, 10:13]");
  EXPECT_EQ(print(boxes[1]), "[2:5, 13:15]");
  EXPECT_EQ(print(boxes[2]), "[2:5, 15:17]");
}

}  // namespace
}  // namespace foreflow::reshard::tiles_test
