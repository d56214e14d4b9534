#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_reduce_scatter {

OpDef row() {
  return {
      .name = "MPIReduceScatter",
      .doc =
          "x1, .., xn on n devices -> on the i-th of them the i-th of n equal parts, along `axis`, of their sum; "
          "in_place=1: it lies in the memory of xi",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::reduce_scatter,
      .additive      = true,
      .in_place      = InPlace::on_request,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            return on_each_operand(call, parted(call, common_type(call), "axis", ranks_of(call)));
          },
      .factors = [](const OpCall& call) { return same_letters(call, "", "axis"); },
      .work    = transfer,
      .eval =
          [](const OpCall& call) {
            const Array sum = total(call);
            std::vector<Array> parts;
            for (size_t i = 0; i < call.arity(); ++i) parts.push_back(part(call, sum, "axis", ranks_of(call), i));
            return parts;
          },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "MPIAllgather", {{"axis", builder.call().attributes.int_or("axis", 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {{"axis", 0}}, .inputs = on_devices(f32({6, 2}), 3), .outputs = 3},
                {.attributes = {}, .inputs = on_devices(Type::tuple({f32({4, 2}), f32({2})}), 2), .outputs = 2},
                {.attributes = {{"axis", 1}}, .inputs = on_devices(f32({2, 4}), 2), .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_reduce_scatter
