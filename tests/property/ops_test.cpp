// What every row of the op table must satisfy, apart from its factors and gradients, which have files of their own.
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "ops/common/kernel.h"
#include "property/op_samples.h"

namespace foreflow::test::ops_test {
namespace {

using ir::Role;
using ir::Type;

class EveryOp : public ::testing::TestWithParam<std::string> {
 protected:
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng  = std::mt19937_64(1);
  bool communicates() const { return def.role == Role::communication; }
};

Type nowhere(const Type& type) { return moved(type, {}); }

// Everything that `vague` knows, `exact` says too.
bool agrees(const Type& vague, const Type& exact) {
  if (vague.kind == Type::Kind::unknown) return true;
  if (vague.kind != exact.kind) return false;
  if (vague.is_tuple()) {
    if (vague.elements.size() != exact.elements.size()) return false;
    for (size_t i = 0; i < vague.elements.size(); ++i) {
      if (!agrees(vague.elements[i], exact.elements[i])) return false;
    }
    return true;
  }
  if (vague.dtype != exact.dtype) return false;
  if (!vague.ranked) return true;
  if (vague.dims.size() != exact.dims.size()) return false;
  for (size_t axis = 0; axis < vague.dims.size(); ++axis) {
    if (vague.dims[axis] != ir::Dims::kUnknown && vague.dims[axis] != exact.dims[axis]) return false;
  }
  return true;
}

void expect_agreement(const std::vector<Type>& vague, const std::vector<ir::Array>& values, const char* knowing) {
  ASSERT_EQ(vague.size(), values.size()) << "knowing " << knowing;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(agrees(vague[i], values[i].type()))
        << "knowing " << knowing << ": " << to_string(vague[i]) << " for " << to_string(values[i].type());
  }
}

TEST_P(EveryOp, FillsItsRow) {
  EXPECT_FALSE(def.doc.empty());
  EXPECT_NE(def.infer, nullptr);
  EXPECT_NE(def.factors, nullptr);
  EXPECT_NE(def.work, nullptr);
  EXPECT_NE(def.eval, nullptr);
  ASSERT_NE(def.samples, nullptr);
  EXPECT_GE(def.samples().size(), 2U);
}

TEST_P(EveryOp, InfersTheTypesOfWhatItEvaluatesTo) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const Application application(def, sample.attributes, random_operands(sample, rng), sample.outputs);
    const std::vector<Type> types       = def.infer(application.call());
    const std::vector<ir::Array> values = application.eval();
    ASSERT_EQ(types.size(), sample.outputs);
    ASSERT_EQ(values.size(), sample.outputs);
    for (size_t i = 0; i < types.size(); ++i) EXPECT_EQ(to_string(nowhere(types[i])), to_string(values[i].type()));
  }
}

TEST_P(EveryOp, InfersLessFromLessButNothingWrong) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const Application application(def, sample.attributes, random_operands(sample, rng), sample.outputs);
    const std::vector<ir::Array> values = application.eval();
    expect_agreement(def.infer(application.call_knowing_fixed()), values, "what the sample fixes");
    expect_agreement(def.infer(application.call_knowing_types()), values, "the types");
    expect_agreement(def.infer(application.call_knowing_nothing()), values, "nothing");
  }
}

TEST_P(EveryOp, NeedsNoNegativeWork) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const Application application(def, sample.attributes, random_operands(sample, rng), sample.outputs);
    const ir::Work work = def.work(application.call(), def.infer(application.call()));
    EXPECT_GE(work.flops.value(), 0);
    EXPECT_GE(work.read.value(), 0);
    EXPECT_GE(work.written.value(), 0);
    EXPECT_GE(work.kernels, 0);
  }
}

TEST_P(EveryOp, ReadsTheSameFromItsText) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    ir::FunctionBuilder builder("f", ops::table());
    std::vector<ir::ValueId> operands;
    for (const Type& type : sample.inputs) {
      const bool left_out = type.kind == Type::Kind::unknown;
      operands.push_back(left_out ? ir::ValueId::none : builder.parameter("x", ir::ParameterRole::data, type));
    }
    const std::vector<ir::ValueId> results = builder.emit(def.name, operands, sample.attributes, sample.outputs);
    ir::Module module;
    module.functions.push_back(builder.finish(results));
    const std::string text = print(module);
    EXPECT_TRUE(same_program(module, ir::parse(text, "text", ops::table()))) << text;
  }
}

// f(a + b) = f(a) + f(b) in all float operands together; integers (axes, shapes) stay the same.
TEST_P(EveryOp, PassesPartialSumsThroughWhereItSaysSo) {
  if (!def.additive || communicates()) return;
  for (const ir::OpDef::Sample& sample : def.samples()) {
    std::vector<Operand> a = random_operands(sample, rng), b = random_operands(sample, rng), both = a;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!a[i].is_float()) b[i] = a[i];
      if (!a[i].is_float()) continue;
      std::vector<double> sum = ops::values_of<double>(a[i].array), other = ops::values_of<double>(b[i].array);
      for (size_t e = 0; e < sum.size(); ++e) sum[e] += other[e];
      both[i].array = ops::array_of(a[i].type.dtype, a[i].array.dims(), sum);
    }
    const auto eval = [&](const std::vector<Operand>& operands) {
      return Application(def, sample.attributes, operands, sample.outputs).eval();
    };
    const auto of_a = eval(a), of_b = eval(b), of_both = eval(both);
    for (size_t o = 0; o < of_a.size(); ++o) {
      if (of_a[o].is_tuple() || !ir::is_float(of_a[o].dtype())) continue;
      std::vector<double> sum = ops::values_of<double>(of_a[o]), other = ops::values_of<double>(of_b[o]);
      for (size_t e = 0; e < sum.size(); ++e) sum[e] += other[e];
      EXPECT_TRUE(close(ops::array_of(of_a[o].dtype(), of_a[o].dims(), sum), of_both[o], 1e-5));
    }
  }
}

