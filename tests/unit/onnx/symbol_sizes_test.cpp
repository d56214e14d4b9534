// The sizes of the dimensions that inputs name.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/onnx/import.h"

namespace foreflow::onnx::symbol_sizes_test {
namespace {

using Sizes = std::map<std::string, int64_t>;

const std::vector<Port> kInputs = {{"input_ids", "input_ids", {"batch", "seq"}},
                                   {"attention_mask", "attention_mask", {"batch", "past + seq"}},
                                   {"past.0", "past_0", {"batch", "4", "?", "32"}}};

Sizes sizes(const Given& given) { return symbol_sizes(kInputs, given, "--shape", "--dim"); }

std::string refused(const Given& given) {
  try {
    sizes(given);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SymbolSizes, AreStatedOrReadOffShapes) {
  EXPECT_EQ(sizes({}), Sizes{});
  EXPECT_EQ(sizes({{}, {}, {{"batch", 8}}}), (Sizes{{"batch", 8}}));
  EXPECT_EQ(sizes({{{"input_ids", {2, 16}}}, {}, {{"past + seq", 20}}}),
            (Sizes{{"batch", 2}, {"past + seq", 20}, {"seq", 16}}));
  EXPECT_EQ(sizes({{{"past_0", {3, 4, 7, 32}}}, {}, {}}), (Sizes{{"batch", 3}}));
}

TEST(SymbolSizes, ThatContradictAreRefusedWithBothPlaces) {
  EXPECT_EQ(
      refused({{{"input_ids", {2, 32}}, {"attention_mask", {3, 32}}}, {}, {}}),
      "--shape: the shape (3, 32) of \"attention_mask\" makes \"batch\" 3, but the shape of \"input_ids\" makes it 2");
  EXPECT_EQ(refused({{{"input_ids", {2, 32}}}, {}, {{"seq", 16}}}),
            "--shape: the shape (2, 32) of \"input_ids\" makes \"seq\" 32, but --dim makes it 16");
}

TEST(SymbolSizes, OfUnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(refused({{}, {}, {{"bach", 8}}}),
            "--dim: no input of the model has a dimension \"bach\"; the nearest is \"batch\"");
}

}  // namespace
}  // namespace foreflow::onnx::symbol_sizes_test
