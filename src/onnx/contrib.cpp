#include "onnx/contrib.h"

#include <algorithm>
#include <array>

#include "onnx/dtype.h"

namespace foreflow::onnx {
namespace {

void flatten(Node& node) {
  if (node.attributes.find("axis") == nullptr) node.attributes.set("axis", int64_t{1});
  node.attributes.set("flatten", int64_t{1});
}

// ONNX's number for a data type becomes its name.
void name_output_type(Node& node) {
  const int64_t number = node.attributes.int_or("output_type", 0);
  node.attributes.erase("output_type");
  if (number == 0) return;
  const auto dtype = find_dtype(number);
  if (!dtype) throw Error(node.where, "output_type " + dtype_text(number) + ": this data type is not supported");
  node.attributes.set("output_type", std::string(ir::name(*dtype)));
}

void by_tanh(Node& node) { node.attributes.set("approximate", std::string("tanh")); }

// Swish is x * sigmoid(alpha * x), with another default than QuickGelu.
void unit_slope(Node& node) {
  if (node.attributes.find("alpha") == nullptr) node.attributes.set("alpha", 1.0);
}

struct ContribRow {
  std::string_view domain, op, row;
  std::string_view operands      = {};       // which operand comes first, second, ..; empty: all in their order
  void (*attributes)(Node& node) = nullptr;  // changes to the attributes
};

constexpr std::string_view kRuntime = "com.microsoft", kAten = "org.pytorch.aten";

constexpr std::array kRows = {
    ContribRow{"", "RMSNormalization", "SimplifiedLayerNormalization"},
    ContribRow{"", "Swish", "QuickGelu", "", unit_slope},
    ContribRow{kRuntime, "DequantizeLinear", "DequantizeLinear"},
    ContribRow{kRuntime, "FastGeluGrad", "GeluGrad", "10", by_tanh},
    ContribRow{kRuntime, "GatherGrad", "GatherGrad", "120"},
    ContribRow{kRuntime, "Gelu", "Gelu"},
    ContribRow{kRuntime, "GeluGrad", "GeluGrad", "10"},
    ContribRow{kRuntime, "LayerNormalization", "LayerNormalization"},
    ContribRow{kRuntime, "LayerNormalizationGrad", "LayerNormalizationGrad", "120"},
    ContribRow{kRuntime, "LogSoftmaxGrad", "LogSoftmaxGrad", "10", flatten},
    ContribRow{kRuntime, "LogSoftmaxGrad_13", "LogSoftmaxGrad", "10"},
    ContribRow{kRuntime, "QuantizeLinear", "QuantizeLinear"},
    ContribRow{kRuntime, "ReduceSumTraining", "ReduceSum"},
    ContribRow{kRuntime, "ReluGrad", "ReluGrad", "10"},
    ContribRow{kRuntime, "SGDOptimizer", "DescentStep"},
    ContribRow{kRuntime, "SimplifiedLayerNormalization", "SimplifiedLayerNormalization"},
    ContribRow{kRuntime, "SoftmaxCrossEntropyLossInternal", "SoftmaxCrossEntropyLossInternal", "", name_output_type},
    ContribRow{kRuntime, "SoftmaxCrossEntropyLossInternalGrad", "SoftmaxCrossEntropyLossInternalGrad", "",
               name_output_type},
    ContribRow{kRuntime, "SoftmaxGrad", "SoftmaxGrad", "10", flatten},
    ContribRow{kRuntime, "SoftmaxGrad_13", "SoftmaxGrad", "10"},
    ContribRow{kRuntime, "SplitTraining", "Split"},
    ContribRow{kRuntime, "TransposeMatMul", "FusedMatMul"},
    ContribRow{kRuntime, "Trilu", "Trilu"},
};

// ATen names its operator in an attribute.
constexpr std::array kAtenRows = {
    ContribRow{kAten, "embedding", "Gather", "01"},  // weight, indices, padding_idx, scale_grad_by_freq, sparse
    ContribRow{kAten, "embedding_backward", "EmbeddingGrad", "01234"},  // dy, indices, rows, padding_idx, by_freq
};

template <class Rows>
const ContribRow* find_row(const Rows& rows, std::string_view domain, std::string_view op) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const ContribRow& r) { return r.domain == domain && r.op == op; });
  return row == rows.end() ? nullptr : &*row;
}

void restate(Node& node, const ContribRow& row) {
  node.op = row.row;
  if (row.attributes != nullptr) row.attributes(node);
  if (row.operands.empty()) return;
  std::vector<std::string> inputs;
  for (const char place : row.operands) {
    const auto index = static_cast<size_t>(place - '0');
    if (index >= node.inputs.size())
      throw Error(node.where, "has " + std::to_string(node.inputs.size()) + " operands; at least " +
                                  std::to_string(index + 1) + " would be right");
    inputs.push_back(node.inputs[index]);
  }
  node.inputs = std::move(inputs);
}

void restate_aten(Node& node) {
  const std::string name = node.attributes.string_or("operator", "");
  const ContribRow* row  = find_row(kAtenRows, kAten, name);
  if (row == nullptr)
    throw Error(node.where, "ATen operator \"" + name + "\" is not supported; embedding and embedding_backward are");
  node.attributes.erase("operator").erase("overload_name");
  restate(node, *row);
}

}  // namespace

std::string_view contrib_row(std::string_view domain, std::string_view op) {
  if (domain == kAten && op == "ATen") return kAtenRows.front().row;
  const ContribRow* row = find_row(kRows, domain, op);
  return row == nullptr ? std::string_view() : row->row;
}

void restate_contrib(Node& node) {
  if (node.domain == kAten && node.op == "ATen") return restate_aten(node);
  if (const ContribRow* row = find_row(kRows, node.domain, node.op)) restate(node, *row);
}

}  // namespace foreflow::onnx
