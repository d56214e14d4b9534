// Every op on short floats: it computes with many digits and rounds each result once.
#include <cmath>

#include "ops/common/kernel.h"
#include "property/op_samples.h"

namespace foreflow::test::ops_dtypes_test {
namespace {

using ir::Array;
using ir::DType;

struct Short {
  DType dtype;
  int digits;  // bits of the fraction
};
constexpr std::array kShorts = {Short{DType::f16, 10}, Short{DType::bf16, 7}, Short{DType::f8, 3}};

Array as(DType dtype, const Array& array) { return ops::array_of(dtype, array.dims(), ops::values_of<double>(array)); }

// Whether all floats among the operands are tensors of Float32.
bool is_plain(const std::vector<Operand>& operands) {
  bool any = false;
  for (const Operand& operand : operands) {
    if (operand.type.is_tuple() || (operand.is_float() && operand.type.dtype != DType::f32)) return false;
    any = any || operand.is_float();
  }
  return any;
}

std::vector<Operand> retyped(std::vector<Operand> operands, DType dtype) {
  for (Operand& operand : operands) {
    if (!operand.is_float()) continue;
    operand.array      = as(dtype, operand.array);
    operand.type.dtype = dtype;
  }
  return operands;
}

// One unit of the last digit: numbers are rounded through Float32, which may round twice.
::testing::AssertionResult rounded_once(const Array& got, const Array& exact, int digits) {
  const Array expected = as(got.dtype(), exact);
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::fabs(a - b) <= std::ldexp(std::max(std::fabs(b), 0x1p-6), -digits)) continue;
    return ::testing::AssertionFailure() << "element " << i << " is " << a << ", not " << b;
  }
  return ::testing::AssertionSuccess();
}

void check_sample(const ir::OpDef& def, const ir::OpDef::Sample& sample, const std::vector<Operand>& operands,
                  const Short& type) {
  const auto narrow = retyped(operands, type.dtype);
  const Application application(def, sample.attributes, narrow, sample.outputs);
  const auto types = def.infer(application.call());
  const auto got   = application.eval();
  const auto exact = Application(def, sample.attributes, retyped(narrow, DType::f64), sample.outputs).eval();
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(to_string(moved(types[i], {})), to_string(got[i].type())) << "result " << i;
    if (got[i].is_tuple()) continue;
    if (!ir::is_float(got[i].dtype())) {
      EXPECT_EQ(got[i], exact[i]) << "result " << i;
    } else {
      EXPECT_TRUE(rounded_once(got[i], exact[i], got[i].dtype() == type.dtype ? type.digits : 20)) << "result " << i;
    }
  }
}

class ShortFloats : public ::testing::TestWithParam<std::string> {};

TEST_P(ShortFloats, AreRoundedOnceByTheOp) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng(5);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    if (!is_plain(operands)) continue;
    for (const Short& type : kShorts) {
      SCOPED_TRACE(std::string(name(type.dtype)));
      check_sample(def, sample, operands, type);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ShortFloats, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_dtypes_test
