#include "ops/common/operands.h"
#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_scatter {

OpDef row() {
  return {
      .name          = "MPIScatter",
      .doc           = "x -> on the i-th of the n devices `to` the i-th of n equal parts of x along `axis`",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::scatter,
      .additive      = true,
      .infer =
          [](const OpCall& call) {
            if (call.arity() != 1) call.fail("has " + std::to_string(call.arity()) + " operands; one would be right");
            const std::vector<Device> devices = destinations(call);
            return on_each(call, devices, parted(call, moved(operand(call, 0), {}), "axis", devices.size()));
          },
      .factors = [](const OpCall& call) { return same_letters(call, "", "axis"); },
      .work    = transfer,
      .eval =
          [](const OpCall& call) {
            std::vector<Array> parts;
            for (size_t i = 0; i < call.outputs; ++i)
              parts.push_back(part(call, value_of(call, 0), "axis", call.outputs, i));
            return parts;
          },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(
                builder, "MPIGather",
                {{"to", placed_device(builder.call(), 0)}, {"axis", builder.call().attributes.int_or("axis", 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {{"to", std::vector<int64_t>{1, 2}}},
                                        .inputs     = on_devices(f32({4, 2}), 1),
                                        .outputs    = 2},
                                       {.attributes = {{"to", std::vector<int64_t>{2, 3, 4}}, {"axis", 1}},
                                        .inputs     = on_devices(f32({2, 6}), 1),
                                        .outputs    = 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_scatter
