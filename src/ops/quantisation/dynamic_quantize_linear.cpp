#include <algorithm>

#include "ops/common/quantised.h"

namespace foreflow::ops::definitions::dynamic_quantize_linear {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  std::vector<Type> types{has_rank(x) ? Type::tensor(DType::u8, x.dims) : Type::unranked(DType::u8), f32({}),
                          Type::tensor(DType::u8, {})};
  types.resize(call.outputs);
  return types;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  const auto xs  = values_of<double>(x);
  float lowest = 0, highest = 0;
  for (const double value : xs) {
    lowest  = std::min(lowest, static_cast<float>(value));
    highest = std::max(highest, static_cast<float>(value));
  }
  const ByteRange range = range_of(lowest, highest);
  std::vector<int64_t> y;
  for (const double value : xs) y.push_back(range.byte(value));
  std::vector<Array> outputs{array_of(DType::u8, x.dims(), y), Array::scalar(range.scale),
                             array_of(DType::u8, {}, std::vector<int64_t>{range.zero})};
  outputs.resize(call.outputs);
  return outputs;
}

}  // namespace

OpDef row() {
  return {
      .name          = "DynamicQuantizeLinear",
      .doc           = "x -> x in UInt8, the scale and the zero point that its range gives",
      .whole_because = "its scale and zero point come from the range of all samples",
      .instead       = "quantised statically, with scales from a calibration, the model can",
      .infer         = infer,
      // The range is that of all elements.
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string whole = dots(tensor_operand(call, 0).dims.size());
        std::vector<std::string> outputs{whole, "", ""};
        outputs.resize(call.outputs);
        return {.text = factor_text(call, {whole}, outputs)};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 5 * count_of(outputs[0]), 2); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {}, .inputs = {f32({3, 4})}, .outputs = 3},
                                       {.attributes = {}, .inputs = {f32({5})}, .outputs = 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions::dynamic_quantize_linear
