// Applies rows of the op table to the samples that they bring, with seeded random numbers.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "foreflow/ops/table.h"

namespace foreflow::test {

// A left-out operand is an empty array with no type.
struct Operand {
  ir::Type type;
  ir::Array array;
  bool given = false;  // the sample fixes its numbers
  bool left_out() const { return type.kind == ir::Type::Kind::unknown; }
  bool is_float() const { return type.is_tensor() && ir::is_float(type.dtype); }
};

std::vector<std::string> op_names();

// Floats in (-1.5, 1.5), other numbers 0 or 1; the numbers that the sample fixes.
std::vector<Operand> random_operands(const ir::OpDef::Sample& sample, std::mt19937_64& rng);
ir::Array random_array(const ir::Type& type, std::mt19937_64& rng);

// A call that owns what OpCall refers to.
class Application {
 public:
  Application(const ir::OpDef& def, ir::Attributes attributes, const std::vector<Operand>& operands, size_t outputs);
  Application(const Application&)            = delete;
  Application& operator=(const Application&) = delete;

  // Everything known; only what the sample fixes; no numbers; not even types.
  ir::OpCall call() const { return {def_, attributes_, types_, known_, outputs_}; }
  ir::OpCall call_knowing_fixed() const { return {def_, attributes_, types_, fixed_, outputs_}; }
  ir::OpCall call_knowing_types() const { return {def_, attributes_, types_, nothing_, outputs_}; }
  ir::OpCall call_knowing_nothing() const { return {def_, attributes_, unknown_, nothing_, outputs_}; }
  std::vector<ir::Array> eval() const { return def_.eval(call()); }

 private:
  const ir::OpDef& def_;
  ir::Attributes attributes_;
  std::vector<Operand> operands_;
  std::vector<ir::Type> types_, unknown_;
  std::vector<const ir::Array*> known_, fixed_, nothing_;
  size_t outputs_;
};

// |a - b| <= tolerance * max(1, |b|) for every element; NaN is close to NaN.
::testing::AssertionResult close(const ir::Array& a, const ir::Array& b, double tolerance);

// Names of parametrised tests are the names of ops.
inline std::string op_test_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace foreflow::test
