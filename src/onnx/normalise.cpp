#include "onnx/normalise.h"

#include <algorithm>
#include <array>

#include "onnx/contrib.h"

namespace foreflow::onnx {
namespace {

struct Row {
  std::string_view op;
  void (*apply)(Node& node, const RankOf& rank_of);
};

// Ops that are not here mean the same in every opset, or take the old form's attributes as they are.
constexpr std::array kRules = {
    Row{"Add", rules::broadcast},
    Row{"And", rules::broadcast},
    Row{"BatchNormalization", rules::batch_normalization},
    Row{"Bernoulli", rules::random},
    Row{"BlackmanWindow", rules::output_data_type},
    Row{"Cast", rules::cast},
    Row{"Concat", rules::concat},
    Row{"Constant", rules::constant},
    Row{"Div", rules::broadcast},
    Row{"Dropout", rules::dropout},
    Row{"Equal", rules::broadcast},
    Row{"EyeLike", rules::data_type},
    Row{"Gemm", rules::broadcast},
    Row{"Greater", rules::broadcast},
    Row{"HammingWindow", rules::output_data_type},
    Row{"HannWindow", rules::output_data_type},
    Row{"Hardmax", rules::flatten_to_matrix},
    Row{"Less", rules::broadcast},
    Row{"LogSoftmax", rules::flatten_to_matrix},
    Row{"MelWeightMatrix", rules::output_data_type},
    Row{"Mul", rules::broadcast},
    Row{"Multinomial", rules::random},
    Row{"Or", rules::broadcast},
    Row{"PRelu", rules::prelu},
    Row{"Pad", rules::pad},
    Row{"Pow", rules::broadcast},
    Row{"RandomNormal", rules::random},
    Row{"RandomNormalLike", rules::random},
    Row{"RandomUniform", rules::random},
    Row{"RandomUniformLike", rules::random},
    Row{"Resize", rules::resize},
    Row{"RoiAlign", rules::roi_align},
    Row{"Softmax", rules::flatten_to_matrix},
    Row{"Sub", rules::broadcast},
    Row{"Upsample", rules::upsample},
    Row{"Xor", rules::broadcast},
};
static_assert(std::is_sorted(kRules.begin(), kRules.end(), [](const Row& a, const Row& b) { return a.op < b.op; }));

}  // namespace

std::string_view newest_name(std::string_view op) {
  if (op == "Upsample") return "Resize";
  return op == "Scatter" ? "ScatterElements" : op;
}

void normalise(Node& node, const RankOf& rank_of) {
  if (!node.domain.empty()) return restate_contrib(node);
  node.attributes.erase("consumed_inputs");  // opset 1: which inputs may be overwritten
  const auto row = std::lower_bound(kRules.begin(), kRules.end(), node.op,
                                    [](const Row& r, const std::string& op) { return r.op < op; });
  if (row != kRules.end() && row->op == node.op) row->apply(node, rank_of);
  node.op = newest_name(node.op);
}

}  // namespace foreflow::onnx
