// The facts that rows of the op table state for other modules, against the kernels.
#include <algorithm>
#include <cmath>
#include <set>

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "property/op_samples.h"
#include "transform/rewrite/elementwise.h"

namespace foreflow::test::ops_facts_test {
namespace {

class FactsOfOps : public ::testing::TestWithParam<std::string> {
 protected:
  // The operands of a sample and what the kernel makes of them.
  struct Run {
    std::vector<Operand> operands;
    std::vector<ir::Array> results;
    const ir::OpDef::Sample& sample;
  };

  template <class Check>
  void for_every_sample(const Check& check) {
    const std::vector<ir::OpDef::Sample> samples = def.samples();
    for (const ir::OpDef::Sample& sample : samples) {
      const std::vector<Operand> operands = random_operands(sample, rng);
      check(Run{operands, Application(def, sample.attributes, operands, sample.outputs).eval(), sample});
    }
  }

  // Result 0 where all numbers of operand 0 are twice as large.
  ir::Array of_twice_the_first(const Run& run) const {
    std::vector<Operand> larger = run.operands;
    std::vector<double> twice   = ops::values_of<double>(larger[0].array);
    for (double& number : twice) number *= 2;
    larger[0].array = ops::array_of(larger[0].type.dtype, larger[0].array.dims(), twice);
    return Application(def, run.sample.attributes, larger, run.sample.outputs).eval()[0];
  }

  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng  = std::mt19937_64(1);
};

// Evaluates the ops that a fused op consists of, as its row emits them.
class EagerCall final : public ir::CallBuilder {
 public:
  EagerCall(const ir::OpCall& call, const std::vector<Operand>& operands) : call_(call), values_(operands) {}

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return values_[index].left_out() ? -1 : static_cast<int>(index); }
  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs,
                        size_t outputs) override {
    const ir::OpDef& def = ops::table().get(op, "fused op");
    // A loss of what the fused op computes goes through every op with a float result.
    std::vector<Operand> operands;
    for (const int handle : inputs) operands.push_back(handle < 0 ? Operand() : nth(values_, handle));
    std::vector<int> handles;
    for (ir::Array& result : Application(def, std::move(attributes), operands, outputs).eval()) {
      const bool passes = !operands.empty() && operands[0].is_float() && ir::is_float(result.dtype());
      EXPECT_TRUE(!passes || def.grad != nullptr) << op << " has no gradient";
      handles.push_back(static_cast<int>(values_.size()));
      const ir::Type type = result.type();
      values_.push_back({.type = type, .array = std::move(result)});
    }
    return handles;
  }
  const ir::Array& array(int handle) const { return nth(values_, handle).array; }

 private:
  const ir::OpCall call_;
  std::vector<Operand> values_;
};

std::vector<double> numbers(const ir::Array& array) { return ops::values_of<double>(array); }

std::vector<int64_t> sizes(const ir::Array& array) { return {array.dims().begin(), array.dims().end()}; }

std::vector<int64_t> without_ones(std::vector<int64_t> dims) {
  dims.erase(std::remove(dims.begin(), dims.end(), 1), dims.end());
  return dims;
}

TEST_P(FactsOfOps, CommunicateInOneWayOrByAPlan) {
  const bool communicates = def.communication != ir::Communication::none;
  EXPECT_EQ(communicates || def.reshards, def.role == ir::Role::communication);
  EXPECT_FALSE(communicates && def.reshards);
}

// As the sum of whole operands or of their parts, over all results.
TEST_P(FactsOfOps, SumOverDevicesWhereTheySaySo) {
  if (!ir::sums_over_devices(def)) return;
  for_every_sample([&](const Run& run) {
    if (run.results[0].is_tuple()) return;
    double all = 0, expected = 0;
    for (const Operand& operand : run.operands) {
      for (const double number : numbers(operand.array)) expected += number;
    }
    const bool whole = def.communication == ir::Communication::all_reduce;
    for (const ir::Array& result : run.results) {
      for (const double number : numbers(result))
        all += whole ? number / static_cast<double>(run.results.size()) : number;
    }
    EXPECT_NEAR(all, expected, 1e-4);
  });
}

TEST_P(FactsOfOps, CopyAsTheySay) {
  if (def.copy == ir::Copy::none) return;
  for_every_sample([&](const Run& run) {
    const ir::Array &from = run.operands[0].array, &to = run.results[0];
    if (from.is_tuple()) return;
    std::vector<int64_t> before = sizes(from), after = sizes(to);
    if (def.copy == ir::Copy::permuted) {
      std::sort(before.begin(), before.end());
      std::sort(after.begin(), after.end());
    }
    if (def.copy == ir::Copy::ones_moved) before = without_ones(before), after = without_ones(after);
    EXPECT_EQ(before, after);
    if (def.copy == ir::Copy::same || def.copy == ir::Copy::ones_moved) {
      EXPECT_EQ(numbers(from), numbers(to));
    }
  });
}

