#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_allreduce {

OpDef row() {
  return {
      .name   = "MPIAllreduce",
      .doc    = "x1, .., xn on n devices -> their sum on each of them; replicas=d: their sum over d equal replicas",
      .domain = "foreflow",
      .role   = Role::communication,
      .communication = ir::Communication::all_reduce,
      .additive      = true,
      .in_place      = InPlace::each,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            return on_each_operand(call, common_type(call));
          },
      .factors = [](const OpCall& call) { return same_letters(call); },
      .work    = transfer,
      .eval    = [](const OpCall& call) { return std::vector<Array>(call.outputs, total(call)); },
      .grad    = [](GradBuilder& builder) { exchange_gradients(builder, "MPIAllreduce", {}); },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{.attributes = {}, .inputs = on_devices(f32({4, 2}), 3), .outputs = 3},
                                       {.attributes = {}, .inputs = on_devices(pair, 2), .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_allreduce
