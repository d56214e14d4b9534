#include "ops/common/axes.h"
#include "ops/common/elements.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::scatter_elements {

namespace {

size_t axis_of(const OpCall& call, size_t rank) { return axis_attribute(call, rank, 0); }

std::vector<Type> infer(const OpCall& call) {
  check_element_indices(call);
  const Type data = tensor_operand(call, 0), updates = tensor_operand(call, 2);
  common_dtype(call, std::vector<Type>{data, updates});
  if (has_rank(data)) axis_of(call, data.dims.size());
  return {data};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string text = element_letters(call, axis_of(call, call.inputs[0].dims.size()));
  return {.text = factor_text(call, {text, text, text}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& data = value_of(call, 0);
  const size_t axis = axis_of(call, data.dims().size());
  return {scattered(call, data, element_offsets(call, data.dims(), value_of(call, 1), axis), value_of(call, 2))};
}

// The elements and updates that equal the result share its gradient.
void grad_of_extreme(GradBuilder& builder, const Attributes& axis) {
  const DType dtype = tensor_operand(builder.call(), 0).dtype;
  const Attributes to{{"to", std::string(ir::name(dtype))}};
  Attributes sum = axis;
  sum.set("reduction", std::string("add"));
  const int y = builder.output(0), indices = builder.input(1);
  const auto equal = [&](int a, int b) { return builder.emit("Cast", to, {emit_op(builder, "Equal", {a, b})})[0]; };
  const int own    = equal(builder.input(0), y),
            other  = equal(builder.input(2), builder.emit("GatherElements", axis, {y, indices})[0]);
  const int count  = builder.emit("ScatterElements", sum, {own, indices, other})[0];
  const int share  = emit_op(builder, "Div", {builder.output_gradient(0), count});
  if (builder.wanted(0)) builder.set_input_gradient(0, emit_op(builder, "Mul", {share, own}));
  if (!builder.wanted(2)) return;
  const int gathered = builder.emit("GatherElements", axis, {share, indices})[0];
  builder.set_input_gradient(2, emit_op(builder, "Mul", {gathered, other}));
}

// Replaced elements pass no gradient to the data; added ones leave it as it is. Updates get that of their element.
void grad(GradBuilder& builder) {
  const OpCall& call          = builder.call();
  const std::string reduction = call.attributes.string_or("reduction", "none");
  const Attributes axis{{"axis", call.attributes.int_or("axis", 0)}};
  if (reduction == "max" || reduction == "min") return grad_of_extreme(builder, axis);
  if (reduction != "none" && reduction != "add")
    call.fail("reduction \"" + reduction + "\" has no gradient; none, add, max and min have");
  const int dy = builder.output_gradient(0), indices = builder.input(1);
  if (builder.wanted(0) && reduction == "add") builder.set_input_gradient(0, dy);
  if (builder.wanted(0) && reduction == "none") {
    const int nothing = emit_op(builder, "Sub", {builder.input(2), builder.input(2)});
    builder.set_input_gradient(0, builder.emit("ScatterElements", axis, {dy, indices, nothing})[0]);
  }
  if (builder.wanted(2)) builder.set_input_gradient(2, builder.emit("GatherElements", axis, {dy, indices})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "ScatterElements",
      .doc =
          "data[a,n,b], indices[a,i,b], updates[a,i,b] -> data with the indexed elements along `axis` replaced or "
          "combined by `reduction`",
      .whole_because = "its indices may write anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            const Array columns = Array::of_ints({2, 2}, {0, 2, -1, 1});
            return std::vector<Sample>{
                {{{"axis", int64_t{1}}}, {f32({2, 3}), i64({2, 2}), f32({2, 2})}, {{1, columns}}},
                {{{"axis", int64_t{-1}}, {"reduction", "add"}},
                 {f32({2, 3}), i64({2, 2}), f32({2, 2})},
                 {{1, columns}}},
                {{{"axis", int64_t{1}}, {"reduction", "max"}}, {f32({2, 3}), i64({2, 2}), f32({2, 2})}, {{1, columns}}},
                {{}, {i64({3}), i64({1}), i64({1})}, {{1, Array::of_ints({1}, {1})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::scatter_elements
