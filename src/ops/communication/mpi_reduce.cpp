#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_reduce {

OpDef row() {
  return {
      .name          = "MPIReduce",
      .doc           = "[x1, .., xn] on n devices -> their sum on device `to`",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::reduce,
      .positional    = {"to"},
      .list_operand  = true,
      .additive      = true,
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        check_group(call);
        return {moved(common_type(call), destination(call))};
      },
      .factors = [](const OpCall& call) { return same_letters(call); },
      .work    = transfer,
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {total(call)}; },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "MPIBroadcast", {{"to", devices_of_operands(builder.call())}});
          },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{{{"to", 1}}, on_devices(f32({4, 2}), 3)}, {{{"to", 2}}, on_devices(pair, 2)}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_reduce
