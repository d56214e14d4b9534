// Tensor parallelism splits weights in fewer bits by their columns, with the scales and zero points of these columns,
// and computes what the sequential program does.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"

namespace foreflow::test::quantised_products_test {
namespace {

struct Model {
  std::string name, text;
};

// Quantised by column, from [in, out] = [4, 8]; and by blocks of 16 of 4 bits, from [out, in] = [8, 16].
const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"Dequantised", R"(
func @main(%x: Tensor[Float32, (2, 4)], weight %w: Tensor[Int8, (4, 8)], weight %s: Tensor[Float32, (8,)],
           weight %z: Tensor[Int8, (8,)]) {
  %real = DequantizeLinear[axis = 1](%w, %s, %z)
  %y = MatMul(%x, %real)
  return %y
})"},
      {"DequantisedAsAWhole", R"(
func @main(%x: Tensor[Float32, (2, 4)], weight %w: Tensor[Int8, (4, 8)]) {
  %s = Constant[value = Float32()[0.5]]()
  %real = DequantizeLinear(%w, %s)
  %y = MatMul(%x, %real)
  return %y
})"},
      {"OfIntegers", R"(
func @main(%x: Tensor[Float32, (2, 4)], weight %w: Tensor[UInt8, (4, 8)], weight %s: Tensor[Float32, (8,)],
           weight %z: Tensor[UInt8, (8,)]) {
  %q, %scale, %zero = DynamicQuantizeLinear(%x)
  %sums = MatMulInteger(%q, %w, %zero, %z)
  %real = Cast[to = "Float32"](%sums)
  %scales = Mul(%scale, %s)
  %y = Mul(%real, %scales)
  return %y
})"},
      {"Requantised", R"(
func @main(%x: Tensor[Float32, (2, 4)], weight %w: Tensor[UInt8, (4, 8)], weight %s: Tensor[Float32, (8,)],
           weight %z: Tensor[UInt8, (8,)]) {
  %one = Constant[value = Float32()[0.25]]()
  %zero = Constant[value = UInt8()[3]]()
  %q = QuantizeLinear(%x, %one, %zero)
  %product = QLinearMatMul(%q, %one, %zero, %w, %s, %z, %one, %zero)
  %y = DequantizeLinear(%product, %one, %zero)
  return %y
})"},
      {"OfBlocks", R"(
func @main(%x: Tensor[Float32, (2, 16)], weight %w: Tensor[UInt8, (8, 1, 8)], weight %s: Tensor[Float32, (8,)]) {
  %y = MatMulNBits[K = 16, N = 8, block_size = 16, bits = 4](%x, %w, %s)
  return %y
})"},
  };
  return kModels;
}

class QuantisedProducts : public testing::TestWithParam<std::string> {};

TEST_P(QuantisedProducts, AreSplitByColumns) {
  const Model& model =
      *std::find_if(models().begin(), models().end(), [](const Model& row) { return row.name == GetParam(); });
  const ir::Module module = ir::parse(model.text, model.name, ops::table());
  std::mt19937_64 random(3);
  const auto arguments = random_arguments(module, random, 6);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const int tp : {2, 4}) {
    const auto steps = distribute(module, {.tp = tp});
    for (const transform::Piece& piece : steps.back().parameters) {
      const auto source = static_cast<size_t>(piece.source);
      const bool matrix = module.entry().parameters[source] == ir::ParameterRole::weight &&
                          module.entry().values[source].annotation->dims.size() > 1;
      EXPECT_TRUE(!matrix || piece.layout.is_split()) << module.entry().values[source].name;
    }
    EXPECT_LE(relative_difference(run(steps, arguments, 1).at(0), expected.at(0)), 1e-6) << tp;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Model& model : models()) all.push_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, QuantisedProducts, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::quantised_products_test
