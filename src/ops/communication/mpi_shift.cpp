#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_shift {

namespace {

// The neighbour whose operand comes to result i of n: the one before (by=1) or behind it (by=-1), round the ring.
size_t source_of(const OpCall& call, size_t i) {
  const int64_t by = call.attributes.int_or("by", 1);
  if (by != 1 && by != -1) call.fail("by is " + std::to_string(by) + "; 1 (to the next) or -1 would be right");
  const size_t n = ranks_of(call);
  return by == 1 ? (i + n - 1) % n : (i + 1) % n;
}

}  // namespace

OpDef row() {
  return {
      .name = "MPIShift",
      .doc =
          "x1, .., xn on n devices -> on each of them what the one before it has, on the first what the last has; "
          "by=-1: the other way round",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::shift,
      .additive      = true,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            source_of(call, 0);
            return on_each_operand(call, common_type(call));
          },
      .factors = [](const OpCall& call) { return same_letters(call); },
      .work    = transfer,
      .eval =
          [](const OpCall& call) {
            const std::vector<Array> operands = operands_of(call);
            std::vector<Array> results;
            for (size_t i = 0; i < call.arity(); ++i) results.push_back(operands[source_of(call, i)]);
            return results;
          },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "MPIShift", {{"by", -builder.call().attributes.int_or("by", 1)}});
          },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{.attributes = {}, .inputs = on_devices(f32({4, 2}), 3), .outputs = 3},
                                       {.attributes = {{"by", -1}}, .inputs = on_devices(f32({2}), 4), .outputs = 4},
                                       {.attributes = {}, .inputs = on_devices(pair, 2), .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_shift
