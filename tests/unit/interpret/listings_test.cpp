// The listings of the DistIR paper (Santhanam et al., 2021), as they stand: placed as they say, computing what a plain
// training step computes, and as fast or slow as the paper says.
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/simulate/simulate.h"
#include "support/data.h"
#include "support/distribution.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::listings_test {
namespace {

using interpret::Mixed;
using ir::Array;
using ir::Dims;
using ir::DType;
using ir::Type;

// One training step of a perceptron of two layers on one device: what all the distributed listings compute.
constexpr std::string_view kStep = R"(
func @step(%w1, %w2, %x, %y) {
  %A1, %b1 = UnpackTuple(%w1)
  %A2, %b2 = UnpackTuple(%w2)
  %h1 = Gemm(%x, %A1, %b1)
  %a1 = Relu(%h1)
  %h2 = Gemm(%a1, %A2, %b2)
  %a2 = Relu(%h2)
  %dp = Sub(%a2, %y)
  %dh2 = ReluGrad(%h2, %dp)
  %dA2 = Gemm[transA = 1](%a1, %dh2)
  %db2 = ReduceSum[axes = [0], keepdims = 0](%dh2)
  %da1 = Gemm[transB = 1](%dh2, %A2)
  %dh1 = ReluGrad(%h1, %da1)
  %dA1 = Gemm[transA = 1](%x, %dh1)
  %db1 = ReduceSum[axes = [0], keepdims = 0](%dh1)
  %dw1 = PackTuple(%dA1, %db1)
  %dw2 = PackTuple(%dA2, %db2)
  %w1_new = Optimizer(%w1, %dw1)
  %w2_new = Optimizer(%w2, %dw2)
  return %w1_new, %w2_new
}
)";

constexpr int64_t kBatch = 4, kIn = 3, kHidden = 5, kOut = 2;
constexpr double kTolerance = 1e-5;  // of 32-bit floats

Array numbers(const Dims& dims, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<float> values(static_cast<size_t>(ir::element_count(dims)));
  for (float& value : values) value = real(random);
  return Array::of_floats(dims, values);
}

Array layer(int64_t in, int64_t out, uint64_t seed) {
  return Array::tuple({numbers({in, out}, seed), numbers({out}, seed + 1)});
}

struct Step {
  Array w1 = layer(kIn, kHidden, 1), w2 = layer(kHidden, kOut, 3);
  Array x = numbers({kBatch, kIn}, 5), y = numbers({kBatch, kOut}, 6);

  std::vector<Array> arguments() const { return {w1, w2, x, y}; }
};

std::string listing(const std::string& name) { return read_file(test::data("listings/" + name + ".distir")); }
ir::Module parsed(const std::string& text, const std::string& name) { return ir::parse(text, name, ops::table()); }
size_t entry(const ir::Module& module) { return module.functions.size() - 1; }

std::vector<Array> plain_step() {
  const ir::Module module = parsed(std::string(kStep), "step");
  return interpret::evaluate(module, entry(module), Step().arguments());
}

void expect_step(const ir::Module& module, const std::vector<Array>& arguments) {
  const std::vector<Array> results = interpret::evaluate(module, entry(module), arguments), expected = plain_step();
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
  }
}

// The device of a value of the entry function, when it is interpreted on typed arguments.
std::string device_of(const ir::Module& module, const std::vector<Array>& arguments, std::string_view name) {
  std::vector<Mixed> types;
  for (const Array& argument : arguments) types.push_back(Mixed::of(argument.type()));
  const auto interpretation = interpret::interpret_mixed(module, entry(module), types);
  for (size_t i = 0; i < module.entry().values.size(); ++i) {
    if (module.entry().values[i].name != name) continue;
    return to_string(ir::device_of(interpretation.entry().values[i].type));
  }
  return "none";
}

Array half(const Array& whole, int index) { return transform::part_of(whole, transform::Layout::split(0), 2, index); }

TEST(Listings, PipelineOfFigure2ComputesThePlainStep) {
  const ir::Module module = parsed(listing("figure2_pipeline"), "figure2");
  expect_step(module, Step().arguments());
  EXPECT_EQ(device_of(module, Step().arguments(), "w1_new"), "1");
  EXPECT_EQ(device_of(module, Step().arguments(), "w2_new"), "2");
  EXPECT_EQ(device_of(module, Step().arguments(), "dw2_1"), "2");
}

TEST(Listings, CheckpointingOfFigure8ComputesThePlainStep) {
  expect_step(parsed(listing("figure8_checkpointing"), "figure8"), Step().arguments());
}

