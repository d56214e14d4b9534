#include "ops/common/elements.h"
#include "ops/common/indices.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::scatter_nd {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type data = tensor_operand(call, 0), updates = tensor_operand(call, 2);
  tensor_operand(call, 1);
  common_dtype(call, std::vector<Type>{data, updates});
  return {data};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims data = tensor_operand(call, 0).dims, indices = tensor_operand(call, 1).dims;
  if (indices.empty() || indices.back() > static_cast<int64_t>(data.size())) return {};
  const auto depth         = static_cast<size_t>(indices.back());
  const std::string slices = letters(data.size() - depth);
  const std::string whole  = dots(depth) + slices;
  return {.text = factor_text(call, {whole, dots(indices.size()), dots(indices.size() - 1) + slices}, {whole})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& data = value_of(call, 0);
  return {scattered(call, data, slice_offsets(call, data.dims(), value_of(call, 1), 0), value_of(call, 2))};
}

// With "none" no index stands twice, as ONNX has it, and the updates hide what was there.
void grad(GradBuilder& builder) {
  const OpCall& call          = builder.call();
  const Type updates          = tensor_operand(call, 2);
  const std::string reduction = call.attributes.string_or("reduction", "none");
  const int dy                = builder.output_gradient(0);
  if (reduction != "none" && reduction != "add") {
    call.fail("reduction \"" + reduction + "\" has no gradient here; \"none\" and \"add\" have");
  }
  if (builder.wanted(2)) builder.set_input_gradient(2, emit_op(builder, "GatherND", {dy, builder.input(1)}));
  if (!builder.wanted(0)) return;
  if (reduction == "add") return builder.set_input_gradient(0, dy);
  if (!has_dims(updates)) call.fail("the shape of the updates must be known to differentiate");
  const std::vector<int64_t> shape(updates.dims.begin(), updates.dims.end());
  const Attributes zero{{"shape", shape}, {"value", Array(updates.dtype, {1})}};
  const int zeros = builder.emit("ConstantOfShape", zero, {})[0];
  builder.set_input_gradient(0, emit_op(builder, "ScatterND", {dy, builder.input(1), zeros}));
}

}  // namespace

OpDef row() {
  return {
      .name = "ScatterND",
      .doc =
          "data[n..,s..], indices[i..,k], updates[i..,s..] -> data with the indexed slices replaced or combined by "
          "`reduction`",
      .whole_because = "its indices may write anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            const Array rows = Array::of_ints({2, 1}, {2, -4});
            return std::vector<Sample>{
                {{}, {f32({4, 2}), i64({2, 1}), f32({2, 2})}, {{1, rows}}},
                {{{"reduction", std::string("add")}}, {f32({4}), i64({2, 1}), f32({2})}, {{1, rows}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::scatter_nd
