#include <algorithm>

#include "ops/common/kernel.h"
#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::mpi_allreduce_max {

namespace {

std::vector<Array> eval(const OpCall& call) {
  const std::vector<Array> operands = operands_of(call);
  const Array largest               = with_number_type(operands[0].dtype(), [&](auto zero) {
    using T   = decltype(zero);
    auto most = values_of<T>(operands[0]);
    for (const Array& operand : operands) {
      const auto values = values_of<T>(operand);
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], values[i]);
    }
    return array_of<T>(operands[0].dtype(), operands[0].dims(), most);
  });
  return std::vector<Array>(call.outputs, largest);
}

}  // namespace

OpDef row() {
  return {
      .name          = "MPIAllreduceMax",
      .doc           = "x1, .., xn on n devices -> the largest of their elements at each place, on each of them",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::all_reduce_max,
      .infer =
          [](const OpCall& call) {
            check_group(call);
            if (common_type(call).is_tuple()) call.fail("the operand is a tuple; a tensor would be right");
            return on_each_operand(call, common_type(call));
          },
      .factors = [](const OpCall& call) { return same_letters(call, {}); },
      .work    = transfer,
      .eval    = eval,
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {}, .inputs = on_devices(f32({4, 2}), 3), .outputs = 3},
                                       {.attributes = {}, .inputs = on_devices(i64({3}), 2), .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mpi_allreduce_max
