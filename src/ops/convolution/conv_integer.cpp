#include "ops/common/quantised.h"
#include "ops/common/rows.h"

namespace foreflow::ops::definitions::conv_integer {

namespace {

std::vector<Type> real_operands(const OpCall& call) { return {as_real(call, 0), as_real(call, 1)}; }

std::vector<Type> infer(const OpCall& call) {
  for (size_t i = 0; i < call.arity(); ++i) check_quantised(call, i);
  Type result = infer_row("Conv", call.attributes, real_operands(call))[0];
  if (result.kind == Type::Kind::unknown) return {Type::unranked(DType::i32)};
  result.dtype = DType::i32;
  return {result};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string whole = dots(tensor_operand(call, 0).dims.size() - 1);
  return {.text = factor_text(call, {"n" + whole, "." + whole}, {"n" + whole})};
}

// Padding is the zero point, so it adds nothing.
std::vector<Array> eval(const OpCall& call) {
  const Array x = centred(call, 0, 2, 0), w = centred(call, 1, 3, 0);
  const Array sums = eval_row("Conv", call.attributes, std::vector<const Array*>{&x, &w})[0];
  return {array_of(DType::i32, sums.dims(), values_of<int64_t>(sums))};
}

}  // namespace

OpDef row() {
  return {
      .name = "ConvInteger",
      .doc  = "x[n,c,..], w[m,c,kernel..] in 8 bits, their zero points -> y[n,m,..] in Int32: Conv of the differences",
      .whole_because = "its windows reach across that dimension",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, flops_of_row("Conv", call.attributes, real_operands(call)).value());
          },
      .eval = eval,
      .samples =
          [] {
            const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
            return std::vector<Sample>{
                {{}, {bytes({2, 1, 3, 3}), bytes({1, 1, 2, 2}), bytes({})}},
                {{{"pads", std::vector<int64_t>{1, 1}}}, {bytes({2, 2, 5}), bytes({3, 2, 3}), bytes({}), bytes({3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::conv_integer
