#include "ops/common/operands.h"
#include "ops/communication/communication.h"

namespace foreflow::ops::definitions::send {

OpDef row() {
  return {
      .name          = "Send",
      .doc           = "x -> x on device `to`; between streams of one device it is free",
      .domain        = "foreflow",
      .role          = Role::communication,
      .communication = ir::Communication::send,
      .positional    = {"to"},
      .additive      = true,
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() != 1) call.fail("has " + std::to_string(call.arity()) + " operands; one would be right");
        return {moved(operand(call, 0), destination(call))};
      },
      .factors = [](const OpCall& call) { return same_letters(call); },
      .work    = transfer,
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {value_of(call, 0)}; },
      .grad =
          [](GradBuilder& builder) {
            exchange_gradients(builder, "Send", {{"to", placed_device(builder.call(), 0)}});
          },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{{{"to", 2}}, on_devices(f32({4, 2}), 1)},
                                       {{{"to", Device(1, "comm")}}, on_devices(i64({3}), 1)},
                                       {{{"to", 2}}, on_devices(pair, 1)}};
          },
  };
}

}  // namespace foreflow::ops::definitions::send
