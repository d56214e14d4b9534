#include "foreflow/transform/fp8_products.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/shared_attributes.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ops/table.h"

namespace foreflow::transform {
namespace {

bool is_backward(const ir::Op& op) { return !op.is_call() && op.def->gradient_of == ir::GradientOf::product; }
// MatMul, and Gemm, which adds a bias.
bool is_forward(const ir::Op& op) {
  if (op.is_call() || is_backward(op)) return false;
  const bool adds_more = op.def->kernels == ir::Kernels::product && op.def->product == ir::Product::none;
  return op.def->product == ir::Product::matrices || adds_more;
}

// Products, of which operand 1 may be a matrix of weights.
bool is_product(const ir::Op& op) { return is_forward(op) || is_backward(op); }

// The operand, besides the weights, that a product converts to fp8: x or dy.
int64_t converted_operand(const ir::Op& product) { return is_backward(product) ? 2 : 0; }

// Null for what is no weight of known dimensions.
const ir::Dims* dims_of_weight(const ir::Function& function, ir::ValueId id) {
  if (id == ir::ValueId::none || ir::index(id) >= function.parameters.size()) return nullptr;
  if (function.parameters[ir::index(id)] != ir::ParameterRole::weight) return nullptr;
  const ir::TypeRef& type = std::as_const(function).values[ir::index(id)].annotation;
  return type == nullptr || !type->is_tensor() || !type->ranked ? nullptr : &type->dims;
}

bool has_extent(const ir::Dims& dims, int64_t extent) {
  return std::find(dims.begin(), dims.end(), extent) != dims.end();
}

// Stacked matrices, of which product e of a batch of products takes the e-th.
bool is_of_experts(const ir::Dims& dims) { return dims.size() == 3; }

// Activations and biases.
bool is_elementwise(const ir::Op& op) {
  const ir::OpDef& def = *op.def;
  return def.role == ir::Role::compute && op.result_count == 1 && def.product == ir::Product::none && !def.attention &&
         !def.reduction && !def.normalises && !def.loss && def.vocabulary.kind == ir::VocabularyForm::Kind::none;
}

// Neither absent nor a parameter or a constant.
bool is_activation(const ir::Function& function, const std::vector<int32_t>& makers, ir::ValueId id) {
  const int32_t maker = id == ir::ValueId::none ? -1 : makers[ir::index(id)];
  if (maker < 0) return false;
  const ir::Op& op = nth(function.ops, maker);
  return op.is_call() || op.def->role != ir::Role::constant;
}

// The weights of the products whose results are the logits: a loss reads them, or they are the first result of the
// function, which caches follow; perhaps through views and element-wise ops, but not through a sum with another
// activation, which ends a layer.
std::set<ir::ValueId> weights_of_logits(const ir::Function& function, const std::vector<int32_t>& makers) {
  std::set<ir::ValueId> weights, seen;
  std::vector<ir::ValueId> open;
  if (!function.results.empty()) open.push_back(function.results.front());
  for (const ir::Op& op : function.ops) {
    if (!op.is_call() && (op.def->loss || op.def->vocabulary.kind == ir::VocabularyForm::Kind::loss))
      open.push_back(function.inputs(op)[0]);
  }
  while (!open.empty()) {
    const ir::ValueId at = open.back();
    open.pop_back();
    const int32_t maker = at == ir::ValueId::none || !seen.insert(at).second ? -1 : makers[ir::index(at)];
    if (maker < 0) continue;
    const ir::Op& op  = nth(function.ops, maker);
    const auto inputs = function.inputs(op);
    if (is_forward(op)) {
      weights.insert(inputs[1]);
    } else if (!op.is_call() && (op.def->role == ir::Role::view || is_elementwise(op))) {
      std::vector<ir::ValueId> made;
      std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(made),
                   [&](ir::ValueId id) { return is_activation(function, makers, id); });
      if (made.size() == 1) open.push_back(made[0]);
    }
  }
  return weights;
}

// True for a product of a module that another one begins. Along the first operand, where activations stand.
bool continues_module(const ir::Function& function, const std::vector<int32_t>& makers, const ir::Op& product) {
  bool passed = false;
  for (ir::ValueId at = function.inputs(product)[0];; passed = true) {
    const int32_t maker = at == ir::ValueId::none ? -1 : makers[ir::index(at)];
    if (maker < 0) return false;
    const ir::Op& op = nth(function.ops, maker);
    if (is_product(op)) return passed;
    if (op.is_call() || !is_elementwise(op)) return false;
    at = function.inputs(op)[0];
  }
}

bool is_marked(const ir::Op& op) { return op.attributes->find(ir::kFp8) != nullptr; }

// Returns true if the op makes the gradient of weights in fp8, of which its first operand is the activation.
bool reads_copy(const ir::Op& op) {
  return !op.is_call() && op.operand_count > 1 && is_marked(op) &&
         (is_backward(op) ||
          (op.attributes->find(ir::kFp8Gradient) != nullptr && op.attributes->get_int(ir::kFp8) < 0));
}

// The products of experts and their gradients, which are products of their own. Those before the loss have activations
// as operands, those behind it the gradients of what they made.
//
//   %y  = MatMul(%x, %w)                    [fp8 = 0]    x is converted
//   %dx = FusedMatMul[transB = 1](%dy, %w)  [fp8 = 0]    dy is converted
//   %dw = FusedMatMul[transA = 1](%x, %dy)  [fp8 = -1]
class ExpertMarker {
 public:
  ExpertMarker(const ir::Function& function, const Fp8Products& which) : function_(function), which_(which) {
    const auto loss = std::find_if(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
      return !op.is_call() && op.def->role == ir::Role::loss_gradient;
    });
    loss_           = static_cast<size_t>(loss - function.ops.begin());
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (has_experts(o)) (o < loss_ ? activations_ : gradients_).insert(function.inputs(function.ops[o])[0]);
    }
  }

  // Nothing if op `o` has no part in products of experts.
  std::optional<ir::Attributes> attributes(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (!multiplies(op)) return std::nullopt;
    const auto inputs     = function_.inputs(op);
    const bool of_weights = activations_.contains(inputs[0]) && gradients_.contains(inputs[1]);
    if (!of_weights && !has_experts(o)) return std::nullopt;
    ir::Attributes attributes = *op.attributes;
    attributes.set(std::string(ir::kFp8), int64_t{of_weights ? -1 : 0});
    if (o > loss_) attributes.set(std::string(ir::kFp8Gradient), int64_t{1});
    if (!of_weights && which_.updates > 0) attributes.set(std::string(ir::kFp8Updates), int64_t{which_.updates});
    return attributes;
  }

 private:
  static bool multiplies(const ir::Op& op) {
    if (op.is_call() || op.operand_count < 2) return false;
    return op.def->product == ir::Product::matrices || op.def->product == ir::Product::turned;
  }

  bool has_experts(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (!multiplies(op)) return false;
    const ir::Dims* dims = dims_of_weight(function_, function_.inputs(op)[1]);
    return dims != nullptr && is_of_experts(*dims);
  }

  const ir::Function& function_;
  const Fp8Products& which_;
  size_t loss_;
  std::set<ir::ValueId> activations_, gradients_;
};

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
      if (reads_copy(op)) kept.insert(function_.inputs(op)[0]);
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
    const auto narrow = reads_copy(op) ? copies_.find(function_.inputs(op)[0]) : copies_.end();
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

