// Gradients of whole models against differences of their loss, in double.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/slopes.h"

namespace foreflow::test::models_gradient_test {
namespace {

// A perceptron whose layers are calls of one function; the first layer's input wants no gradient, the last two share
// their weights.
constexpr std::string_view kPerceptron = R"(
func @layer(%x, weight %w, weight %b) {
  %product = MatMul(%x, %w)
  %sum = Add(%product, %b)
  %y = Tanh(%sum)
  return %y
}
func @mlp(weight %w1: Tensor[Float32, (5, 6)], weight %w2: Tensor[Float32, (6, 6)], weight %w3: Tensor[Float32, (6, 6)],
          weight %b1: Tensor[Float32, (6,)], weight %b2: Tensor[Float32, (6,)], %x: Tensor[Float32, (4, 5)],
          %t: Tensor[Float32, (4, 6)]) {
  %a = @layer(%x, %w1, %b1)
  %b = @layer(%a, %w2, %b2)
  %c = @layer(%b, %w3, %b2)
  %d = @layer(%c, %w3, %b1)
  %e = Add(%d, %b)
  %loss = Loss(%e, %t)
  return %loss
})";

// Nested calls, a tuple through a call, a loss inside a function and below other arithmetic, an unused result,
// integers.
constexpr std::string_view kNested = R"(
func @pair(%x, weight %w) {
  %left = Mul(%x, %w)
  %right = Sin(%left)
  %rows = Shape(%x)
  %both = PackTuple(%left, %right)
  return %both, %rows, %right
}
func @block(%x, weight %w) {
  %both, %rows, %unused = @pair(%x, %w)
  %left, %right = UnpackTuple(%both)
  %first = Select[index = 0](%both)
  %sum = Sum(%left, %right, %first)
  %flat = Reshape(%sum, %rows)
  return %flat
}
func @score(%x, %labels) {
  %l = SoftmaxCrossEntropyLoss(%x, %labels)
  return %l
}
func @main(weight %v: Tensor[Float32, (3,)], weight %w: Tensor[Float32, (3,)], weight %idle: Tensor[Float32, (2,)],
           %x: Tensor[Float32, (4, 3)], %labels: Tensor[Int64, (4,)]) {
  %a = @block(%x, %v)
  %b = @block(%a, %w)
  %c = @block(%b, %v)
  %l = @score(%c, %labels)
  %norm = ReduceL2[keepdims = 0](%v)
  %scaled = Mul(%l, %norm)
  %loss = Add(%scaled, %norm)
  return %loss
})";

constexpr std::string_view kResidual = R"(
func @resnet(weight %stem: Tensor[Float32, (4, 3, 3, 3)], weight %scale: Tensor[Float32, (4,)], weight %bias: Tensor[Float32, (4,)],
             weight %mean: Tensor[Float32, (4,)], weight %variance: Tensor[Float32, (4,)],
             weight %conv1: Tensor[Float32, (4, 4, 3, 3)], weight %conv2: Tensor[Float32, (4, 2, 3, 3)], weight %cb: Tensor[Float32, (4,)],
             weight %down: Tensor[Float32, (6, 4, 1, 1)], weight %fc: Tensor[Float32, (5, 6)], weight %fb: Tensor[Float32, (5,)],
             %x: Tensor[Float32, (2, 3, 11, 12)], %labels: Tensor[Int64, (2,)]) {
  %s0 = Conv[strides = [2, 2], pads = [1, 1, 1, 1]](%x, %stem)
  %s1 = BatchNormalization[epsilon = 0.001](%s0, %scale, %bias, %mean, %variance)
  %s2 = Relu(%s1)
  %s3 = MaxPool[kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]](%s2)
  %a0 = Conv[pads = [1, 1, 1, 1]](%s3, %conv1)
  %a1 = BatchNormalization(%a0, %scale, %bias, %mean, %variance)
  %a2 = Relu(%a1)
  %a3 = Conv[auto_pad = "SAME_LOWER", group = 2](%a2, %conv2, %cb)
  %a4 = Add(%a3, %s3)
  %d0 = Conv[strides = [2, 2]](%a4, %down)
  %d1 = LeakyRelu(%d0)
  %g = GlobalAveragePool(%d1)
  %f = Flatten(%g)
  %logits = Gemm[transB = 1](%f, %fc, %fb)
  %loss = SoftmaxCrossEntropyLoss[count = 2](%logits, %labels)
  return %loss
})";

