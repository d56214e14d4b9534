#include "onnx/support.h"

#include <set>

#include "onnx/contrib.h"
#include "onnx/control_flow.h"
#include "onnx/expansion.h"
#include "onnx/message.h"
#include "onnx/node.h"
#include "onnx/normalise.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx {

using onnx_proto::NodeProto;

namespace {

// The row that an op of the file will become.
const ir::OpDef* find_row(const ir::OpTable& ops, const std::string& domain, const std::string& op) {
  if (const std::string_view restated = contrib_row(domain, op); !restated.empty()) return ops.find(restated);
  const ir::OpDef* def = ops.find(domain.empty() ? newest_name(op) : op);
  return def != nullptr && def->domain == domain ? def : nullptr;
}

}  // namespace

std::string canonical_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

Opsets::Opsets(const onnx_proto::ModelProto& model, const std::string& file) {
  for (const auto& import : model.opset_import()) {
    if (import.version() < 1)
      throw Error(
          file, "imports version " + std::to_string(import.version()) + " of a set of operators; versions begin at 1");
    versions_[canonical_domain(import.domain())] = import.version();
  }
  if (model.ir_version() < 3) versions_.emplace("", 1);  // before IR version 3 there was but one
  if (!versions_.empty()) return;
  throw Error(file, "imports no set of operators (opset_import), so that its nodes have no meaning");
}

int64_t Opsets::version(const std::string& domain) const {
  const auto found = versions_.find(domain);
  return found == versions_.end() ? 1 : found->second;
}

namespace {

struct Missing {
  std::set<std::string> types;
  std::string where, what;  // of the first
};

void collect(const onnx_proto::GraphProto& graph, const Opsets& opsets, const ir::OpTable& ops, const std::string& file,
             Missing& missing) {
  for (int n = 0; n < graph.node_size(); ++n) {
    const NodeProto& node    = graph.node(n);
    const std::string domain = canonical_domain(node.domain());
    if (node.op_type().empty()) throw Error(where_of(file, node, n), "has no op type");
    if (domain.empty() && find_control_flow(node.op_type()) != nullptr) {
      for (const auto& [name, body] : subgraphs(node))
        collect(*body, opsets, ops, where_of_body(file, node, n, name), missing);
      continue;
    }
    if (find_row(ops, domain, node.op_type()) != nullptr || find_expansion(domain, node.op_type()) != nullptr) continue;
    if (missing.types.empty()) {
      missing.where = where_of(file, node, n);
      missing.what  = "op " + node.op_type() + " (" + (domain.empty() ? "" : "domain " + domain + ", ") + "opset " +
                     std::to_string(opsets.version(domain)) + ") is not supported";
    }
    missing.types.insert(domain + "::" + node.op_type());
  }
}

}  // namespace

void check_supported(const onnx_proto::GraphProto& graph, const Opsets& opsets, const ir::OpTable& ops,
                     const std::string& file) {
  Missing missing;
  collect(graph, opsets, ops, file, missing);
  if (missing.types.empty()) return;
  const size_t others = missing.types.size() - 1;
  if (others > 0)
    missing.what +=
        "; neither " +
        std::string(others == 1 ? "is 1 other op type" : "are " + std::to_string(others) + " other op types") +
        " of the graph";
  throw Error(missing.where, missing.what);
}

}  // namespace foreflow::onnx
