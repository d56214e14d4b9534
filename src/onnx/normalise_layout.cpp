// Rules for ops whose treatment of axes, shapes and operands changed.
#include <algorithm>

#include "onnx/normalise.h"

namespace foreflow::onnx::rules {
namespace {

using ir::Array;
using ir::Attribute;

void rename(ir::Attributes& attributes, std::string_view from, const std::string& to) {
  const Attribute* found = attributes.find(from);
  if (found == nullptr) return;
  Attribute value = *found;
  attributes.erase(from);
  attributes.set(to, std::move(value));
}

void default_to(ir::Attributes& attributes, const std::string& name, Attribute value) {
  if (attributes.find(name) == nullptr) attributes.set(name, std::move(value));
}

}  // namespace

// Until opset 6, operand 1 is stretched over operand 0 only where `broadcast` says so, its dimensions standing for
// those from `axis` on; without `axis` for the last ones, which is the rule of today.
void broadcast(Node& node, const RankOf& rank_of) {
  if (node.opset >= 7) return;
  if (node.attributes.int_or("broadcast", 0) != 0 && node.attributes.find("axis") != nullptr &&
      node.inputs.size() == 2) {
    const int64_t axis = node.attributes.get_int("axis");
    const auto a = rank_of(node.inputs[0]), b = rank_of(node.inputs[1]);
    const auto missing = [&] { return static_cast<int64_t>(*a) - static_cast<int64_t>(*b); };
    const bool trailing =
        a && b && (*b == 0 || axis == missing() || (axis < 0 && axis + static_cast<int64_t>(*a) == missing()));
    if (!trailing) {
      throw Error(node.where,
                  node.op + " broadcasts from axis " + std::to_string(axis) +
                      "; only trailing dimensions are supported before opset 7; export with opset 7 or newer");
    }
  }
  node.attributes.erase("broadcast");
  if (node.op != "Gemm") node.attributes.erase("axis");
}

// Until opset 13, more than one output asks for training; until 8, `spatial` = 0 keeps statistics per position.
void batch_normalization(Node& node, const RankOf&) {
  if (node.attributes.int_or("spatial", 1) == 0) {
    throw Error(node.where, "BatchNormalization with spatial = 0 is not supported; only statistics per channel are");
  }
  node.attributes.erase("spatial").erase("is_test");
  if (node.opset >= 14) return;
  const bool training = std::any_of(node.outputs.begin() + (node.outputs.empty() ? 0 : 1), node.outputs.end(),
                                    [](const std::string& output) { return !output.empty(); });
  if (training) node.attributes.set("training_mode", int64_t{1});
}

// Opset 1 concatenates along axis 1 where it names none.
void concat(Node& node, const RankOf&) {
  if (node.opset < 4) default_to(node.attributes, "axis", int64_t{1});
}

// Until opset 6, `is_test` tells inference from training; as in later opsets, inference is meant. Since 12, operand 2
// may ask for training, which is random.
void dropout(Node& node, const RankOf& rank_of) {
  node.attributes.erase("is_test");
  if (node.inputs.size() > 2) random(node, rank_of);
}

// Until opset 12, Softmax and its kin treat the tensor as a matrix whose columns begin at `axis`, 1 unless stated.
void flatten_to_matrix(Node& node, const RankOf&) {
  if (node.opset >= 13) return;
  default_to(node.attributes, "axis", int64_t{1});
  node.attributes.set("flatten", int64_t{1});
}

void pad(Node& node, const RankOf&) {
  rename(node.attributes, "paddings", "pads");  // opset 1
}

// Until opset 6 there is one slope, or one for each channel, which broadcasting aligns with x only where channels are
// last.
void prelu(Node& node, const RankOf& rank_of) {
  if (node.opset >= 7 || node.inputs.size() != 2) return;
  const auto rank = rank_of(node.inputs[0]);
  if (rank && *rank <= 2) return;
  throw Error(node.where,
              "PRelu has slopes for channels before opset 7, which are not supported; export with opset 7 or newer");
}

// Opset 10 has operands (x, scales) and samples like "asymmetric".
void resize(Node& node, const RankOf&) {
  if (node.opset >= 11) return;
  if (node.inputs.size() != 2) throw Error(node.where, "Resize before opset 11 needs two operands, x and scales");
  node.inputs = {node.inputs[0], "", node.inputs[1]};
  node.attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
  node.attributes.set("nearest_mode", std::string("floor"));
}

// Until opset 15, the corners of regions are those of elements, not their middles.
void roi_align(Node& node, const RankOf&) {
  if (node.opset < 16) default_to(node.attributes, "coordinate_transformation_mode", std::string("output_half_pixel"));
}

// Until opset 9; the scales are an attribute until 8.
void upsample(Node& node, const RankOf& rank_of) {
  const Attribute* scales = node.attributes.find("scales");
  if (scales != nullptr && std::holds_alternative<std::vector<double>>(*scales)) {
    const auto& wide = std::get<std::vector<double>>(*scales);
    node.literals.emplace(2, Array::of_floats({static_cast<int64_t>(wide.size())}, {wide.begin(), wide.end()}));
    node.attributes.erase("scales");
    node.inputs.resize(2);
    node.inputs[1].clear();
  }
  resize(node, rank_of);
}

}  // namespace foreflow::onnx::rules
