#include "foreflow/transform/fp8_products.h"

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/shared_attributes.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ops/table.h"

namespace foreflow::transform {
namespace {

bool is_forward(const ir::Op& op) { return !op.is_call() && op.def->product == ir::Product::matrices; }
bool is_backward(const ir::Op& op) { return !op.is_call() && op.def->gradient_of == ir::GradientOf::product; }

// Products, of which operand 1 may be a matrix of weights.
bool is_product(const ir::Op& op) { return is_forward(op) || is_backward(op); }

// The operand, besides the weights, that a product converts to fp8: x or dy.
int64_t converted_operand(const ir::Op& product) { return is_backward(product) ? 2 : 0; }

bool is_matrix_of_layer(const ir::Function& function, ir::ValueId id, int64_t vocabulary) {
  if (id == ir::ValueId::none || ir::index(id) >= function.parameters.size()) return false;
  if (function.parameters[ir::index(id)] != ir::ParameterRole::weight) return false;
  const ir::TypeRef& type = std::as_const(function).values[ir::index(id)].annotation;
  if (type == nullptr || !type->is_tensor() || !type->ranked || type->dims.size() != 2) return false;
  return std::find(type->dims.begin(), type->dims.end(), vocabulary) == type->dims.end();
}

// Activations and biases.
bool is_elementwise(const ir::Op& op) {
  const ir::OpDef& def = *op.def;
  return def.role == ir::Role::compute && op.result_count == 1 && def.product == ir::Product::none && !def.attention &&
         !def.reduction && !def.normalises && !def.loss && def.vocabulary.kind == ir::VocabularyForm::Kind::none;
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

bool is_marked(const ir::Op& op) { return op.attributes->find(ir::kFp8) != nullptr; }

// The function with a copy in fp8 of each activation that products of both passes read, before the first product of the
// forward pass. The gradients of weights read the copy, so that the activation need not be kept for them.
class CopyWriter {
 public:
  explicit CopyWriter(const ir::Function& function)
      : function_(function), builder_(function.name, ops::table()), map_(function.values.size(), ir::ValueId::none) {}

  ir::Function run() {
    for (size_t i = 0; i < function_.parameters.size(); ++i)
      map_[i] = builder_.parameter(function_.values[i].name, function_.parameters[i], function_.values[i].annotation);
    std::set<ir::ValueId> kept;
    for (const ir::Op& op : function_.ops) {
      if (is_backward(op) && is_marked(op)) kept.insert(function_.inputs(op)[0]);
    }
    for (const ir::Op& op : function_.ops) {
      if (is_forward(op) && is_marked(op) && kept.contains(function_.inputs(op)[0])) add_copy(function_.inputs(op)[0]);
      copy(op);
    }
    std::vector<ir::ValueId> results;
    for (const ir::ValueId id : function_.results) results.push_back(map_[ir::index(id)]);
    return builder_.finish(std::move(results));
  }

 private:
  void add_copy(ir::ValueId id) {
    const auto [found, fresh] = copies_.try_emplace(id);
    if (!fresh) return;
    found->second = builder_.op("Cast", {map_[ir::index(id)]},
                                {{"to", std::string(ir::name(ir::DType::f8))}, {std::string(ir::kFp8), int64_t{-1}}});
  }

  void copy(const ir::Op& op) {
    std::vector<ir::ValueId> operands;
    for (const ir::ValueId id : function_.inputs(op))
      operands.push_back(id == ir::ValueId::none ? id : map_[ir::index(id)]);
    const auto narrow = is_backward(op) && is_marked(op) ? copies_.find(function_.inputs(op)[0]) : copies_.end();
    if (narrow != copies_.end()) operands[0] = narrow->second;
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::Value& value = function_.values[op.first_result + i];
      const auto made        = static_cast<ir::ValueId>(first + i);
      builder_.set_name(made, value.name);
      if (value.annotation != nullptr) builder_.annotate(made, value.annotation);
      map_[op.first_result + i] = made;
    }
  }

  const ir::Function& function_;
  ir::FunctionBuilder builder_;
  std::vector<ir::ValueId> map_;
  std::map<ir::ValueId, ir::ValueId> copies_;
};

}  // namespace

ir::Module with_fp8_products(ir::Module module, int64_t vocabulary, int updates) {
  ir::SharedAttributes shared;
  for (ir::Function& function : module.functions) {
    const std::vector<int32_t> makers = ir::makers_of(function);
    for (ir::Op& op : function.ops) {
      if (op.is_call() || op.operand_count < 2) continue;
      if (!is_product(op) || !is_matrix_of_layer(function, function.inputs(op)[1], vocabulary)) continue;
      ir::Attributes attributes = *op.attributes;
      attributes.set(std::string(ir::kFp8), converted_operand(op));
      if (updates > 0 && !continues_module(function, makers, op))
        attributes.set(std::string(ir::kFp8Updates), int64_t{updates});
      op.attributes = shared(std::move(attributes));
    }
  }
  for (ir::Function& function : module.functions) {
    const auto keeps = [](const ir::Op& op) { return is_backward(op) && is_marked(op); };
    if (std::any_of(function.ops.begin(), function.ops.end(), keeps)) function = CopyWriter(function).run();
  }
  return module;
}

}  // namespace foreflow::transform
