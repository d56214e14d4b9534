#include "scenario/fp8_products.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/shared_attributes.h"

namespace foreflow::scenario {
namespace {

// Products with a matrix of weights, operand 1, and the operand that they convert to fp8.
struct Product {
  std::string_view op;
  int64_t converted;
};
constexpr Product kProducts[] = {{"MatMul", 0}, {"MatMulGrad", 2}};

bool is_matrix_of_layer(const ir::Function& function, ir::ValueId id, int64_t vocabulary) {
  if (id == ir::ValueId::none || ir::index(id) >= function.parameters.size()) return false;
  if (function.parameters[ir::index(id)] != ir::ParameterRole::weight) return false;
  const ir::TypeRef& type = std::as_const(function).values[ir::index(id)].annotation;
  if (type == nullptr || !type->is_tensor() || !type->ranked || type->dims.size() != 2) return false;
  return std::find(type->dims.begin(), type->dims.end(), vocabulary) == type->dims.end();
}

}  // namespace

ir::Module with_fp8_products(ir::Module module, int64_t vocabulary) {
  ir::SharedAttributes shared;
  for (ir::Function& function : module.functions) {
    for (ir::Op& op : function.ops) {
      if (op.is_call() || op.operand_count < 2) continue;
      const auto* known = std::find_if(std::begin(kProducts), std::end(kProducts),
                                       [&](const Product& row) { return row.op == op.def->name; });
      if (known == std::end(kProducts) || !is_matrix_of_layer(function, function.inputs(op)[1], vocabulary)) continue;
      ir::Attributes attributes = *op.attributes;
      attributes.set(std::string(ir::kFp8), known->converted);
      op.attributes = shared(std::move(attributes));
    }
  }
  return module;
}

}  // namespace foreflow::scenario
