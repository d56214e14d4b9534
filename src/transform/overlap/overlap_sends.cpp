// Moves sends between devices to streams of their own:
//
//   %b: D2 = Send(%a, 2)      ->   %v1 = Send(%a, 1.to_next)          // D1 continues immediately
//   ..                             %v2 = Send(%v1, 2.from_prev)       // while D2 is busy
//   %c = MatMul(%b, %w)            ..
//                                  %b: D2 = Send(%v2, 2)              // D2 waits until the message has arrived
//                                  %c = MatMul(%b, %w)
//
// In the same way Megatron-LM posts p2p messages and waits for them later.
//
// 1. Every pair of devices has streams of its own for each direction, so messages never wait for messages to or from
//    another device: activations do not wait for gradients, and neither waits for messages that skip stages.
//    A Reshard goes in the same way from streams of all devices that have the tensor to streams of all that need it.
// 2. A stream that holds a message which has not been fetched must deliver it before it does anything else. So while it
//    does, further messages arrive on further streams (`prev_2`).
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/passes.h"
#include "transform/rewrite/awaited.h"
#include "transform/rewrite/value_devices.h"

namespace foreflow::transform {
namespace {

using ir::Device;
using ir::ValueId;

// The sending device, if `op` is a message between the main streams of two devices. `devices` are those of the values
// of its function.
std::optional<Device> sender(const ir::Function& function, const ir::Op& op, const std::vector<Device>& devices) {
  if (op.is_call() || op.def->communication != ir::Communication::send || devices.empty()) return std::nullopt;
  const Device from = devices[ir::index(function.inputs(op)[0])], to = op.attributes->get_device("to");
  const bool main = from.placed() && from == Device(from.index) && to == Device(to.index);
  return main && from.index != to.index ? std::optional(from) : std::nullopt;
}

std::vector<bool> functions_that_send(const ir::Module& module) {
  std::vector<bool> sends;
  for (const ir::Function& function : module.functions) {
    sends.push_back(std::any_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
      return !op.is_call() && (op.def->communication == ir::Communication::send || op.def->reshards);
    }));
  }
  return sends;
}

// A Reshard between the main streams of two groups of devices.
struct ReshardedGroups {
  std::vector<Device> from, to;
};
std::optional<ReshardedGroups> groups_of(const ir::Function& function, const ir::Op& op,
                                         const std::vector<Device>& devices) {
  if (op.is_call() || !op.def->reshards || devices.empty()) return std::nullopt;
  ReshardedGroups groups{{}, ir::destinations(*op.attributes)};
  for (const ValueId id : function.inputs(op)) groups.from.push_back(devices[ir::index(id)]);
  const auto is_main = [](const Device& device) { return device.placed() && device == Device(device.index); };
  const bool main    = std::all_of(groups.from.begin(), groups.from.end(), is_main) &&
                    std::all_of(groups.to.begin(), groups.to.end(), is_main);
  return main && groups.from.front().index != groups.to.front().index ? std::optional(groups) : std::nullopt;
}

struct Messages {
  std::vector<size_t> count;       // by function
  int32_t step              = 0;   // how far neighbours are apart: the greatest number that divides all distances
  std::set<int32_t> leaders = {};  // the first devices of the groups between which there are Reshards
};

Messages messages_of(const ir::Module& module, const std::vector<std::vector<Device>>& devices) {
  Messages messages{std::vector<size_t>(module.functions.size())};
  for (size_t f = 0; f < module.functions.size(); ++f) {
    for (const ir::Op& op : module.functions[f].ops) {
      if (const auto groups = groups_of(module.functions[f], op, devices[f])) {
        messages.count[f] += std::max(groups->from.size(), groups->to.size());
        messages.leaders.insert({groups->from.front().index, groups->to.front().index});
      }
      const auto from = sender(module.functions[f], op, devices[f]);
      if (!from) continue;
      ++messages.count[f];
      messages.step = std::gcd(messages.step, op.attributes->get_device("to").index - from->index);
    }
  }
  return messages;
}

class SendOverlapper {
 public:
  SendOverlapper(const ir::Function& function, const ir::OpTable& ops, const std::vector<Device>& devices,
                 size_t messages, const Messages& all)
      : function_(function),
        devices_(devices),
        step_(all.step),
        leaders_(all.leaders),
        send_(ops.get("Send", "overlap_sends")),
        builder_(function.name, ops),
        map_(function.values.size()),
        awaited_(function, builder_, map_) {
    const size_t hand_overs = 2 * messages;
    builder_.reserve(function_.ops.size() + hand_overs, function_.values.size() + hand_overs,
                     function_.operands.size() + hand_overs);
  }

