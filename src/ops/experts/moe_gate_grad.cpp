#include "ops/experts/moe.h"

namespace foreflow::ops::definitions::moe_gate_grad {

namespace {

constexpr size_t kRows = 0, kGates = 1, kTokens = 2;

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 3) call.fail("has " + std::to_string(call.arity()) + " operands; y, gates and x would be right");
  const Type y = ranked_operand(call, kRows, 4), gates = ranked_operand(call, kGates, 3),
             x = ranked_operand(call, kTokens, 3);
  common_dtype(call, std::vector{y, gates, x});
  if (has_rank(y) && has_rank(gates)) {
    check_same(call, "e", y.dims[0], gates.dims[2]);
    check_same(call, "g", y.dims[1], gates.dims[0]);
  }
  if (has_rank(y) && has_rank(x)) check_same(call, "h", y.dims[3], x.dims[2]);
  if (has_rank(gates) && has_rank(x)) check_same(call, "s", gates.dims[1], x.dims[1]);
  return {gates};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &y = value_of(call, kRows), &gates = value_of(call, kGates), &x = value_of(call, kTokens);
  const auto width = static_cast<size_t>(x.dims()[2]);
  const auto rows = values_of<double>(y), tokens = values_of<double>(x);
  std::vector<double> slopes(static_cast<size_t>(gates.size()));
  for (const Seat& seat : seats(gates, y.dims()[2])) {
    for (size_t i = 0; i < width; ++i) slopes[seat.gate] += rows[seat.row * width + i] * tokens[seat.token * width + i];
  }
  return {array_of(gates.dtype(), gates.dims(), slopes)};
}

}  // namespace

OpDef row() {
  return {
      .name = "MoeGateGrad",
      .doc =
          "y[e,g,c,h], gates[g,s,e], x[g,s,h] -> dgates[g,s,e]: the product of a token's row in y with its row in x, "
          "where it has a seat; the gradient of MoeDispatch and MoeCombine by their gates",
      .domain        = "foreflow",
      .whole_because = "the slots of an expert hold tokens of all samples",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        return {.text = "~eg.h,g.e,g.h->g.e"};
      },
      // A token's row is read once for each of its seats.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work = computes(call, outputs, 2 * count_of(call.inputs[kRows]));
            work.read = 2 * bytes_of(call.inputs[kRows]) + bytes_of(call.inputs[kGates]);
            return work;
          },
      .eval = eval,
      .samples =
          [] {
            const Type gates = f32({2, 5, 4});
            return std::vector<Sample>{{.attributes = {},
                                        .inputs     = {f32({4, 2, 3, 6}), gates, f32({2, 5, 6})},
                                        .values     = {{kGates, sparse_gates()}}},
                                       {.attributes = {},
                                        .inputs     = {f32({4, 2, 2, 2}), gates, f32({2, 5, 2})},
                                        .values     = {{kGates, full_gates()}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::moe_gate_grad