// Marks the products of a function. Those that read one activation are one module: the first converts it.
class Marker {
 public:
  Marker(const ir::Function& function, const Fp8Products& which)
      : function_(function),
        which_(which),
        makers_(ir::makers_of(function)),
        of_logits_(weights_of_logits(function, makers_)),
        experts_(function, which) {}

  std::optional<ir::Attributes> attributes(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || op.operand_count < 2) return std::nullopt;
    std::optional<ir::Attributes> marked = experts_.attributes(o);
    if (!marked) marked = of_layer(op);
    if (marked && which_.inference) marked->set(std::string(ir::kFp8Inference), int64_t{1});
    if (!marked || is_backward(op) || marked->find(ir::kFp8Gradient) != nullptr) return marked;
    if (converted_.insert(function_.inputs(op)[0]).second) return marked;
    marked->set(std::string(ir::kFp8), int64_t{-1});
    marked->erase(ir::kFp8Updates);
    return marked;
  }

 private:
  std::optional<ir::Attributes> of_layer(const ir::Op& op) const {
    const ir::Dims* dims = is_product(op) ? dims_of_weight(function_, function_.inputs(op)[1]) : nullptr;
    if (dims == nullptr || !is_matrix_of_layer(function_.inputs(op)[1], *dims)) return std::nullopt;
    ir::Attributes attributes = *op.attributes;
    attributes.set(std::string(ir::kFp8), converted_operand(op));
    if (which_.updates > 0 && !continues_module(function_, makers_, op))
      attributes.set(std::string(ir::kFp8Updates), int64_t{which_.updates});
    return attributes;
  }

  // The products with the words, and the router, have as many columns as there are words and experts.
  bool is_matrix_of_layer(ir::ValueId weight, const ir::Dims& dims) const {
    const bool has_words = has_extent(dims, which_.vocabulary) && of_logits_.contains(weight);
    return dims.size() == 2 && !has_words && !has_extent(dims, which_.experts);
  }

  const ir::Function& function_;
  const Fp8Products& which_;
  const std::vector<int32_t> makers_;
  const std::set<ir::ValueId> of_logits_;
  const ExpertMarker experts_;
  std::set<ir::ValueId> converted_;  // activations
};

}  // namespace

ir::Module with_fp8_products(ir::Module module, const Fp8Products& which) {
  ir::SharedAttributes shared;
  for (ir::Function& function : module.functions) {
    Marker marker(function, which);
    std::vector<std::optional<ir::Attributes>> marked(function.ops.size());
    for (size_t o = 0; o < function.ops.size(); ++o) marked[o] = marker.attributes(o);
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (marked[o]) function.ops[o].attributes = shared(*std::move(marked[o]));
    }
    if (std::any_of(function.ops.begin(), function.ops.end(), reads_copy)) function = CopyWriter(function).run();
  }
  return module;
}

}  // namespace foreflow::transform
