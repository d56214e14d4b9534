#include "onnx/normalise.h"

#include <algorithm>
#include <array>

#include "onnx/contrib.h"

namespace foreflow::onnx {
namespace {

struct NormaliseRow {
  std::string_view op;
  void (*apply)(Node& node, const RankOf& rank_of);
};

// Ops that are not here mean the same in every opset, or take the old form's attributes as they are.
constexpr std::array kRules = {
    NormaliseRow{"Add", rules::broadcast},
    NormaliseRow{"And", rules::broadcast},
    NormaliseRow{"BatchNormalization", rules::batch_normalization},
    NormaliseRow{"Bernoulli", rules::random},
    NormaliseRow{"BlackmanWindow", rules::output_data_type},
    NormaliseRow{"Cast", rules::cast},
    NormaliseRow{"Concat", rules::concat},
    NormaliseRow{"Constant", rules::constant},
    NormaliseRow{"DFT", rules::dft},
    NormaliseRow{"DequantizeLinear", rules::output_dtype},
    NormaliseRow{"Div", rules::broadcast},
    NormaliseRow{"Dropout", rules::dropout},
    NormaliseRow{"Equal", rules::broadcast},
    NormaliseRow{"EyeLike", rules::data_type},
    NormaliseRow{"Gemm", rules::broadcast},
    NormaliseRow{"Greater", rules::broadcast},
    NormaliseRow{"HammingWindow", rules::output_data_type},
    NormaliseRow{"HannWindow", rules::output_data_type},
    NormaliseRow{"Hardmax", rules::flatten_to_matrix},
    NormaliseRow{"Less", rules::broadcast},
    NormaliseRow{"LogSoftmax", rules::flatten_to_matrix},
    NormaliseRow{"MelWeightMatrix", rules::output_data_type},
    NormaliseRow{"Mul", rules::broadcast},
    NormaliseRow{"Multinomial", rules::random},
    NormaliseRow{"Or", rules::broadcast},
    NormaliseRow{"PRelu", rules::prelu},
    NormaliseRow{"Pad", rules::pad},
    NormaliseRow{"Pow", rules::broadcast},
    NormaliseRow{"QuantizeLinear", rules::output_dtype},
    NormaliseRow{"RandomNormal", rules::random},
    NormaliseRow{"RandomNormalLike", rules::random},
    NormaliseRow{"RandomUniform", rules::random},
    NormaliseRow{"RandomUniformLike", rules::random},
    NormaliseRow{"Resize", rules::resize},
    NormaliseRow{"RoiAlign", rules::roi_align},
    NormaliseRow{"Softmax", rules::flatten_to_matrix},
    NormaliseRow{"Sub", rules::broadcast},
    NormaliseRow{"Upsample", rules::upsample},
    NormaliseRow{"Xor", rules::broadcast},
};
static_assert(std::is_sorted(kRules.begin(), kRules.end(),
                             [](const NormaliseRow& a, const NormaliseRow& b) { return a.op < b.op; }));

}  // namespace

std::string_view newest_name(std::string_view op) {
  if (op == "Upsample") return "Resize";
  return op == "Scatter" ? "ScatterElements" : op;
}

void normalise(Node& node, const RankOf& rank_of) {
  if (!node.domain.empty() || !contrib_row(node.domain, node.op).empty()) return restate_contrib(node);
  node.attributes.erase("consumed_inputs");  // opset 1: which inputs may be overwritten
  const auto row = std::lower_bound(kRules.begin(), kRules.end(), node.op,
                                    [](const NormaliseRow& r, const std::string& op) { return r.op < op; });
  if (row != kRules.end() && row->op == node.op) row->apply(node, rank_of);
  node.op = newest_name(node.op);
}

}  // namespace foreflow::onnx
