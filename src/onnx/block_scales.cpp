#include "onnx/block_scales.h"

#include <map>
#include <set>
#include <string>

#include "onnx/support.h"

namespace foreflow::onnx {
namespace {

using onnx_proto::GraphProto;
using onnx_proto::NodeProto;
using onnx_proto::TensorProto;

constexpr int kScales = 2, kZero = 3;  // operands of MatMulNBits

// The rows and the blocks of each of a weight, whose numbers have `bits`.
struct Blocks {
  int64_t rows = 0, blocks = 0, bits = 0;
  bool operator==(const Blocks&) const = default;

  // The elements of a row of zero points: packed, or one for each block, as scales are.
  int64_t columns(int operand, int type) const {
    const bool is_packed = operand == kZero && type == TensorProto::UINT8;
    return is_packed ? (blocks * bits + 7) / 8 : blocks;
  }
};

int64_t int_attribute(const NodeProto& node, const std::string& name, int64_t fallback) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return fallback;
}

// The restated operands of a MatMulNBits. Sizes that its type rule refuses give none, in which nothing is restated.
Blocks blocks_of(const NodeProto& node) {
  constexpr int64_t kLargest = int64_t{1} << 30, kMostBits = 8;
  const int64_t k = int_attribute(node, "K", 0), n = int_attribute(node, "N", 0);
  const int64_t size = int_attribute(node, "block_size", 0), bits = int_attribute(node, "bits", 4);
  for (const int64_t number : {k, n, size, bits}) {
    if (number < 1 || number > kLargest) return {};
  }
  return bits > kMostBits ? Blocks() : Blocks{n, (k - 1) / size + 1, bits};
}

class BlockScales {
 public:
  // Collects what reads each name. A name that stands for two values in different graphs counts as one.
  void read(const GraphProto& graph) {
    for (const NodeProto& node : graph.node()) {
      const bool has_blocks = node.op_type() == "MatMulNBits" && canonical_domain(node.domain()) == "com.microsoft";
      for (int i = 0; i < node.input_size(); ++i) {
        const bool by_block = has_blocks && (i == kScales || i == kZero);
        by_block ? read_by_block(node.input(i), {i, blocks_of(node)}) : void(read_else_.insert(node.input(i)));
      }
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) read(attribute.g());
      }
    }
    for (const auto& output : graph.output()) read_else_.insert(output.name());
  }

  void restate(GraphProto& graph) const {
    for (TensorProto& tensor : *graph.mutable_initializer()) restate(tensor.name(), tensor);
    for (NodeProto& node : *graph.mutable_node()) {
      const bool is_constant = node.op_type() == "Constant" && node.output_size() == 1;
      for (auto& attribute : *node.mutable_attribute()) {
        if (is_constant && attribute.has_t()) restate(node.output(0), *attribute.mutable_t());
        if (attribute.has_g()) restate(*attribute.mutable_g());
      }
    }
  }

 private:
  struct Reader {
    int operand = 0;
    Blocks blocks;
    bool operator==(const Reader&) const = default;
  };

  void read_by_block(const std::string& name, const Reader& reader) {
    const auto [known, fresh] = readers_.emplace(name, reader);
    if (!fresh && !(known->second == reader)) read_else_.insert(name);
  }

  void restate(const std::string& name, TensorProto& tensor) const {
    const auto reader = readers_.find(name);
    if (reader == readers_.end() || read_else_.contains(name) || tensor.dims_size() != 1) return;
    const Blocks& blocks  = reader->second.blocks;
    const int64_t columns = blocks.columns(reader->second.operand, tensor.data_type());
    if (blocks.rows == 0 || tensor.dims(0) != blocks.rows * columns) return;
    tensor.set_dims(0, blocks.rows);
    tensor.add_dims(columns);
  }

  std::map<std::string, Reader> readers_;
  std::set<std::string> read_else_;  // by other ops, or by ops with other blocks
};

}  // namespace

void restate_block_scales(GraphProto& graph) {
  BlockScales scales;
  scales.read(graph);
  scales.restate(graph);
}

}  // namespace foreflow::onnx
