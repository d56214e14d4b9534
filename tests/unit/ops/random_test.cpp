// Random ops: the numbers of NumPy's np.random.seed(0), and what their distributions promise.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/ops/apply.h"

namespace foreflow::test::random_test {
namespace {

using ir::Array;
using Ints = std::vector<int64_t>;

TEST(Random, DrawsTheNumbersOfNumPy) {
  // np.random.seed(0); np.random.uniform(size=3), np.random.normal(size=3), as NumPy's documentation prints them.
  const Array uniform = apply("RandomUniform", {{"shape", Ints{3}}, {"dtype", "Float64"}}, {});
  EXPECT_NEAR(uniform.at(0), 0.5488135, 1e-8);
  EXPECT_NEAR(uniform.at(1), 0.71518937, 1e-8);
  EXPECT_NEAR(uniform.at(2), 0.60276338, 1e-8);
  const Array normal = apply("RandomNormal", {{"shape", Ints{3}}, {"dtype", "Float64"}}, {});
  EXPECT_NEAR(normal.at(0), 1.76405235, 1e-8);
  EXPECT_NEAR(normal.at(1), 0.40015721, 1e-8);
  EXPECT_NEAR(normal.at(2), 0.97873798, 1e-8);
}

TEST(Random, RepeatsForASeedAndDiffersForAnother) {
  const auto drawn = [](double seed) { return apply("RandomNormal", {{"shape", Ints{64}}, {"seed", seed}}, {}); };
  EXPECT_EQ(drawn(3), drawn(3));
  EXPECT_FALSE(drawn(3) == drawn(4));
  EXPECT_FALSE(drawn(0.5) == drawn(0));
}

TEST(Random, KeepsToItsDistribution) {
  constexpr int64_t kCount = 20000;
  const Array x            = Array::of_floats({kCount}, std::vector<float>(kCount, 0.25F));
  const auto mean          = [](const Array& array) {
    double sum = 0;
    for (int64_t i = 0; i < array.size(); ++i) sum += array.at(i) / static_cast<double>(array.size());
    return sum;
  };
  // Four deviations of the mean of that many draws.
  const auto within = [](double deviation) { return 4 * deviation / std::sqrt(kCount); };
  EXPECT_NEAR(mean(apply("Bernoulli", {{"seed", 1.0}}, {x})), 0.25, within(std::sqrt(0.25 * 0.75)));
  EXPECT_NEAR(mean(apply("RandomUniformLike", {{"low", -1.0}, {"high", 3.0}}, {x})), 1, within(4 / std::sqrt(12)));
  EXPECT_NEAR(mean(apply("RandomNormalLike", {{"mean", 5.0}, {"scale", 2.0}}, {x})), 5, within(2));
  const Array odds = Array::of_floats({1, 2}, {std::log(3.0F), 0});
  EXPECT_NEAR(mean(apply("Multinomial", {{"sample_size", kCount}}, {odds})), 0.25, within(std::sqrt(0.25 * 0.75)));
}

TEST(Dropout, InTrainingKeepsTheExpectation) {
  constexpr int64_t kCount = 20000;
  const Array x            = Array::of_floats({kCount}, std::vector<float>(kCount, 1));
  Array training(ir::DType::boolean, {});
  training.mutable_data<bool>()[0] = true;
  const auto results               = apply_all("Dropout", {{"seed", 2}}, {x, Array::scalar(0.75F), training}, 2);
  double sum                       = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(results[0].at(i), results[1].at(i) != 0 ? 4 : 0);
    sum += results[0].at(i) / kCount;
  }
  // One draw is 4 with probability 1/4: deviation sqrt(3).
  EXPECT_NEAR(sum, 1, 4 * std::sqrt(3.0) / std::sqrt(kCount));
}

}  // namespace
}  // namespace foreflow::test::random_test
