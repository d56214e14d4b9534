// Gradients against central differences, in double, of the sum of all outputs weighted at random.
#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "property/op_samples.h"

namespace foreflow::test::ops_gradient_test {
namespace {

using ir::Array;
using ir::DType;
using ir::Type;
using Numbers = std::vector<double>;

class OpGradients : public ::testing::TestWithParam<std::string> {};

// The numbers of all leaves that are floats, one after the other.
Numbers floats_of(const Array& array) {
  Numbers numbers;
  if (!array.is_tuple()) return ir::is_float(array.dtype()) ? ops::values_of<double>(array) : numbers;
  for (const Array& element : array.elements()) {
    const Numbers own = floats_of(element);
    numbers.insert(numbers.end(), own.begin(), own.end());
  }
  return numbers;
}

// The array with those numbers in their places, in double; other leaves stay.
Array with_floats(const Array& like, Numbers::const_iterator& from) {
  if (like.is_tuple()) {
    std::vector<Array> elements;
    for (const Array& element : like.elements()) elements.push_back(with_floats(element, from));
    return Array::tuple(std::move(elements));
  }
  if (!ir::is_float(like.dtype())) return like;
  const auto start = from;
  from += like.size();
  return ops::array_of(DType::f64, like.dims(), Numbers(start, from));
}
Array with_floats(const Array& like, const Numbers& numbers) {
  auto from = numbers.begin();
  return with_floats(like, from);
}

bool is_double(const Array& array) {
  if (!array.is_tuple()) return !ir::is_float(array.dtype()) || array.dtype() == DType::f64;
  return std::all_of(array.elements().begin(), array.elements().end(), is_double);
}

// Evaluates what a reverse rule emits, as it emits it.
class EagerGradients final : public ir::GradBuilder {
 public:
  EagerGradients(const ir::OpCall& call, const std::vector<Operand>& operands, const std::vector<Array>& outputs,
                 const std::vector<Array>& weights, bool learned)
      : call_(call), operands_(operands), learned_(learned) {
    for (const Operand& operand : operands) values_.push_back(operand.array);
    values_.insert(values_.end(), outputs.begin(), outputs.end());
    values_.insert(values_.end(), weights.begin(), weights.end());
  }

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return static_cast<int>(index); }
  int output(size_t index) override { return static_cast<int>(operands_.size() + index); }
  int output_gradient(size_t index) override {
    asked_.insert(index);
    return static_cast<int>(operands_.size() + call_.outputs + index);
  }
  bool wanted(size_t index) override { return !floats_of(operands_[index].array).empty(); }
  bool is_weight(size_t index) override { return learned_ && index > 0; }
  void set_input_gradient(size_t index, int handle) override { gradients_[index] = nth(values_, handle); }

  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs,
                        size_t outputs) override {
    std::vector<Operand> operands;
    for (const int handle : inputs) {
      if (handle < 0) {
        operands.emplace_back();
        continue;
      }
      const Array& array = nth(values_, handle);
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
  // The outputs whose gradients the rule has read: no gradient comes through the others (differentiate refuses them).
  const std::set<size_t>& asked() const { return asked_; }

 private:
  ir::OpCall call_;
  const std::vector<Operand>& operands_;
  const bool learned_;  // whether operands from number 1 on are weights, for which a rule may emit other ops
  std::vector<Array> values_;
  std::map<size_t, Array> gradients_;
  std::set<size_t> asked_;
};

double loss(const std::vector<Array>& outputs, const std::vector<Array>& weights, const std::set<size_t>& counted) {
  double sum = 0;
  for (const size_t o : counted) {
    const Numbers numbers = floats_of(outputs[o]), factors = floats_of(weights[o]);
    for (size_t i = 0; i < numbers.size(); ++i) sum += numbers[i] * factors[i];
  }
  return sum;
}

Array central_differences(const ir::OpDef& def, const ir::OpDef::Sample& sample, std::vector<Operand> operands,
                          size_t index, const std::vector<Array>& weights, const std::set<size_t>& counted) {
  constexpr double kStep = 1e-5;
  const Array here       = operands[index].array;
  const Numbers at       = floats_of(here);
  const auto loss_with   = [&](size_t element, double step) {
    Numbers moved = at;
    moved[element] += step;
    operands[index].array = with_floats(here, moved);
    return loss(Application(def, sample.attributes, operands, sample.outputs).eval(), weights, counted);
  };
  Numbers slopes(at.size());
  for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = (loss_with(i, kStep) - loss_with(i, -kStep)) / (2 * kStep);
  return with_floats(here, slopes);
}

// The gradient of a loss is for an upstream gradient of one.
bool ends_forward_pass(const ir::OpDef& def) {
  const ir::OpDef* gradient = ops::table().find(std::string(def.name) + "Grad");
  return gradient != nullptr && gradient->role == ir::Role::loss_gradient;
}

Array weight_of(const ir::OpDef& def, const Array& output, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> real(-1.5, 1.5);
  Numbers numbers(floats_of(output).size(), 1);
  if (!ends_forward_pass(def)) std::generate(numbers.begin(), numbers.end(), [&] { return real(rng); });
  return with_floats(output, numbers);
}

// Gradients of integers and booleans inside a tuple mean nothing.
Array floats_only(const Array& array) {
  const Numbers numbers = floats_of(array);
  return ops::array_of(DType::f64, {static_cast<int64_t>(numbers.size())}, numbers);
}

// How many operands have been compared.
int check_sample(const ir::OpDef& def, const ir::OpDef::Sample& sample, bool learned, std::mt19937_64& rng) {
  std::vector<Operand> operands = random_operands(sample, rng);
  for (Operand& operand : operands) {
    if (operand.left_out()) continue;
    operand.array = with_floats(operand.array, floats_of(operand.array));
    operand.type  = operand.array.type(device_of(operand.type));
  }
  const Application application(def, sample.attributes, operands, sample.outputs);
  const std::vector<Array> outputs = application.eval();
  // A narrower result moves in steps of its own, so it has no differences to compare with.
  if (!std::all_of(outputs.begin(), outputs.end(), is_double) || floats_of(outputs[0]).empty()) return 0;
  std::vector<Array> weights;
  for (const Array& output : outputs) weights.push_back(weight_of(def, output, rng));
  EagerGradients gradients(application.call(), operands, outputs, weights, learned);
  def.grad(gradients);
  const std::set<size_t> counted = ends_forward_pass(def) ? std::set<size_t>{0} : gradients.asked();
  EXPECT_TRUE(counted.contains(0)) << "no gradient comes through the first result";
  int compared = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto found = gradients.gradients().find(i);
    // An operand that the sample fixes may only steer (sizes, limits): it need not have a gradient.
    if (floats_of(operands[i].array).empty() || (found == gradients.gradients().end() && operands[i].given)) continue;
    const Array slopes   = central_differences(def, sample, operands, i, weights, counted);
    const bool has_one   = found != gradients.gradients().end();
    const Array gradient = has_one ? found->second : with_floats(slopes, Numbers(floats_of(slopes).size()));
    EXPECT_EQ(gradient.is_tuple() ? ir::Dims() : gradient.dims(), operands[i].array.dims()) << "operand " << i;
    EXPECT_TRUE(close(floats_only(gradient), floats_only(slopes), 1e-4)) << "operand " << i;
    ++compared;
  }
  return compared;
}

TEST_P(OpGradients, AreTheSlopesOfTheOp) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng(4);
  int compared = 0;
  for (const bool learned : {false, true}) {
    for (const ir::OpDef::Sample& sample : def.samples()) compared += check_sample(def, sample, learned, rng);
  }
  EXPECT_GT(compared, 0);
}

