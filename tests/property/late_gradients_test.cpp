// Gradients that pass an op which sums over microbatches or replicas cannot pass term by term: the op runs once, when
// they are complete.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::test::late_gradients_test {
namespace {

ir::Module training_step(const std::string& text) {
  const ir::OpTable& ops  = ops::table();
  const ir::Module losing = transform::add_loss(ir::parse(text, "model", ops), ops, "sum", "0", -1);
  const ir::Module step   = transform::add_optimizer(transform::differentiate(losing, ops), ops, "sgd", {});
  return transform::eliminate_dead_code(transform::resolve(step));
}

void expect_same_training(const std::string& text, const std::vector<Split>& splits) {
  const ir::Module step = training_step(text);
  std::mt19937_64 random(3);
  const auto arguments = random_arguments(step, random, 4);
  const auto expected  = interpret::evaluate(step, step.functions.size() - 1, arguments);
  for (const Split& split : splits) {
    SCOPED_TRACE(to_string(split));
    const auto results = run(distribute(step, split), arguments, expected.size());
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i) EXPECT_LE(relative_difference(results[i], expected[i]), 1e-5) << i;
  }
}

void expect_same_training(const std::string& text) {
  expect_same_training(text, {Split{.microbatches = 4}, Split{.pp = 2, .microbatches = 4}, Split{.dp = 2},
                              Split{.dp = 2, .pp = 2, .microbatches = 2}, Split{.dp = 2, .zero = 3},
                              Split{.dp = 2, .microbatches = 2, .zero = 3}, Split{.pp = 2}, Split{.dp = 2, .pp = 2},
                              Split{.dp = 2, .pp = 2, .zero = 3}});
}

TEST(LateGradients, OfPositionsThatAreResized) {
  expect_same_training(R"(
func @main(weight %positions: Tensor[Float32, (1, 3, 4)], weight %w: Tensor[Float32, (4, 4)], %x: Tensor[Float32, (8, 3, 6)]) {
  %all = Resize[mode = "linear", sizes = [1, 3, 6]](%positions)
  %placed = Add(%x, %all)
  %square = Mul(%placed, %placed)
  %rows = Slice[starts = [0], ends = [4], axes = [2]](%square)
  %y = MatMul(%rows, %w)
  return %y
})");
}

TEST(LateGradients, OfAWeightThatIsScaledMaskedAndJoined) {
  expect_same_training(R"(
func @main(weight %scale: Tensor[Float32, (4,)], weight %bias: Tensor[Float32, (2,)], weight %w: Tensor[Float32, (4, 4)], %x: Tensor[Float32, (8, 4)]) {
  %zeros = Constant[value = Float32(2,)[0, 0]]()
  %joined = Concat[axis = 0](%bias, %zeros)
  %mask = Constant[value = Bool(4,)[1, 0, 1, 1]]()
  %none = Constant[value = Float32()[0]]()
  %kept = Where(%mask, %scale, %none)
  %factor = Exp(%kept)
  %scaled = Mul(%x, %factor)
  %moved = Add(%scaled, %joined)
  %y = MatMul(%moved, %w)
  return %y
})");
}

// Each sample's own rows, whose gradients go back to that sample.
TEST(LateGradients, OfRowsThatEachSampleGathers) {
  expect_same_training(R"(
func @main(weight %w: Tensor[Float32, (3, 5)], %x: Tensor[Float32, (8, 4, 3)], %at: Tensor[Int64, (8, 2, 1)]) {
  %rows = MatMul(%x, %w)
  %chosen = GatherND[batch_dims = 1](%rows, %at)
  %y = Mul(%chosen, %chosen)
  return %y
})");
}

// The sizes are those of the whole batch.
TEST(LateGradients, OfPicturesThatAreResizedToStatedSizes) {
  expect_same_training(R"(
func @main(weight %w: Tensor[Float32, (4, 5)], %x: Tensor[Float32, (8, 3, 4)]) {
  %rows = MatMul(%x, %w)
  %sizes = Constant[value = Int64(3,)[8, 3, 7]]()
  %wide = Resize[mode = "linear"](%rows, _, _, %sizes)
  %y = Mul(%wide, %wide)
  return %y
})");
}

TEST(LateGradients, OfElementsThatEachSampleGathers) {
  expect_same_training(R"(
func @main(weight %w: Tensor[Float32, (3, 5)], %x: Tensor[Float32, (8, 4, 3)], %at: Tensor[Int64, (8, 4, 2)]) {
  %rows = MatMul(%x, %w)
  %chosen = GatherElements[axis = 2](%rows, %at)
  %y = Mul(%chosen, %chosen)
  return %y
})");
}

// Positions of a rotation that count as weights: what they give is multiplied by what no sample changes.
TEST(LateGradients, OfFrequenciesThatAreTrained) {
  expect_same_training(R"(
func @main(weight %frequencies: Tensor[Float32, (1, 2)], weight %w: Tensor[Float32, (4, 4)], %x: Tensor[Float32, (8, 3, 4)]) {
  %places = Constant[value = Float32(3, 1)[0, 1, 2]]()
  %angles = MatMul(%places, %frequencies)
  %both = Concat[axis = 1](%angles, %angles)
  %cosines = Cos(%both)
  %turned = Mul(%x, %cosines)
  %y = MatMul(%turned, %w)
  return %y
})");
}

// What a sum over all samples, changed by an activation, hands back to each of them cannot wait for the end of the
// step.
TEST(LateGradients, StayInTheirStageWhereSamplesNeedThem) {
  expect_same_training(R"(
func @main(weight %w: Tensor[Float32, (4, 4)], weight %v: Tensor[Float32, (4, 4)], %x: Tensor[Float32, (8, 4)]) {
  %hidden = MatMul(%x, %w)
  %features = Transpose[perm = [1, 0]](%hidden)
  %products = MatMul(%features, %hidden)
  %mixing = Tanh(%products)
  %mixed = MatMul(%hidden, %mixing)
  %y = MatMul(%mixed, %v)
  return %y
})",
                       {Split{.pp = 2}, Split{.dp = 2}});
}

}  // namespace
}  // namespace foreflow::test::late_gradients_test
