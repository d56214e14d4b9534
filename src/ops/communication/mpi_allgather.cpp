#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_allgather {

OpDef row() {
  return {
      .name          = "MPIAllgather",
      .doc           = "x1, .., xn on n devices -> their concatenation along `axis` on each of them",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::all_gather,
      .additive      = true,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            return on_each_operand(call, joined(call, common_type(call), "axis", ranks_of(call)));
          },
      .factors = [](const OpCall& call) { return same_letters(call, "axis"); },
      .work    = transfer,
      .eval =
          [](const OpCall& call) { return std::vector<Array>(call.outputs, join(call, operands_of(call), "axis")); },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "MPIReduceScatter", {{"axis", builder.call().attributes.int_or("axis", 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {{"axis", 0}}, .inputs = on_devices(f32({2, 4}), 3), .outputs = 3},
                {.attributes = {}, .inputs = on_devices(Type::tuple({f32({1, 4}), f32({1})}), 2), .outputs = 2},
                {.attributes = {{"axis", -1}}, .inputs = on_devices(i64({4, 1}), 2), .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_allgather
