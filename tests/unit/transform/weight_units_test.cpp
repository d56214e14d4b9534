// Which weights FSDP's blocks are made of.
#include "transform/replica/weight_units.h"

#include <gtest/gtest.h>

namespace foreflow::transform::weight_units_test {
namespace {

using Kinds = std::vector<size_t>;

TEST(WeightUnits, AreTheRepetitionsAndWhatIsBeforeAndBehindThem) {
  EXPECT_EQ(units_of_kinds({7, 8, 1, 2, 1, 2, 1, 2, 9}), (Kinds{0, 0, 1, 1, 2, 2, 3, 3, 4}));
  EXPECT_EQ(units_of_kinds({1, 2, 1, 2}), (Kinds{0, 0, 1, 1}));
  EXPECT_EQ(units_of_kinds({1, 1, 1}), (Kinds{0, 1, 2}));
}

// The last norm has the type of each layer's first weight.
TEST(WeightUnits, KeepTheLastNormOutOfTheLayers) {
  EXPECT_EQ(units_of_kinds({5, 0, 1, 2, 0, 1, 2, 0, 6}), (Kinds{0, 1, 1, 1, 2, 2, 2, 3, 3}));
}

// q, k and v are alike, and still a layer is one block.
TEST(WeightUnits, AreNotFooledByEqualWeightsOfALayer) {
  EXPECT_EQ(units_of_kinds({9, 1, 1, 1, 2, 1, 1, 1, 2}), (Kinds{0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(WeightUnits, AreOneWhereNothingRepeats) {
  EXPECT_EQ(units_of_kinds({1, 2, 3}), (Kinds{0, 0, 0}));
  EXPECT_EQ(units_of_kinds({}), Kinds());
}

}  // namespace
}  // namespace foreflow::transform::weight_units_test