TEST(Listings, ZeroOfFigure9ComputesThePlainStep) {
  const ir::Module module = parsed(listing("figure9_zero"), "figure9");
  const Step step;
  const std::vector<Array> arguments = {step.w1,         step.w2,         half(step.x, 0),
                                        half(step.x, 1), half(step.y, 0), half(step.y, 1)};
  expect_step(module, arguments);
  EXPECT_EQ(device_of(module, arguments, "w1_new"), "1");
  EXPECT_EQ(device_of(module, arguments, "w2_new"), "2");
}

TEST(Listings, ShapeOfFigure4NeedsMixedInterpretation) {
  const ir::Module module     = parsed(listing("figure4_mixed"), "figure4");
  const ir::Function& snippet = module.entry();
  size_t rows                 = 0;
  while (snippet.values[rows].name != "225") ++rows;

  std::vector<Mixed> arguments;
  for (const Type& type : interpret::parameter_types(snippet)) arguments.push_back(Mixed::of(type));
  arguments[2].known = std::make_shared<const Array>(Array::of_ints({1}, {-1}));  // %3114
  const auto mixed   = interpret::interpret_mixed(module, entry(module), arguments);
  EXPECT_EQ(to_string(mixed.entry().values[rows].type), "Tensor[Float32, (2048, 768), 0]");

  const auto types =
      interpret::Interpreter<interpret::TypeDomain>(module, {}).run(entry(module), interpret::parameter_types(snippet));
  EXPECT_FALSE(types.entry().values[rows].resolved());

  const std::vector<Array> concrete = {numbers({256, 8, 768}, 1), numbers({256, 8, 768}, 2), Array::of_ints({1}, {-1}),
                                       numbers({768, 2304}, 3), numbers({2304}, 4)};
  // Only the shape is of interest, so the product, which takes seconds, is left out.
  ir::Module without_product = module;
  without_product.functions.back().ops.pop_back();
  ir::ValueTable& values = without_product.functions.back().values;
  values.resize(values.size() - 1);
  without_product.functions.back().results = {static_cast<ir::ValueId>(rows)};
  EXPECT_EQ(interpret::evaluate(without_product, entry(module), concrete)[0].dims(), (Dims{2048, 768}));
}

// Figure 3 is Figure 2 with its lines 10 and 11 swapped: `%p_1 = @dense(%w2, %ar_1)` and `%ar_2 = Send(%as_2, 2)`. The
// Send then holds device 2 up until device 1 has made %as_2, instead of %p_1 being computed meanwhile.
std::string with_swapped_lines(const std::string& figure2) {
  const std::string dense = "%p_1: D2 = @dense(%w2, %ar_1)\n", send = "%ar_2: D2 = Send(%as_2, 2)\n";
  const size_t at = figure2.find(dense + send);
  EXPECT_NE(at, std::string::npos);
  std::string swapped = figure2;
  return swapped.replace(at, dense.size() + send.size(), send + dense);
}

double makespan(const std::string& text, const std::string& engine) {
  // Products of 64 x 64 x 64 take 2 * 64^3 / 1e12 s = 0.5 us, and a message of 64 x 64 floats 1 us.
  const auto platform       = test::star(2, BytesPerSecond(4 * 64 * 64 / 1e-6), Seconds(0));
  const ir::Module module   = parsed(text, "figure3");
  const Type weight         = Type::tuple({Type::tensor(DType::f32, {64, 64}), Type::tensor(DType::f32, {64})});
  const Type batch          = Type::tensor(DType::f32, {128, 64});
  const auto interpretation = interpret::interpret_mixed(
      module, entry(module), {Mixed::of(weight), Mixed::of(weight), Mixed::of(batch), Mixed::of(batch)});
  const auto lowered = lower::lower(module, interpretation, test::ideal_roofline(), platform);
  return simulate::engines().get(engine, "test").run(lowered.program(), platform).makespan.value();
}

TEST(Listings, SwappedLinesOfFigure3MakeThePipelineSlowerInBothEngines) {
  const std::string figure2 = listing("figure2_pipeline"), figure3 = with_swapped_lines(figure2);
  expect_step(parsed(figure3, "figure3"), Step().arguments());
  for (const std::string engine : {"analytic", "simgrid"}) {
    EXPECT_GT(makespan(figure3, engine), makespan(figure2, engine) * 1.01) << engine;
  }
}

}  // namespace
}  // namespace foreflow::listings_test
