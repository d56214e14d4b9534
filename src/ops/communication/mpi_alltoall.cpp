#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_alltoall {

OpDef row() {
  return {
      .name = "MPIAlltoall",
      .doc =
          "x1, .., xn on n devices -> on the i-th of them the i-th parts of all, cut along `split_axis`, joined along "
          "`concat_axis`",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::all_to_all,
      .additive      = true,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            const Type piece = parted(call, common_type(call), "split_axis", ranks_of(call));
            return on_each_operand(call, joined(call, piece, "concat_axis", ranks_of(call)));
          },
      .factors = [](const OpCall& call) { return same_letters(call, "concat_axis", "split_axis"); },
      .work    = transfer,
      .eval =
          [](const OpCall& call) {
            const size_t n = ranks_of(call);
            std::vector<Array> results;
            for (size_t i = 0; i < call.arity(); ++i) {
              std::vector<Array> parts;
              for (const Array& operand : operands_of(call)) parts.push_back(part(call, operand, "split_axis", n, i));
              results.push_back(join(call, parts, "concat_axis"));
            }
            return results;
          },
      .grad =
          [](GradBuilder& builder) {
            const Attributes& axes = builder.call().attributes;
            exchange_gradients(
                builder, "MPIAlltoall",
                {{"split_axis", axes.int_or("concat_axis", 0)}, {"concat_axis", axes.int_or("split_axis", 0)}});
          },
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {{"split_axis", 0}, {"concat_axis", 1}},
                                        .inputs     = on_devices(f32({4, 2, 2}), 2),
                                        .outputs    = 2},
                                       {.attributes = {}, .inputs = on_devices(f32({3, 2}), 3), .outputs = 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_alltoall
