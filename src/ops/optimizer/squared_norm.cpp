#include "ops/common/kernel.h"
#include "ops/common/tuples.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::squared_norm {

namespace {

// How many devices hold each operand.
std::vector<int64_t> copies_of(const OpCall& call) {
  if (call.attributes.find("copies") == nullptr) return std::vector<int64_t>(call.arity(), 1);
  std::vector<int64_t> copies = call.attributes.get_ints("copies");
  if (copies.size() != call.arity())
    call.fail("has " + std::to_string(copies.size()) + " numbers in `copies`; " + std::to_string(call.arity()) +
              ", one for each operand, would be right");
  for (const int64_t count : copies) {
    if (count < 1) call.fail("has " + std::to_string(count) + " in `copies`; 1 or more would be right");
  }
  return copies;
}

// Sums of elements narrower than Float32 are Float32.
std::vector<Type> infer(const OpCall& call) {
  if (call.arity() == 0) call.fail("has no operands; one or more tensors would be right");
  copies_of(call);
  DType dtype = DType::f32;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Type type = tensor_operand(call, i);
    if (type.kind == Type::Kind::unknown) continue;
    if (!ir::is_float(type.dtype))
      call.fail("operand " + std::to_string(i) + " is " + to_string(type) + "; floating-point numbers would be right");
    if (type.dtype == DType::f64) dtype = DType::f64;
  }
  return {Type::tensor(dtype, {})};
}

std::vector<Array> eval(const OpCall& call) {
  const std::vector<int64_t> copies = copies_of(call);
  double total                      = 0;
  for (size_t i = 0; i < call.arity(); ++i) {
    double sum = 0;
    for (const double x : values_of<double>(value_of(call, i))) sum += x * x;
    total += sum / static_cast<double>(copies[i]);
  }
  return {array_of<double>(infer(call)[0].dtype, {}, std::vector<double>{total})};
}

}  // namespace

OpDef row() {
  return {
      .name = "SquaredNorm",
      .doc =
          "x1, .., xn -> the sum of the squares of all their elements; copies=[c1, .., cn]: those of xi divided by ci, "
          "as ci devices hold xi",
      .domain     = "foreflow",
      .foldable   = false,
      .for_update = true,
      .infer      = infer,
      .factors    = [](const OpCall&) -> Factors { return {}; },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            double elements = 0;
            for (const Type& input : call.inputs) elements += count_of(input);
            return computes(call, outputs, 2 * elements);
          },
      .eval = eval,
      .samples =
          [] {
            const Attributes copied = {{"copies", std::vector<int64_t>{1, 4}}};
            return std::vector<Sample>{{{}, {f32({4, 2})}}, {copied, {f32({4, 2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::squared_norm