constexpr std::string_view kUnet = R"(
func @unet(weight %c1: Tensor[Float32, (4, 2, 3, 3)], weight %c2: Tensor[Float32, (6, 4, 3, 3)], weight %up: Tensor[Float32, (6, 4, 2, 2)],
           weight %ub: Tensor[Float32, (4,)], weight %c3: Tensor[Float32, (4, 8, 3, 3)], weight %out: Tensor[Float32, (3, 8, 1, 1)],
           %x: Tensor[Float32, (2, 2, 8, 6)], %t: Tensor[Float32, (2, 3, 8, 6)]) {
  %e0 = Conv[pads = [1, 1, 1, 1]](%x, %c1)
  %e1 = Softplus(%e0)
  %p = AveragePool[kernel_shape = [2, 2], strides = [2, 2]](%e1)
  %b0 = Conv[pads = [1, 1, 1, 1], dilations = [1, 1]](%p, %c2)
  %b1 = Elu(%b0)
  %u = ConvTranspose[strides = [2, 2]](%b1, %up, %ub)
  %joined = Concat[axis = 1](%u, %e1)
  %d0 = Conv[pads = [1, 1, 1, 1]](%joined, %c3)
  %d1 = Sigmoid(%d0)
  %small = Resize[mode = "linear", scales = [1.0, 1.0, 0.5, 0.5]](%d1)
  %large = Resize[mode = "nearest", scales = [1.0, 1.0, 2.0, 2.0]](%small)
  %both = Concat[axis = 1](%large, %d1)
  %y = Conv(%both, %out)
  %cut = Slice[starts = [0], ends = [8], axes = [2], steps = [2]](%y)
  %cut_t = Slice[starts = [0], ends = [8], axes = [2], steps = [2]](%t)
  %loss = Loss[count = 2](%cut, %cut_t)
  return %loss
})";

constexpr std::string_view kBert = R"(
func @bert(weight %words: Tensor[Float32, (11, 8)], weight %places: Tensor[Float32, (5, 8)], weight %ln: Tensor[Float32, (8,)],
           weight %lb: Tensor[Float32, (8,)], weight %qkv: Tensor[Float32, (8, 24)], weight %qb: Tensor[Float32, (24,)],
           weight %o: Tensor[Float32, (8, 8)], weight %ob: Tensor[Float32, (8,)], weight %up: Tensor[Float32, (8, 16)],
           weight %ub: Tensor[Float32, (16,)], weight %down: Tensor[Float32, (16, 8)], weight %pool: Tensor[Float32, (8, 3)],
           %ids: Tensor[Int64, (2, 5)], %mask: Tensor[Int64, (2, 5)], %labels: Tensor[Int64, (2,)]) {
  %e = Gather[axis = 0](%words, %ids)
  %x0 = SkipLayerNormalization(%e, %places, %ln, %lb)
  %f0 = MatMul(%x0, %qkv)
  %f = Add(%f0, %qb)
  %q0, %k0, %v0 = Split[axis = 2, num_outputs = 3](%f)
  %q1 = Reshape[shape = [0, 5, 2, 4]](%q0)
  %k1 = Reshape[shape = [0, 5, 2, 4]](%k0)
  %v1 = Reshape[shape = [0, 5, 2, 4]](%v0)
  %q = Transpose[perm = [0, 2, 1, 3]](%q1)
  %k = Transpose[perm = [0, 2, 1, 3]](%k1)
  %v = Transpose[perm = [0, 2, 1, 3]](%v1)
  %s = FusedMatMul[transB = 1, alpha = 0.5](%q, %k)
  %m0 = Cast[to = "Float32"](%mask)
  %one = Constant[value = Float32(1,)[1]]()
  %m1 = Sub(%one, %m0)
  %far = Constant[value = Float32(1,)[-10000]]()
  %m2 = Mul(%m1, %far)
  %m3 = Unsqueeze[axes = [1, 2]](%m2)
  %s2 = Add(%s, %m3)
  %p = Softmax[axis = -1](%s2)
  %a0 = MatMul(%p, %v)
  %a1 = Transpose[perm = [0, 2, 1, 3]](%a0)
  %a = Reshape[shape = [0, 5, 8]](%a1)
  %o0 = MatMul(%a, %o)
  %x1 = SkipLayerNormalization(%o0, %x0, %ln, %lb, %ob)
  %h0 = MatMul(%x1, %up)
  %h = BiasGelu(%h0, %ub)
  %h1 = MatMul(%h, %down)
  %x2 = Add(%h1, %x1)
  %x3 = LayerNormalization(%x2, %ln, %lb)
  %zero = Constant[value = Int64()[0]]()
  %cls = Gather[axis = 1](%x3, %zero)
  %t = Tanh(%cls)
  %logits = MatMul(%t, %pool)
  %loss = SoftmaxCrossEntropyLoss[count = 2](%logits, %labels)
  return %loss
})";