  ir::Function run() {
    take_parameters(builder_, function_, map_);
    for (const ir::Op& op : function_.ops) {
      awaited_.fetch(function_.inputs(op));
      if (const std::optional<Device> from = sender(function_, op, devices_)) {
        send(op, *from);
      } else if (const std::optional<ReshardedGroups> groups = groups_of(function_, op, devices_)) {
        reshard(op, *groups);
      } else {
        copy(op);
      }
    }
    awaited_.fetch(function_.results);
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  // Copies an op; names need no check, since they all come from one function.
  void copy(const ir::Op& op) {
    operands_.clear();
    for (const ValueId id : function_.inputs(op)) operands_.push_back(map_(id));
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands_, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ValueId old = function_.output(op, i), copy = static_cast<ValueId>(first + i);
      builder_.take_name(copy, function_.value(old).name);
      builder_.annotate(copy, function_.value(old).annotation);
      map_.set(old, copy);
    }
  }

  void send(const ir::Op& op, const Device& from) {
    const Device to        = op.attributes->get_device("to");
    const bool upward      = to.index > from.index;
    const int32_t distance = std::abs(to.index - from.index) / step_;
    const std::string far  = distance == 1 ? "" : std::to_string(distance);
    const ValueId out = on(map_(function_.inputs(op)[0]), Device(from.index, (upward ? "to_next" : "to_prev") + far));
    const std::string sender = (upward ? "prev" : "next") + far;
    const size_t lane        = free_lane({to}, sender);
    std::vector<bool>& holds = holds_[{to.index, sender}];
    const ValueId in         = on(out, Device(to.index, arrival(sender, lane)));
    awaited_.expect(function_.output(op, 0), [this, in, to, lane, &holds] {
      holds[lane] = false;
      return on(in, to);
    });
  }

  void reshard(const ir::Op& op, const ReshardedGroups& groups) {
    const int32_t from = groups.from.front().index, to = groups.to.front().index;
    const bool upward       = to > from;
    const auto distance     = std::distance(leaders_.find(std::min(from, to)), leaders_.find(std::max(from, to)));
    const std::string far   = distance == 1 ? "" : std::to_string(distance);
    const std::string leave = (upward ? "to_next" : "to_prev") + far, sender = (upward ? "prev" : "next") + far;
    std::vector<ValueId> operands;
    for (size_t i = 0; i < groups.from.size(); ++i)
      operands.push_back(on(map_(function_.inputs(op)[i]), Device(groups.from[i].index, leave)));
    const size_t lane         = free_lane(groups.to, sender);
    ir::Attributes attributes = *op.attributes;
    attributes.set(std::string(ir::kStream), arrival(sender, lane));
    const size_t first =
        ir::index(builder_.append(op.def, -1, builder_.share(std::move(attributes)), operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      std::vector<bool>& holds = holds_[{groups.to[i].index, sender}];
      const Device to_device   = groups.to[i];
      const auto in            = static_cast<ValueId>(first + i);
      awaited_.expect(function_.output(op, i), [this, in, to_device, lane, &holds] {
        holds[lane] = false;
        return on(in, to_device);
      });
    }
  }

  // The first stream for messages from `sender` that holds none on any of the devices. It then does.
  size_t free_lane(const std::vector<Device>& devices, const std::string& sender) {
    size_t lane        = 0;
    const auto is_held = [&](const Device& device) {
      const std::vector<bool>& holds = holds_[{device.index, sender}];
      return lane < holds.size() && holds[lane];
    };
    while (std::any_of(devices.begin(), devices.end(), is_held)) ++lane;
    for (const Device& device : devices) {
      std::vector<bool>& holds = holds_[{device.index, sender}];
      holds.resize(std::max(holds.size(), lane + 1));
      holds[lane] = true;
    }
    return lane;
  }

  static std::string arrival(const std::string& sender, size_t lane) {
    return lane == 0 ? "from_" + sender : sender + "_" + std::to_string(lane + 1);
  }

  ValueId on(ValueId value, const Device& device) {
    const auto [known, fresh] = to_.try_emplace(device);
    if (fresh) known->second = builder_.share({{"to", device}});
    return builder_.append(&send_, -1, known->second, {{value}}, 1);
  }

  const ir::Function& function_;
  const std::vector<Device>& devices_;
  const int32_t step_;
  const std::set<int32_t>& leaders_;
  const ir::OpDef& send_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::map<Device, ir::AttributesRef> to_;
  // Per device and stream name, for each of its streams: whether it holds a message that has not been fetched.
  std::map<std::pair<int32_t, std::string>, std::vector<bool>> holds_;
  Awaited awaited_;
  std::vector<ValueId> operands_;
};

}  // namespace

ir::Module overlap_sends(ir::Module module, const ir::OpTable& ops) {
  const std::vector<std::vector<Device>> devices = devices_of_values(module, functions_that_send(module));
  const Messages messages                        = messages_of(module, devices);
  for (size_t f = 0; f < module.functions.size(); ++f) {
    if (messages.count[f] == 0) continue;
    module.functions[f] = SendOverlapper(module.functions[f], ops, devices[f], messages.count[f], messages).run();
  }
  ir::verify(module, ir::Names::unique);
  return module;
}

namespace definitions::overlap_sends {
PassDef row() {
  return {"overlap_sends",
          "messages between devices on streams of their own, waited for at the first use of what they bring",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::overlap_sends(module, ops);
          }};
}
}  // namespace definitions::overlap_sends

}  // namespace foreflow::transform
