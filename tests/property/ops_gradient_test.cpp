// Gradients against central differences, in double, of the sum of all outputs weighted at random.
#include <map>

#include "ops/kernel.h"
#include "property/op_samples.h"

namespace foreflow::test {
namespace {

using ir::Array;
using ir::DType;

class OpGradients : public ::testing::TestWithParam<std::string> {};

Array widened(const Array& array) {
  return ir::is_float(array.dtype()) ? ops::array_of(DType::f64, array.dims(), ops::values_of<double>(array)) : array;
}

// Evaluates what a reverse rule emits, as it emits it.
class EagerGradients final : public ir::GradBuilder {
 public:
  EagerGradients(const ir::OpCall& call, const std::vector<Operand>& operands, std::vector<Array> outputs,
                 std::vector<Array> weights)
      : call_(call), operands_(operands) {
    for (const Operand& operand : operands) values_.push_back(operand.array);
    for (Array& output : outputs) values_.push_back(std::move(output));
    for (Array& weight : weights) values_.push_back(std::move(weight));
  }

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return static_cast<int>(index); }
  int output(size_t index) override { return static_cast<int>(operands_.size() + index); }
  int output_gradient(size_t index) override { return static_cast<int>(operands_.size() + call_.outputs + index); }
  bool wanted(size_t index) override { return operands_[index].is_float(); }
  void set_input_gradient(size_t index, int handle) override {
    gradients_[index] = values_[static_cast<size_t>(handle)];
  }

  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs,
                        size_t outputs) override {
    std::vector<Operand> operands;
    for (const int handle : inputs) {
      if (handle < 0) {
        operands.emplace_back();
        continue;
      }
      const Array& array = values_[static_cast<size_t>(handle)];
      operands.push_back({.type = array.type(), .array = array});
    }
    std::vector<int> handles;
    for (Array& result :
         Application(ops::table().get(op, "gradient"), std::move(attributes), operands, outputs).eval()) {
      handles.push_back(static_cast<int>(values_.size()));
      values_.push_back(std::move(result));
    }
    return handles;
  }

  const std::map<size_t, Array>& gradients() const { return gradients_; }

 private:
  ir::OpCall call_;
  const std::vector<Operand>& operands_;
  std::vector<Array> values_;
  std::map<size_t, Array> gradients_;
};

double loss(const std::vector<Array>& outputs, const std::vector<Array>& weights) {
  double sum = 0;
  for (size_t o = 0; o < outputs.size(); ++o) {
    for (int64_t i = 0; i < outputs[o].size(); ++i) sum += outputs[o].at(i) * weights[o].at(i);
  }
  return sum;
}

Array central_differences(const ir::OpDef& def, const ir::OpDef::Sample& sample, std::vector<Operand> operands,
                          size_t index, const std::vector<Array>& weights) {
  constexpr double kStep = 1e-5;
  const Array here       = operands[index].array;
  const auto loss_with   = [&](size_t element, double step) {
    std::vector<double> moved = ops::values_of<double>(here);
    moved[element] += step;
    operands[index].array = ops::array_of(DType::f64, here.dims(), moved);
    return loss(Application(def, sample.attributes, operands, sample.outputs).eval(), weights);
  };
  std::vector<double> slopes(static_cast<size_t>(here.size()));
  for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = (loss_with(i, kStep) - loss_with(i, -kStep)) / (2 * kStep);
  return ops::array_of(DType::f64, here.dims(), slopes);
}

// The gradient of a loss is for an upstream gradient of one.
bool ends_forward_pass(const ir::OpDef& def) {
  const ir::OpDef* gradient = ops::table().find(std::string(def.name) + "Grad");
  return gradient != nullptr && gradient->role == ir::Role::loss_gradient;
}

Array ones(const ir::Dims& dims) {
  return ops::array_of(DType::f64, dims, std::vector<double>(static_cast<size_t>(element_count(dims)), 1));
}

void check_sample(const ir::OpDef& def, const ir::OpDef::Sample& sample, std::mt19937_64& rng) {
  std::vector<Operand> operands = random_operands(sample, rng);
  bool any_float                = false;
  for (Operand& operand : operands) {
    if (operand.left_out() || operand.type.is_tuple()) continue;
    operand.array = widened(operand.array);
    operand.type  = operand.array.type();
    any_float     = any_float || operand.is_float();
  }
  const Application application(def, sample.attributes, operands, sample.outputs);
  const std::vector<Array> outputs = application.eval();
  std::vector<Array> weights;
  for (const Array& output : outputs) {
    if (output.is_tuple()) return;
    // A narrower result moves in steps of its own, so it has no differences to compare with.
    if (ir::is_float(output.dtype()) && output.dtype() != DType::f64) return;
    weights.push_back(ends_forward_pass(def) ? ones(output.dims()) : random_array(ir::Type::tensor(DType::f64, output.dims()), rng));
  }
  if (!any_float || !ir::is_float(outputs[0].dtype())) return;
  EagerGradients gradients(application.call(), operands, outputs, weights);
  def.grad(gradients);
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto found = gradients.gradients().find(i);
    if (found == gradients.gradients().end()) {
      EXPECT_FALSE(operands[i].is_float() && !operands[i].given) << "operand " << i << " gets no gradient";
      continue;
    }
    EXPECT_TRUE(close(found->second, central_differences(def, sample, operands, i, weights), 1e-4)) << "operand " << i;
  }
}

TEST_P(OpGradients, AreTheSlopesOfTheOp) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng(4);
  for (const ir::OpDef::Sample& sample : def.samples()) check_sample(def, sample, rng);
}

std::vector<std::string> differentiable_ops() {
  std::vector<std::string> names;
  for (const ir::OpDef& def : ops::table()) {
    if (def.grad != nullptr && def.role != ir::Role::communication) names.emplace_back(def.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, OpGradients, ::testing::ValuesIn(differentiable_ops()), op_test_name);

}  // namespace
}  // namespace foreflow::test