// A result as large as the first operand holds its bytes in the same order, exactly where the row says that it may
// share their storage.
TEST_P(EveryOp, SharesTheStorageOfItsOperandWhereItSaysSo) {
  if (def.role != Role::view) {
    EXPECT_FALSE(def.aliases_operand) << "only views do";
    return;
  }
  bool reordered = false;
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    const ir::Array result              = Application(def, sample.attributes, operands, sample.outputs).eval()[0];
    const ir::Array& first              = operands[0].array;
    if (first.is_tuple() || result.is_tuple() || first.byte_count() != result.byte_count()) continue;
    reordered = reordered || !std::equal(first.bytes(), first.bytes() + first.byte_count(), result.bytes());
  }
  EXPECT_EQ(def.aliases_operand, !reordered);
}

// f(a + b) = f(a) + f(b) in one operand while the others stay the same.
TEST_P(EveryOp, IsLinearInTheOperandThatItNames) {
  if (def.linear_operand == nullptr) return;
  bool named = false;
  for (const ir::OpDef::Sample& sample : def.samples()) {
    std::vector<Operand> a = random_operands(sample, rng), b = a, both = a;
    const Application application(def, sample.attributes, a, sample.outputs);
    const std::optional<size_t> operand = def.linear_operand(application.call());
    if (!operand) continue;
    named = true;
    ASSERT_TRUE(a.at(*operand).is_float());
    b[*operand].array       = random_array(a[*operand].type, rng);
    std::vector<double> sum = ops::values_of<double>(a[*operand].array);
    const auto other        = ops::values_of<double>(b[*operand].array);
    for (size_t e = 0; e < sum.size(); ++e) sum[e] += other[e];
    both[*operand].array = ops::array_of(a[*operand].type.dtype, a[*operand].array.dims(), sum);
    const auto eval      = [&](const std::vector<Operand>& operands) {
      return Application(def, sample.attributes, operands, sample.outputs).eval()[0];
    };
    const ir::Array of_a           = eval(a);
    std::vector<double> of_parts   = ops::values_of<double>(of_a);
    const std::vector<double> of_b = ops::values_of<double>(eval(b));
    for (size_t e = 0; e < of_parts.size(); ++e) of_parts[e] += of_b[e];
    constexpr double kOfHalf = 5e-3;  // a sum of rounded numbers in Float16
    EXPECT_TRUE(close(ops::array_of(of_a.dtype(), of_a.dims(), of_parts), eval(both), kOfHalf));
  }
  EXPECT_TRUE(named) << "no sample has such an operand";
}

// The operands with every element x of operand `index` replaced by x * factor + term.
std::vector<Operand> changed(std::vector<Operand> operands, size_t index, double factor, double term) {
  std::vector<double> numbers = ops::values_of<double>(operands[index].array);
  for (double& number : numbers) number = number * factor + term;
  operands[index].array = ops::array_of(operands[index].type.dtype, operands[index].array.dims(), numbers);
  return operands;
}

constexpr double kRounding = 5e-3;  // of Float16

// A softmax lies between 0 and 1 and does not change when all of its operand grows by the same number.
TEST_P(EveryOp, IsASoftmaxWhereItSaysSo) {
  if (def.softmax == ir::Softmax::none) return;
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    const ir::Array result              = Application(def, sample.attributes, operands, sample.outputs).eval()[0];
    const ir::Array shifted = Application(def, sample.attributes, changed(operands, 0, 1, 2), sample.outputs).eval()[0];
    EXPECT_TRUE(close(result, shifted, kRounding));
    for (const double number : ops::values_of<double>(result)) {
      const double share = def.softmax == ir::Softmax::log ? std::exp(number) : number;
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1 + kRounding);
    }
  }
}

// A product doubles with either operand.
TEST_P(EveryOp, IsAProductOfItsFirstOperandsWhereItSaysSo) {
  if (def.product == ir::Product::none) return;
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    std::vector<double> twice =
        ops::values_of<double>(Application(def, sample.attributes, operands, sample.outputs).eval()[0]);
    for (double& number : twice) number *= 2;
    for (size_t i = 0; i < std::min<size_t>(operands.size(), 2); ++i) {
      const ir::Array result =
          Application(def, sample.attributes, changed(operands, i, 2, 0), sample.outputs).eval()[0];
      EXPECT_TRUE(close(ops::array_of(result.dtype(), result.dims(), twice), result, kRounding)) << "operand " << i;
    }
  }
}

// The form of an op for a part of a vocabulary is another op, which knows how large the whole vocabulary is.
TEST_P(EveryOp, NamesAnOpForAPartOfAVocabulary) {
  const ir::VocabularyForm& form = def.vocabulary;
  if (form.kind == ir::VocabularyForm::Kind::none) return;
  const ir::OpDef& part = ops::table().get(form.op, "vocabulary form");
  for (const ir::OpDef::Sample& sample : part.samples()) {
    EXPECT_NE(sample.attributes.find("all"), nullptr) << form.op;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_test
