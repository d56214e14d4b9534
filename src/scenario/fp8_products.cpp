#include "scenario/fp8_products.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/shared_attributes.h"
#include "foreflow/ir/uses.h"

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

bool is_product(const ir::Op& op) {
  return !op.is_call() && std::any_of(std::begin(kProducts), std::end(kProducts),
                                      [&](const Product& row) { return row.op == op.def->name; });
}

// Activations and biases.
bool is_elementwise(const ir::Op& op) {
  const ir::OpDef& def = *op.def;
  return def.role == ir::Role::compute && op.result_count == 1 && def.product == ir::Product::none && !def.attention &&
         !def.reduction && !def.loss && def.softmax == ir::Softmax::none &&
         def.vocabulary.kind == ir::VocabularyForm::Kind::none &&
         def.name.find("Normalization") == std::string_view::npos;
}

// True for a product of a module that another one begins. Along the first operand, where activations stand.
bool continues_module(const ir::Function& function, const std::vector<int32_t>& makers, const ir::Op& product) {
  bool passed = false;
  for (ir::ValueId at = function.inputs(product)[0];; passed = true) {
    const int32_t maker = at == ir::ValueId::none ? -1 : makers[ir::index(at)];
    if (maker < 0) return false;
    const ir::Op& op = function.ops[static_cast<size_t>(maker)];
    if (is_product(op)) return passed;
    if (op.is_call() || !is_elementwise(op)) return false;
    at = function.inputs(op)[0];
  }
}

}  // namespace

ir::Module with_fp8_products(ir::Module module, int64_t vocabulary, int updates) {
  ir::SharedAttributes shared;
  for (ir::Function& function : module.functions) {
    const std::vector<int32_t> makers = ir::makers_of(function);
    for (ir::Op& op : function.ops) {
      if (op.is_call() || op.operand_count < 2) continue;
      const auto* known = std::find_if(std::begin(kProducts), std::end(kProducts),
                                       [&](const Product& row) { return row.op == op.def->name; });
      if (known == std::end(kProducts) || !is_matrix_of_layer(function, function.inputs(op)[1], vocabulary)) continue;
      ir::Attributes attributes = *op.attributes;
      attributes.set(std::string(ir::kFp8), known->converted);
      if (updates > 0 && !continues_module(function, makers, op))
        attributes.set(std::string(ir::kFp8Updates), int64_t{updates});
      op.attributes = shared(std::move(attributes));
    }
  }
  return module;
}

}  // namespace foreflow::scenario
