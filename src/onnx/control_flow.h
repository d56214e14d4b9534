// Removes control flow, which programs do not have.
//
// 1. If the condition of an If is known when the model is read (from constants, shapes or given inputs), the branch
//    taken is inlined.
// 2. Otherwise both branches, which are pure, are computed, and the condition selects between their results.
// 3. A Loop or Scan is unrolled. Its number of iterations must be known when the model is read.
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
  std::vector<ir::ValueId> inputs;   // none: an absent operand
  // Appends the ops of the body in attribute `attribute`, applied to `arguments`, and returns its results.
  std::function<std::vector<ir::ValueId>(std::string_view attribute, std::span<const ir::ValueId> arguments)> inlined;

  ir::ValueId input(size_t index) const { return index < inputs.size() ? inputs[index] : ir::ValueId::none; }
  ir::ValueId op(std::string_view name, std::vector<ir::ValueId> operands, ir::Attributes with = {}) const {
    return emitter.emit(where, name, std::move(operands), std::move(with))[0];
  }
};

// Emits the ops of the node without control flow and returns its results. Throws Error at node.where if a number of
// iterations is not known, or if the branches of an If with an unknown condition differ in type.
using Expand = std::vector<ir::ValueId> (*)(const ControlNode& node);

// Null if `op` is not a control-flow operator.
Expand find_control_flow(std::string_view op);

// Emits the selection between corresponding values: yes[i] if `condition` holds, else no[i]. `what` names the values in
// messages.
std::vector<ir::ValueId> select(const ControlNode& node, ir::ValueId condition, std::span<const ir::ValueId> yes,
                                std::span<const ir::ValueId> no, const std::string& what);

// Returns the end of a message about a condition that the numbers of inputs decide: ", or give the numbers of input
// "sr", on which it depends". Empty if it depends on no input.
std::string numbers_of(const ControlNode& node, ir::ValueId condition);

// Stacks the results of the iterations along a new axis `axis`.
ir::ValueId stacked(const ControlNode& node, const std::vector<ir::ValueId>& rounds, int64_t axis,
                    const onnx_proto::ValueInfoProto& declared);

// Throws Error if the program has become too long to be unrolled.
void check_size(const ControlNode& node);

namespace expansions {
std::vector<ir::ValueId> branch(const ControlNode& node);
std::vector<ir::ValueId> loop(const ControlNode& node);
std::vector<ir::ValueId> scan(const ControlNode& node);
std::vector<ir::ValueId> sequence_map(const ControlNode& node);
}  // namespace expansions

}  // namespace foreflow::onnx