// A recurrence written out: gates from one product, the state kept through two steps.
constexpr std::string_view kRecurrent = R"(
func @step(%x, %h, %c, weight %w, weight %r) {
  %wx = MatMul(%x, %w)
  %rh = MatMul(%h, %r)
  %g = Add(%wx, %rh)
  %i0, %f0, %o0, %c0 = Split[axis = 1, num_outputs = 4](%g)
  %i = Sigmoid(%i0)
  %f = Sigmoid(%f0)
  %o = Sigmoid(%o0)
  %n = Tanh(%c0)
  %kept = Mul(%f, %c)
  %new = Mul(%i, %n)
  %c_next = Add(%kept, %new)
  %t = Tanh(%c_next)
  %h_next = Mul(%o, %t)
  return %h_next, %c_next
}
func @lstm(weight %w: Tensor[Float32, (3, 16)], weight %r: Tensor[Float32, (4, 16)], %x1: Tensor[Float32, (2, 3)],
           %x2: Tensor[Float32, (2, 3)], %x3: Tensor[Float32, (2, 3)], %h: Tensor[Float32, (2, 4)], %c: Tensor[Float32, (2, 4)],
           %t: Tensor[Float32, (2, 4)]) {
  %h1, %c1 = @step(%x1, %h, %c, %w, %r)
  %h2, %c2 = @step(%x2, %h1, %c1, %w, %r)
  %h3, %c3 = @step(%x3, %h2, %c2, %w, %r)
  %loss = Loss(%h3, %t)
  return %loss
})";

ir::Module parsed(std::string_view text) { return ir::parse(std::string(text), "test", ops::table()); }

ir::Module perceptron() { return family("mlp", R"({"layers": 4, "hidden": 12})", 4, workload::Mode::training); }

const std::map<std::string, ir::Module (*)()>& models() {
  static const std::map<std::string, ir::Module (*)()> kModels = {
      {"bert", [] { return parsed(kBert); }},
      {"gpt",
       [] {
         return family("gpt", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 7})", 2,
                       workload::Mode::training);
       }},
      {"lstm", [] { return parsed(kRecurrent); }},
      {"mlp", perceptron},
      {"mlp_of_calls", [] { return parsed(kPerceptron); }},
      {"nested_calls", [] { return parsed(kNested); }},
      {"resnet", [] { return parsed(kResidual); }},
      {"sharded_mlp", [] { return transform::shard(perceptron(), ops::table(), 2).module; }},
      {"staged_mlp", [] { return distribute(perceptron(), {.pp = 2, .microbatches = 2}).back().module; }},
      {"unet", [] { return parsed(kUnet); }},
  };
  return kModels;
}

class ModelGradients : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelGradients, AreTheSlopesOfTheLoss) {
  std::mt19937_64 random(7);
  const ir::Module module = in_double(models().at(GetParam())());
  const auto arguments    = moderate_arguments(module, random, 3);
  const SlopeCheck check  = check_slopes(module, arguments, random);
  RecordProperty("parameters", check.parameters);
  RecordProperty("worst_relative_error", std::to_string(check.worst * 1e9) + "e-9");
  EXPECT_LT(check.worst, 1e-5) << "%" << check.parameter;
  EXPECT_EQ(check.zero, GetParam() == "nested_calls" ? 1 : 0);
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& [name, build] : models()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ModelGradients, ::testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });

// The rules of the gradient ops let a batch be split: over replicas, and over microbatches in stages.
class DistributedGradients : public ::testing::TestWithParam<std::string> {};

TEST_P(DistributedGradients, AreThoseOfOneDevice) {
  std::mt19937_64 random(8);
  const ir::Module module = transform::eliminate_dead_code(
      transform::resolve(transform::differentiate(models().at(GetParam())(), ops::table())));
  const auto arguments = moderate_arguments(module, random, 3);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const Split& split : {Split{.dp = 2}, Split{.pp = 2, .microbatches = 2}}) {
    const auto actual = run(distribute(module, split), arguments, expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(relative_difference(actual[i], expected[i]), 1e-4) << to_string(split) << ", result " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DistributedGradients, ::testing::Values("bert", "resnet", "unet"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::models_gradient_test
