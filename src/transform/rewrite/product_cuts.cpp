#include "transform/rewrite/product_cuts.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"
#include "transform/rewrite/factor_text.h"

namespace foreflow::transform {
namespace {

// The gradient of x[.., s, h] * w[h, f], along the rows s of dy[.., s, f].
std::vector<ProductCut> cuts_of_gradient(const ir::OpCall& call) {
  const ir::Dims &x = call.inputs[0].dims, &w = call.inputs[1].dims;
  std::vector<ProductCut> cuts;
  if (w.size() != 2) return cuts;
  for (size_t dim = 0; dim + 1 < x.size(); ++dim) cuts.push_back({dim, dim});
  return cuts;
}

ir::Attributes transposed(const char* which, int64_t converted, const ir::Op& product) {
  ir::Attributes attributes{{which, int64_t{1}}};
  if (product.attributes->find(ir::kFp8) == nullptr) return attributes;
  attributes.set(std::string(ir::kFp8), converted);
  attributes.set(std::string(ir::kFp8Gradient), int64_t{1});
  return attributes;
}

}  // namespace

// Dimensions of the result that only the first operand has.
std::vector<ProductCut> product_cuts(const ir::OpCall& call) {
  if (call.def.gradient_of == ir::GradientOf::product) return cuts_of_gradient(call);
  std::vector<ProductCut> cuts;
  if (call.def.role != ir::Role::compute || call.outputs != 1 || call.inputs.size() < 2) return cuts;
  const ir::Factors factors = call.def.factors(call);
  if (factors.rule != ir::Factors::Rule::letters || factors.text.empty()) return cuts;
  const FactorText text = parse_factors(factors.text);
  if (!is_contraction(text)) return cuts;
  const std::string& result = text.outputs[0];
  for (size_t output = 0; output < result.size(); ++output) {
    const size_t input = text.inputs[0].find(result[output]);
    const bool others  = std::any_of(text.inputs.begin() + 1, text.inputs.end(), [&](const std::string& letters) {
      return letters.find(result[output]) != std::string::npos;
    });
    if (result[output] != '.' && input != std::string::npos && !others) cuts.push_back({input, output});
  }
  return cuts;
}

bool is_product_gradient(const ir::Op& product) { return product.def->gradient_of == ir::GradientOf::product; }

bool is_gradient_of_weight(const ir::Op& op) {
  return !op.is_call() && op.def->name == kWeightGradient && op.attributes->int_or("transA", 0) != 0;
}

ir::Attributes attributes_of_rows_gradient(const ir::Op& product) { return transposed("transB", 0, product); }

ir::Attributes attributes_of_weight_gradient(const ir::Op& product) { return transposed("transA", -1, product); }

size_t rows_operand(const ir::Op& product) { return is_product_gradient(product) ? 2 : 0; }

int64_t parted_dimension(const ir::OpDef& sum, const ir::Attributes& attributes, size_t rank) {
  if (sum.communication != ir::Communication::reduce_scatter) return -1;
  const int64_t axis = attributes.int_or("axis", 0);
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

}  // namespace foreflow::transform