std::vector<std::string> differentiable_ops() {
  std::vector<std::string> names;
  for (const ir::OpDef& def : ops::table()) {
    if (def.grad != nullptr) names.emplace_back(def.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, OpGradients, ::testing::ValuesIn(differentiable_ops()), op_test_name);

// Why each op without a reverse rule has none.
std::map<std::string_view, std::string_view> ops_without_gradient() {
  std::map<std::string_view, std::string_view> reasons;
  const auto add = [&](std::string_view reason, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) reasons.emplace(name, reason);
  };
  add("gives integers or booleans", {"And",
                                     "ArgMax",
                                     "ArgMin",
                                     "BitShift",
                                     "BitwiseAnd",
                                     "BitwiseNot",
                                     "BitwiseOr",
                                     "BitwiseXor",
                                     "BroadcastGradientArgs",
                                     "ConvInteger",
                                     "Equal",
                                     "Greater",
                                     "GreaterOrEqual",
                                     "Hardmax",
                                     "IsInf",
                                     "IsNaN",
                                     "Less",
                                     "LessOrEqual",
                                     "MatMulInteger",
                                     "NonMaxSuppression",
                                     "NonZero",
                                     "Not",
                                     "Or",
                                     "Shape",
                                     "Size",
                                     "TopKMask",
                                     "Xor"});
  add("has no float operand", {"BlackmanWindow", "Constant", "ConstantOfShape", "EyeLike", "HammingWindow",
                               "HannWindow", "MelWeightMatrix", "TfIdfVectorizer"});
  add("works on quantised numbers, whose slope is zero or jumps",
      {"DequantizeLinear", "DynamicQuantizeLinear", "DynamicQuantizeLSTM", "GatherBlockQuantized", "MatMulNBits",
       "QLinearConv", "QLinearMatMul", "QuantizeLinear"});
  add("draws its result",
      {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"});
  add("the length of the result jumps with its operands", {"Range", "Unique"});
  add("is a gradient itself: second derivatives are not taken", {"AveragePoolGrad",
                                                                 "BatchNormalizationGrad",
                                                                 "BiasFastGeluGrad_dX",
                                                                 "BiasGeluGrad_dX",
                                                                 "BlockAttentionGrad",
                                                                 "ConvWeightGrad",
                                                                 "CrossEntropyOfTermsGrad",
                                                                 "DetGrad",
                                                                 "DropoutGrad",
                                                                 "EmbeddingGrad",
                                                                 "GRUGrad",
                                                                 "GatherGrad",
                                                                 "GatherNDGrad",
                                                                 "GatherPartGrad",
                                                                 "GeluGrad",
                                                                 "GridSampleGrad",
                                                                 "LRNGrad",
                                                                 "LSTMGrad",
                                                                 "LayerNormalizationGrad",
                                                                 "LogSoftmaxGrad",
                                                                 "LossGrad",
                                                                 "MatMulGrad",
                                                                 "MaxPoolGrad",
                                                                 "MoeGateGrad",
                                                                 "NegativeLogLikelihoodLossGrad",
                                                                 "OnesLike",
                                                                 "QuickGeluGrad",
                                                                 "RNNGrad",
                                                                 "ReluGrad",
                                                                 "ResizeGrad",
                                                                 "RoiAlignGrad",
                                                                 "SigmoidGrad",
                                                                 "SimplifiedLayerNormalizationGrad",
                                                                 "SliceGrad",
                                                                 "SoftmaxCrossEntropyGrad",
                                                                 "SoftmaxCrossEntropyLossGrad",
                                                                 "SoftmaxCrossEntropyLossInternalGrad",
                                                                 "SoftmaxGrad",
                                                                 "TanhGrad"});
  add("is written by tensor parallelism in place of what is differentiated already",
      {"CrossEntropyOfTerms", "CrossEntropyTerms", "MPIAllreduceMax"});
  add("is written by context parallelism in place of what is differentiated already", {"MergeAttention"});
  add("is what exporters of training graphs write: it is differentiated already",
      {"BiasDropout", "ConcatTraining", "InPlaceAccumulator", "SoftmaxCrossEntropy", "SoftmaxCrossEntropyLossInternal",
       "YieldOp"});
  add("is fused for inference: export the model unfused to train it",
      {"Attention", "BiasSoftmax", "EmbedLayerNormalization", "FusedConv", "FusedGemm", "GroupQueryAttention",
       "MultiHeadAttention", "PackedMultiHeadAttention"});
  add("routes tokens for inference: training has its own gates", {"MoE", "QMoE"});
  add("remembers keys and values for inference", {"TensorScatter"});
  add("reads regions or frames for inference", {"MaxRoiPool", "STFT"});
  add("is written behind products in fp8, of which all gradients are there", {"Fp8Maxima"});
  add("ends a training step", {"Adagrad", "Adam", "AdamOptimizer", "Assign", "ClipGradients", "DescentStep", "Momentum",
                               "MomentumOptimizer", "Optimizer", "SGDOptimizer", "SquaredNorm"});
  return reasons;
}

TEST(EveryOpWithoutGradient, HasAReason) {
  const auto reasons = ops_without_gradient();
  for (const ir::OpDef& def : ops::table()) {
    EXPECT_EQ(def.grad == nullptr, reasons.contains(def.name))
        << def.name << (def.grad == nullptr ? " has no reverse rule and no reason here" : " has a reverse rule");
  }
  for (const auto& [name, reason] : reasons) EXPECT_NE(ops::table().find(name), nullptr) << name << " is no op";
}

}  // namespace
}  // namespace foreflow::test::ops_gradient_test
