#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_gather {

OpDef row() {
  return {
      .name          = "MPIGather",
      .doc           = "[x1, .., xn] on n devices -> their concatenation along `axis` on device `to`",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::gather,
      .positional    = {"to"},
      .list_operand  = true,
      .additive      = true,
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        check_group(call);
        return {moved(joined(call, common_type(call), "axis", call.arity()), destination(call))};
      },
      .factors = [](const OpCall& call) { return same_letters(call, "axis"); },
      .work    = transfer,
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {join(call, operands_of(call), "axis")}; },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(
                builder, "MPIScatter",
                {{"to", devices_of_operands(builder.call())}, {"axis", builder.call().attributes.int_or("axis", 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{{{{"to", 1}}, on_devices(f32({2, 4}), 3)},
                                       {{{"to", 3}, {"axis", 1}}, on_devices(f32({4, 1}), 2)}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_gather
