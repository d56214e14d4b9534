#include "ops/experts/moe.h"

namespace foreflow::ops::definitions::moe_dispatch {

namespace {

constexpr size_t kTokens = 0, kGates = 1;

int64_t capacity_of(const OpCall& call) {
  const int64_t capacity = call.attributes.get_int("capacity");
  if (capacity < 1) call.fail("the capacity is " + std::to_string(capacity) + "; 1 or more would be right");
  return capacity;
}

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; x and gates would be right");
  const Type x = ranked_operand(call, kTokens, 3), gates = ranked_operand(call, kGates, 3);
  common_dtype(call, std::vector{x, gates});
  if (!has_rank(x) || !has_rank(gates)) return {without_dims(x)};
  check_same(call, "g", x.dims[0], gates.dims[0]);
  check_same(call, "s", x.dims[1], gates.dims[1]);
  return {with_dims(x, {gates.dims[2], x.dims[0], capacity_of(call), x.dims[2]})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &x = value_of(call, kTokens), &gates = value_of(call, kGates);
  const Dims dims   = infer(call)[0].dims;
  const auto width  = static_cast<size_t>(dims[3]);
  const auto tokens = values_of<double>(x), weights = values_of<double>(gates);
  std::vector<double> y(static_cast<size_t>(element_count(dims)));
  for (const Seat& seat : seats(gates, dims[2])) {
    const double weight = weighs(call) ? weights[seat.gate] : 1;
    for (size_t i = 0; i < width; ++i) y[seat.row * width + i] = weight * tokens[seat.token * width + i];
  }
  return {array_of(x.dtype(), dims, y)};
}

// dx brings every row back to its token; a gate weighs as much as the rows agree.
void grad(GradBuilder& builder) {
  const int64_t weighted = builder.call().attributes.int_or("weighted", 0);
  const int dy = builder.output_gradient(0), gates = builder.input(kGates);
  if (builder.wanted(kTokens))
    builder.set_input_gradient(kTokens, builder.emit("MoeCombine", {{"weighted", weighted}}, {dy, gates})[0]);
  if (weighted != 0 && builder.wanted(kGates))
    builder.set_input_gradient(kGates, builder.emit("MoeGateGrad", {}, {dy, gates, builder.input(kTokens)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "MoeDispatch",
      .doc =
          "x[g,s,h], gates[g,s,e] -> y[e,g,c,h]: for each expert the first `capacity` tokens of every group whose gate "
          "is not zero, times the gate where `weighted` is 1; zeros where there are fewer",
      .domain        = "foreflow",
      .whole_because = "the tokens of a group share the slots of the experts",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        return {.text = "~g.h,g.e->eg.h"};
      },
      // A permutation: rows are read for the seats that there are, and every seat is written.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work = computes(call, outputs, weighs(call) ? count_of(outputs[0]) : 0);
            work.read = bytes_of(outputs[0]) + bytes_of(call.inputs[kGates]);
            return work;
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {{"capacity", int64_t{2}}},
                                        .inputs     = {f32({2, 5, 6}), f32({2, 5, 4})},
                                        .values     = {{kGates, sparse_gates()}}},
                                       {.attributes = {{"capacity", int64_t{3}}, {"weighted", int64_t{1}}},
                                        .inputs     = {f32({2, 5, 2}), f32({2, 5, 4})},
                                        .values     = {{kGates, full_gates()}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::moe_dispatch
