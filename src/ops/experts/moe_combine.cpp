#include "ops/experts/moe.h"

namespace foreflow::ops::definitions::moe_combine {

namespace {

constexpr size_t kRows = 0, kGates = 1;

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; y and gates would be right");
  const Type y = ranked_operand(call, kRows, 4), gates = ranked_operand(call, kGates, 3);
  common_dtype(call, std::vector{y, gates});
  if (!has_rank(y) || !has_rank(gates)) return {without_dims(y)};
  check_same(call, "e", y.dims[0], gates.dims[2]);
  check_same(call, "g", y.dims[1], gates.dims[0]);
  return {with_dims(y, {gates.dims[0], gates.dims[1], y.dims[3]})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &y = value_of(call, kRows), &gates = value_of(call, kGates);
  const Dims dims  = infer(call)[0].dims;
  const auto width = static_cast<size_t>(dims[2]);
  const auto rows = values_of<double>(y), weights = values_of<double>(gates);
  std::vector<double> x(static_cast<size_t>(element_count(dims)));
  for (const Seat& seat : seats(gates, y.dims()[2])) {
    const double weight = weighs(call) ? weights[seat.gate] : 1;
    for (size_t i = 0; i < width; ++i) x[seat.token * width + i] += weight * rows[seat.row * width + i];
  }
  return {array_of(y.dtype(), dims, x)};
}

void grad(GradBuilder& builder) {
  const Type y = tensor_operand(builder.call(), kRows);
  if (!has_dims(y)) builder.call().fail("the shape of y must be known to differentiate");
  const int64_t weighted = builder.call().attributes.int_or("weighted", 0);
  const int dx = builder.output_gradient(0), gates = builder.input(kGates);
  const Attributes attributes{{"capacity", y.dims[2]}, {"weighted", weighted}};
  if (builder.wanted(kRows)) builder.set_input_gradient(kRows, builder.emit("MoeDispatch", attributes, {dx, gates})[0]);
  if (weighted != 0 && builder.wanted(kGates))
    builder.set_input_gradient(kGates, builder.emit("MoeGateGrad", {}, {builder.input(kRows), gates, dx})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "MoeCombine",
      .doc =
          "y[e,g,c,h], gates[g,s,e] -> x[g,s,h]: for each token the sum of its rows in the experts' buffers, where "
          "MoeDispatch puts it, times their gates where `weighted` is 1",
      .domain        = "foreflow",
      .whole_because = "the slots of an expert hold tokens of all samples",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        return {.text = "~eg.h,g.e->g.h"};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(call.inputs[kRows])); },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {}, .inputs = {f32({4, 2, 2, 6}), f32({2, 5, 4})}, .values = {{kGates, sparse_gates()}}},
                {.attributes = {{"weighted", int64_t{1}}},
                 .inputs     = {f32({4, 2, 3, 2}), f32({2, 5, 4})},
                 .values     = {{kGates, full_gates()}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::moe_combine
