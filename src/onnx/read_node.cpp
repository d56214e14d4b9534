#include "onnx/read_node.h"

#include "onnx/expansion.h"
#include "onnx/known_attributes.h"
#include "onnx/normalise.h"

namespace foreflow::onnx {
namespace {

// Rules read attributes, which do not know their node when they complain.
void normalise_at(const Scope& scope, Node& node) {
  try {
    normalise(node, [&](const std::string& value) { return scope.rank_of(value); });
  } catch (const PartError& error) {
    throw Error(node.where, error.what());
  }
}

}  // namespace

ReadNode read_node(const Scope& scope, int n, const Opsets& opsets) {
  const onnx_proto::NodeProto& proto = scope.graph.node(n);
  ReadNode read;
  Node& node           = read.node;
  node.where           = where_of(scope.where, proto, n);
  node.op              = proto.op_type();
  node.domain          = canonical_domain(proto.domain());
  node.opset           = opsets.version(node.domain);
  const Expand control = node.domain.empty() ? find_control_flow(node.op) : nullptr;
  read.is_control_flow = control != nullptr;
  read.expand          = read.is_control_flow ? control : find_expansion(node.domain, node.op);
  node.attributes = read_attributes(proto, node.where, read.is_control_flow ? Bodies::read_elsewhere : Bodies::refused);
  node.inputs     = {proto.input().begin(), proto.input().end()};
  node.outputs    = {proto.output().begin(), proto.output().end()};
  check_known(node);
  if (read.expand == nullptr) normalise_at(scope, node);
  while (!node.inputs.empty() && node.inputs.back().empty() && !node.literals.contains(node.inputs.size() - 1))
    node.inputs.pop_back();
  while (!node.outputs.empty() && node.outputs.back().empty()) node.outputs.pop_back();
  if (node.outputs.empty())
    throw Error(node.where, node.op + " has no outputs; the name of at least one would be right");
  return read;
}

}  // namespace foreflow::onnx
