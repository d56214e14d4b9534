#include "transform/pipeline/overlapped/product_pieces.h"

#include "foreflow/ir/fp8.h"

namespace foreflow::transform {
namespace {

// The rows of all leading dimensions.
ir::Type as_rows(ir::Type type) {
  int64_t rows = 1;
  for (size_t dim = 0; dim + 1 < type.dims.size(); ++dim) rows *= type.dims[dim];
  type.dims = {rows, type.dims.back()};
  return type;
}

}  // namespace

Seconds ProductPieces::rows(const ir::Op& product, const ProductCut& cut, int ways) const {
  const auto operands = function_.inputs(product);
  std::vector<ir::Type> inputs;
  for (const ir::ValueId id : operands) inputs.push_back(id == ir::ValueId::none ? ir::Type() : type(id));
  std::vector<ir::Type> outputs = {type(function_.output(product, 0))};
  outputs[0].dims[cut.output] /= ways;
  if (is_product_gradient(product)) inputs = {inputs[rows_operand(product)], inputs[1]};
  inputs[0].dims[cut.input] /= ways;
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  ir::Attributes own = *product.attributes;
  own.erase(ir::kFp8Updates);  // before the first piece alone
  if (!is_product_gradient(product)) return price_({*product.def, own, inputs, known, 1}, outputs);
  const ir::Attributes attributes = attributes_of_rows_gradient(product);
  return price_({ops_.get(kRowsGradient, "ops"), attributes, inputs, known, 1}, outputs);
}

Seconds ProductPieces::addition(const ir::Op& add, size_t dimension, int ways) const {
  std::vector<ir::Type> inputs, outputs = {type(function_.output(add, 0))};
  for (const ir::ValueId id : function_.inputs(add)) inputs.push_back(type(id));
  outputs[0].dims[dimension] /= ways;
  for (ir::Type& input : inputs) input.dims[dimension] /= ways;
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  return price_({*add.def, *add.attributes, inputs, known, 1}, outputs);
}

Seconds ProductPieces::weight_gradient(const ir::Op& product) const {
  if (!is_product_gradient(product)) return Seconds(0);
  const auto operands                 = function_.inputs(product);
  const std::vector<ir::Type> inputs  = {as_rows(type(operands[0])), as_rows(type(operands[2]))};
  const std::vector<ir::Type> outputs = {type(function_.output(product, 1))};
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const ir::Attributes attributes = attributes_of_weight_gradient(product);
  return price_({ops_.get(kWeightGradient, "ops"), attributes, inputs, known, 1}, outputs);
}

ir::Type ProductPieces::type(ir::ValueId id) const {
  const LaidOut& value = values_[ir::index(id)];
  return local_type(value.value.type, value.layout, parts_);
}

}  // namespace foreflow::transform
