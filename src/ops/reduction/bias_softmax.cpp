#include "ops/common/broadcast.h"
#include "ops/common/elementwise.h"
#include "ops/common/softmax_family.h"
#include "ops/common/table_rows.h"

namespace foreflow::ops::definitions::bias_softmax {

namespace {

// All axes from `axis` (1) on are one, as in Softmax before opset 13.
Attributes softmax_attributes(const OpCall& call) {
  return {{"axis", call.attributes.int_or("axis", 1)}, {"flatten", int64_t{1}}};
}

// The bias lacks leading dimensions, or has a 1 where it repeats. With is_inner_broadcast = 0, bias [b,..] repeats
// every row n times for data [b*n,..].
Array repeated(const OpCall& call, const Array& bias, const Dims& dims) {
  const bool outer = call.attributes.int_or("is_inner_broadcast", 1) == 0;
  if (!outer || bias.dims().size() != dims.size() || bias.dims()[0] == dims[0]) return bias;
  if (bias.dims()[0] == 0 || dims[0] % bias.dims()[0] != 0)
    call.fail("the bias is " + to_string(bias.dims()) + "; it should repeat evenly in " + to_string(dims));
  Offsets strides = strides_of(bias.dims());
  Dims split = bias.dims(), result = split;
  result[0] = dims[0];
  split.insert(1, dims[0] / bias.dims()[0]);
  strides.insert(strides.begin() + 1, 0);
  return take(bias, result, offsets_of(split, strides));
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  const Array sum = map_pairs(call, x, repeated(call, value_of(call, 1), x.dims()), DType::f64, std::plus{});
  const Array y   = evaluate("Softmax", softmax_attributes(call), {&sum})[0];
  return {array_of(x.dtype(), x.dims(), values_of<double>(y))};
}

Factors factors(const OpCall& call) {
  if (!splittable(call) || call.attributes.int_or("is_inner_broadcast", 1) == 0) return {};
  const Dims x      = tensor_operand(call, 0).dims;
  const size_t axis = axis_attribute(call, x.size(), 1);
  const auto whole  = [&](std::string text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (i + x.size() >= axis + text.size()) text[i] = '.';
    }
    return text;
  };
  const std::string rows = whole(letters(x.size()));
  return {.text = factor_text(call, {rows, whole(aligned_letters(tensor_operand(call, 1).dims, x))}, {rows})};
}

}  // namespace

OpDef row() {
  return {
      .name          = "BiasSoftmax",
      .doc           = "x, bias -> Softmax(x + bias) over all axes from `axis` (1) on",
      .domain        = "com.microsoft",
      .normalises    = true,
      .softmax       = ir::Softmax::biased,
      .adds_bias     = true,
      .whole_because = "it normalises along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        check_two_operands(call);
        common_dtype(call, std::vector{tensor_operand(call, 0), tensor_operand(call, 1)});
        return {tensor_operand(call, 0)};
      },
      .factors = factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 6 * count_of(outputs[0])); },
      .eval    = eval,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"axis", 3}, {"is_inner_broadcast", 0}}, {f32({4, 2, 3, 3}), f32({2, 1, 1, 3})}},
                {{{"axis", 1}}, {f32({4, 2, 3}), f32({1, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::bias_softmax
