// Sends between devices on streams of their own:
//
//   %b: D2 = Send(%a, 2)      ->   %v1 = Send(%a, 1.to_next)          // handed over; D1 goes on
//   ..                             %v2 = Send(%v1, 2.from_prev)       // while D2 is busy
//   %c = MatMul(%b, %w)            ..
//                                  %b: D2 = Send(%v2, 2)              // D2 waits, if it must
//                                  %c = MatMul(%b, %w)
//
// as Megatron-LM's p2p messages, which are posted and then waited for. Upwards and downwards are streams of their own,
// so that activations do not wait for gradients.
#include <optional>

#include "awaited.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "value_devices.h"

namespace foreflow::transform {
namespace {

using ir::Device;
using ir::ValueId;

class Rewriter {
 public:
  Rewriter(const ir::Function& function, const ir::OpTable& ops, const std::vector<Device>& devices)
      : function_(function),
        devices_(devices),
        builder_(function.name, ops),
        map_(function.values.size()),
        awaited_(function, builder_, map_) {}

  ir::Function run() {
    copy_parameters(builder_, function_, map_);
    for (const ir::Op& op : function_.ops) {
      awaited_.fetch(function_.inputs(op));
      if (const std::optional<Device> from = sender(op)) {
        send(op, *from);
      } else {
        copy_op(builder_, function_, op, map_);
      }
    }
    awaited_.fetch(function_.results);
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  // Of a message between the main streams of two devices.
  std::optional<Device> sender(const ir::Op& op) const {
    if (op.is_call() || op.def->name != "Send" || devices_.empty()) return std::nullopt;
    const Device from = devices_[ir::index(function_.inputs(op)[0])], to = op.attributes->get_device("to");
    const bool main = from.placed() && from == Device(from.index) && to == Device(to.index);
    return main && from.index != to.index ? std::optional(from) : std::nullopt;
  }

  void send(const ir::Op& op, const Device& from) {
    const Device to   = op.attributes->get_device("to");
    const bool upward = to.index > from.index;
    const auto on = [&](ValueId value, const Device& device) { return builder_.op("Send", {value}, {{"to", device}}); };
    const ValueId out = on(map_(function_.inputs(op)[0]), Device(from.index, upward ? "to_next" : "to_prev"));
    const ValueId in  = on(out, Device(to.index, upward ? "from_prev" : "from_next"));
    awaited_.expect(function_.output(op, 0), [on, in, to] { return on(in, to); });
  }

  const ir::Function& function_;
  const std::vector<Device>& devices_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  Awaited awaited_;
};

}  // namespace

ir::Module overlap_sends(const ir::Module& module, const ir::OpTable& ops) {
  const std::vector<std::vector<Device>> devices = devices_of_values(module);
  ir::Module result;
  result.source = module.source;
  for (size_t f = 0; f < module.functions.size(); ++f)
    result.functions.push_back(Rewriter(module.functions[f], ops, devices[f]).run());
  ir::verify(result);
  return result;
}

namespace definitions {
PassDef overlap_sends() {
  return {"overlap_sends",
          "messages between devices on streams of their own, waited for at the first use of what they bring",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::overlap_sends(module, ops);
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
