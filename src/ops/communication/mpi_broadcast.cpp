#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_broadcast {

OpDef row() {
  return {
      .name          = "MPIBroadcast",
      .doc           = "x -> x on each of the devices `to`",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::broadcast,
      .additive      = true,
      .infer =
          [](const OpCall& call) {
            if (call.arity() != 1) call.fail("has " + std::to_string(call.arity()) + " operands; one would be right");
            return on_each(call, destinations(call), call.inputs[0]);
          },
      .factors = [](const OpCall& call) { return same_letters(call); },
      .work    = transfer,
      .eval    = [](const OpCall& call) { return std::vector<Array>(call.outputs, value_of(call, 0)); },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "MPIReduce", {{"to", placed_device(builder.call(), 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {{"to", std::vector<int64_t>{1, 2, 3}}},
                 .inputs     = on_devices(f32({4, 2}), 1),
                 .outputs    = 3},
                {.attributes = {{"to", std::vector<int64_t>{2}}}, .inputs = on_devices(i64({3}), 1), .outputs = 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_broadcast