TEST_P(FactsOfOps, MakeTheSizesThatAreStated) {
  if (def.sizes == ir::Sizes::none) return;
  for_every_sample([&](const Run& run) {
    const std::vector<double> made = numbers(run.results[0]);
    const std::vector<double> from =
        def.sizes == ir::Sizes::filled ? std::vector<double>() : numbers(run.operands[0].array);
    switch (def.sizes) {
      case ir::Sizes::shape: EXPECT_EQ(made, from); break;
      case ir::Sizes::filled: EXPECT_LE(std::set<double>(made.begin(), made.end()).size(), 1U); break;
      case ir::Sizes::expanded:
      case ir::Sizes::repeated: {
        EXPECT_EQ(made.size() % from.size(), 0U);
        EXPECT_EQ(std::set<double>(made.begin(), made.end()), std::set<double>(from.begin(), from.end()));
        break;
      }
      default: EXPECT_EQ(run.results[0].dims().size(), run.operands[0].array.dims().size());
    }
  });
}

TEST_P(FactsOfOps, PackAndUnpackTuples) {
  if (def.tuple == ir::Tuple::none) return;
  for_every_sample([&](const Run& run) {
    const bool packs       = def.tuple == ir::Tuple::packs;
    const ir::Array& tuple = packs ? run.results[0] : run.operands[0].array;
    const size_t elements  = packs ? run.operands.size() : run.results.size();
    ASSERT_TRUE(tuple.is_tuple());
    ASSERT_EQ(tuple.elements().size(), elements);
    for (size_t i = 0; i < elements; ++i)
      EXPECT_EQ(numbers(tuple.elements()[i]), numbers(packs ? run.operands[i].array : run.results[i]));
  });
}

// Twice as large operands 0 give twice as large results.
TEST_P(FactsOfOps, ScaleTheElementsOfTheirFirstOperandWhereTheySaySo) {
  if (!def.scales_elements) return;
  for_every_sample([&](const Run& run) {
    if (!run.operands[0].is_float()) return;
    const std::vector<double> before = numbers(run.results[0]), after = numbers(of_twice_the_first(run));
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], 2 * before[i], 5e-3 * std::abs(after[i]));
  });
}

// Scores of the operands at the same place, as many as the largest operand has.
TEST_P(FactsOfOps, AdjustScoresOneByOneWhereTheySaySo) {
  if (!def.adjusts_scores) return;
  for_every_sample([&](const Run& run) {
    const Application application(def, run.sample.attributes, run.operands, run.sample.outputs);
    EXPECT_TRUE(transform::is_elementwise(application.call()));
    const auto smaller = [](const Operand& a, const Operand& b) { return a.array.size() < b.array.size(); };
    EXPECT_GE(run.results[0].size(), std::max_element(run.operands.begin(), run.operands.end(), smaller)->array.size());
  });
}

// And have no gradient of their own, which the others have.
TEST_P(FactsOfOps, ConsistOfTheOpsThatTheySay) {
  if (def.unfused == nullptr) return;
  EXPECT_EQ(def.grad, nullptr);
  int written = 0;
  for_every_sample([&](const Run& run) {
    const Application application(def, run.sample.attributes, run.operands, run.sample.outputs);
    EagerCall call(application.call(), run.operands);
    const int result = def.unfused(call);
    if (result < 0) return;
    ++written;
    EXPECT_TRUE(close(call.array(result), run.results[0], 1e-5));
  });
  EXPECT_GT(written, 0);
}

// A norm does not grow with operand 0, but for its epsilon; its gradient is in inverse ratio to it, what is turned in
// proportion.
TEST_P(FactsOfOps, AreChainsOfKernelsAsTheySay) {
  if (def.chain == ir::Chain::none) return;
  const double factor = def.chain == ir::Chain::rms_norm ? 1 : def.chain == ir::Chain::rotation ? 2 : 0.5;
  for_every_sample([&](const Run& run) {
    const std::vector<double> before = numbers(run.results[0]), after = numbers(of_twice_the_first(run));
    ASSERT_EQ(before.size(), numbers(run.operands[0].array).size());
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], factor * before[i], 2e-2);
  });
}

TEST_P(FactsOfOps, GivePositionsWhereTheySaySo) {
  if (!def.gives_positions) return;
  for_every_sample([&](const Run& run) {
    const std::vector<int64_t> dims = sizes(run.operands[0].array);
    const int64_t axis              = run.sample.attributes.int_or("axis", 0);
    const int64_t length            = nth(dims, axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis);
    EXPECT_FALSE(ir::is_float(run.results[0].dtype()));
    for (const double number : numbers(run.results[0])) {
      EXPECT_GE(number, 0);
      EXPECT_LT(number, static_cast<double>(length));
    }
  });
}

// A gradient has the dimensions of what it is the gradient of.
TEST_P(FactsOfOps, AreGradientsOfTheOperandsThatTheySay) {
  if (def.gradient_of == ir::GradientOf::none) return;
  for_every_sample([&](const Run& run) {
    const size_t gradients = def.gradient_of == ir::GradientOf::product     ? 2
                             : def.gradient_of == ir::GradientOf::attention ? 3
                                                                            : 1;
    ASSERT_GE(run.results.size(), gradients);
    for (size_t i = 0; i < gradients; ++i) EXPECT_EQ(sizes(run.results[i]), sizes(run.operands[i].array)) << i;
  });
}

// A loss ends a program: it can be differentiated, and is no gradient itself.
TEST_P(FactsOfOps, EndForwardPassesOnlyWhereTheyHaveAGradient) {
  if (!def.grad_from_one) return;
  EXPECT_NE(def.grad, nullptr);
  EXPECT_NE(def.role, ir::Role::loss_gradient);
}

INSTANTIATE_TEST_SUITE_P(Table, FactsOfOps, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_facts_test
