// Nodes with bodies, restated without them: programs have no control flow. A branch or a number of rounds that is known
// when the model is read (from constants, shapes or given inputs) is written out; a choice at run time is made between
// the results of both branches, which are pure.
#pragma once

#include <functional>
#include <span>

#include "foreflow_onnx.pb.h"
#include "onnx/emitter.h"

namespace foreflow::onnx {

struct ControlNode {
  Emitter& emitter;
  const onnx_proto::NodeProto& proto;
  std::string where;
  int64_t opset;
  const ir::Attributes& attributes;  // without the bodies
  std::vector<ir::ValueId> inputs;   // none: left out
  // Appends the ops of the body in that attribute on these arguments; its results.
  std::function<std::vector<ir::ValueId>(std::string_view attribute, std::span<const ir::ValueId> arguments)> inlined;

  ir::ValueId input(size_t index) const { return index < inputs.size() ? inputs[index] : ir::ValueId::none; }
  ir::ValueId op(std::string_view name, std::vector<ir::ValueId> operands, ir::Attributes with = {}) const {
    return emitter.emit(where, name, std::move(operands), std::move(with))[0];
  }
};

// The results of the node. Error at its place where a number of rounds is known at run time only, or the branches of a
// choice at run time differ in type.
using Expand = std::vector<ir::ValueId> (*)(const ControlNode& node);

// Null: the op has no bodies that are known here.
Expand find_control_flow(std::string_view op);

// Picks `yes` where `condition` holds, else `no`, pair by pair. `what` names the pairs in messages.
std::vector<ir::ValueId> select(const ControlNode& node, ir::ValueId condition, std::span<const ir::ValueId> yes,
                                std::span<const ir::ValueId> no, const std::string& what);

// Slices of rounds, each as one element of a new axis `axis`.
ir::ValueId stacked(const ControlNode& node, const std::vector<ir::ValueId>& rounds, int64_t axis,
                    const onnx_proto::ValueInfoProto& declared);

// Error when the program has grown beyond what can be written out.
void check_size(const ControlNode& node);

namespace expansions {
std::vector<ir::ValueId> branch(const ControlNode& node);
std::vector<ir::ValueId> loop(const ControlNode& node);
std::vector<ir::ValueId> scan(const ControlNode& node);
}  // namespace expansions

}  // namespace foreflow::onnx
