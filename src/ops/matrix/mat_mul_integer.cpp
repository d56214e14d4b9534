#include "ops/common/product.h"
#include "ops/common/quantised.h"
#include "ops/common/rows.h"

namespace foreflow::ops::definitions::mat_mul_integer {

namespace {

constexpr size_t kLeftZero = 2, kRightZero = 3;

std::vector<Type> infer(const OpCall& call) {
  for (size_t i = 0; i < call.arity(); ++i) check_quantised(call, i);
  Type result = infer_row("MatMul", {}, std::vector{as_real(call, 0), as_real(call, 1)})[0];
  if (result.kind == Type::Kind::unknown) return {Type::unranked(DType::i32)};
  result.dtype = DType::i32;
  return {result};
}

// A zero point of its own for each row or column is split along with it.
std::string zero_letters(const OpCall& call, size_t zero, char letter) {
  if (!call.has(zero)) return "";
  return per_tensor(call, zero) ? dots_of(call, zero) : std::string(1, letter);
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  for (const size_t zero : {kLeftZero, kRightZero}) {
    const bool of_lanes = tensor_operand(call, zero - kLeftZero).dims.size() > 1;
    if (call.has(zero) && !per_tensor(call, zero) && (!of_lanes || call.inputs[zero].dims.size() != 1)) return {};
  }
  const ProductLetters text = letters_of(*product_of(call, {}), {});
  const char row            = text.left.size() < 2 ? '.' : text.left[text.left.size() - 2];
  return {.text = factor_text(call,
                              {text.left, text.right, zero_letters(call, kLeftZero, row),
                               zero_letters(call, kRightZero, text.right.back())},
                              {text.result})};
}

// A zero point for each row of the left operand, or for each column of the right one.
std::vector<Array> eval(const OpCall& call) {
  const size_t rows = value_of(call, 0).dims().size(), columns = value_of(call, 1).dims().size();
  const Array left  = centred(call, 0, kLeftZero, rows < 2 ? 0 : rows - 2);
  const Array right = centred(call, 1, kRightZero, columns - 1);
  const Array sums  = eval_row("MatMul", {}, std::vector<const Array*>{&left, &right})[0];
  return {array_of(DType::i32, sums.dims(), values_of<int64_t>(sums))};
}

std::vector<Sample> samples() {
  const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
  return {{{}, {bytes({4, 2}), bytes({2, 6})}},
          {{}, {bytes({2, 4, 2}), bytes({2, 6}), bytes({}), bytes({})}},
          {{}, {bytes({4, 2}), bytes({2, 6}), bytes({4}), bytes({6})}}};
}

}  // namespace

OpDef row() {
  return {
      .name          = "MatMulInteger",
      .doc           = "x[..,i,k], w[..,k,j] in 8 bits, their zero points -> (x - zero) (w - zero)[..,i,j] in Int32",
      .whole_because = "it multiplies all elements of that dimension with a weight",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const std::vector<Type> operands{as_real(call, 0), as_real(call, 1)};
            return computes(call, outputs, flops_of_row("MatMul", {}, operands).value());
          },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::mat_mul_integer
