#include "transform/tensor/linears.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/transform/layout.h"
#include "transform/rewrite/elementwise.h"
#include "transform/rewrite/factor_text.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The dimensions `in` and `out` of a weight of experts, w[e,in,out], in a product with x[e,..,in].
struct InOut {
  int32_t in, out;
};
std::optional<InOut> dims_of_experts(const ir::OpCall& call, size_t operand) {
  const FactorText text = parse_factors(call.def.factors(call).text);
  if (text.outputs.empty() || text.inputs.size() < 2) return std::nullopt;
  const std::string &weight = text.inputs[operand], &other = text.inputs[1 - operand], &product = text.outputs[0];
  InOut dims{-1, -1};
  for (size_t d = 1; d < weight.size(); ++d) {
    const bool summed = other.find(weight[d]) != std::string::npos, kept = product.find(weight[d]) != std::string::npos;
    if (summed && !kept) dims.in = static_cast<int32_t>(d);
    if (kept && !summed) dims.out = static_cast<int32_t>(d);
  }
  const bool each = other.find(weight[0]) != std::string::npos && product.find(weight[0]) != std::string::npos;
  return each && dims.in > 0 && dims.out > 0 ? std::optional(dims) : std::nullopt;
}

}  // namespace

LinearGraph::LinearGraph(const ir::Function& function, const interpret::Values<interpret::Mixed>& values)
    : function_(function), values_(values), maker_(function.values.size(), -1), readers_(function.values.size()) {
  const auto end = std::find_if(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
    return !op.is_call() && op.def->role == ir::Role::loss_gradient;
  });
  forward_ops_   = static_cast<size_t>(end - function.ops.begin());
  passes_.resize(forward_ops_);
  contracts_.resize(forward_ops_);
  linear_of_.assign(forward_ops_, -1);
  for (size_t o = 0; o < forward_ops_; ++o) {
    const ir::Op& op = function.ops[o];
    for (uint32_t i = 0; i < op.result_count; ++i) maker_[op.first_result + i] = static_cast<int64_t>(o);
    for (const ValueId id : function.inputs(op)) {
      if (id != ValueId::none) readers_[ir::index(id)].push_back(o);
    }
  }
  for (size_t o = 0; o < forward_ops_; ++o) classify(o);
  for (Linear& linear : linears_) find_bias(linear);
}

void LinearGraph::classify(size_t o) {
  const ir::Op& op = function_.ops[o];
  const OpTypes types(function_, op, values_);
  const ir::OpCall call = types.call();
  passes_[o]            = op.def->role == ir::Role::view || op.def->within_heads || is_elementwise(call);
  contracts_[o]         = call.def.role == ir::Role::compute && call.inputs.size() >= 2 &&
                  is_contraction(parse_factors(call.def.factors(call).text));
  if (!contracts_[o]) return;
  const auto inputs = function_.inputs(op);
  for (const size_t i : {1, 0}) {
    const auto weight = inputs[i] == ValueId::none ? std::nullopt : stored(inputs[i]);
    if (weight && is_of_experts(weight->parameter)) {
      const std::optional<InOut> dims = dims_of_experts(call, i);
      if (dims) return add({o, weight->parameter, dims->in, dims->out, inputs[1 - i], {}});
    }
    if (!weight || !is_matrix(weight->parameter, i)) continue;
    const std::optional<Layout> column = starts_split(call, i, 1, 1);
    if (!column) continue;
    const int32_t out = weight->transposed ? 1 - column->dim : column->dim;
    return add({o, weight->parameter, 1 - out, out, inputs[1 - i], {}});
  }
}

void LinearGraph::add(Linear linear) {
  linear_of_[linear.op] = static_cast<int64_t>(linears_.size());
  contracts_[linear.op] = false;
  linears_.push_back(linear);
}

bool LinearGraph::is_of_experts(size_t parameter) const {
  const ir::Type& type = values_[parameter].type;
  return function_.parameters[parameter] == ir::ParameterRole::weight && type.is_tensor() && ir::is_float(type.dtype) &&
         type.dims.size() == 3;
}

// Exporters may hand weights over as data: the second operand of a product then is one.
bool LinearGraph::is_matrix(size_t parameter, size_t operand) const {
  const ir::Type& type = values_[parameter].type;
  const bool weight    = function_.parameters[parameter] == ir::ParameterRole::weight || operand == 1;
  return weight && type.is_tensor() && ir::is_float(type.dtype) && type.dims.size() == 2;
}

std::optional<size_t> LinearGraph::maker(ValueId value) const {
  const int64_t op = maker_[ir::index(value)];
  return op < 0 ? std::nullopt : std::optional(static_cast<size_t>(op));
}

std::optional<LinearGraph::Stored> LinearGraph::stored(ValueId value) const {
  bool transposed = false;
  for (;;) {
    if (ir::index(value) < function_.parameters.size()) return Stored{ir::index(value), transposed};
    const auto op = maker(value);
    if (!op) return std::nullopt;
    const ir::Copy copy = function_.ops[*op].def->copy;
    if (copy == ir::Copy::none || copy == ir::Copy::ones_moved) return std::nullopt;
    if (copy == ir::Copy::permuted) {
      if (values_[ir::index(value)].type.dims.size() != 2) return std::nullopt;
      const auto* perm = function_.ops[*op].attributes->find("perm");
      transposed       = transposed != (perm == nullptr || function_.ops[*op].attributes->get_ints("perm")[0] == 1);
    }
    value = function_.inputs(function_.ops[*op])[0];
  }
}

// The product's own third operand, or a vector that an op adds to the product, of as many numbers as the weight has
// outputs.
void LinearGraph::find_bias(Linear& linear) const {
  const int64_t outputs = nth(values_[linear.weight].type.dims, linear.out_dim);
  const auto vector     = [&](ValueId id) -> std::optional<size_t> {
    const auto from = id == ValueId::none ? std::nullopt : stored(id);
    if (!from || values_[from->parameter].type.dims != ir::Dims{outputs}) return std::nullopt;
    return from->parameter;
  };
  const ir::Op& product = function_.ops[linear.op];
  if (product.operand_count > 2) linear.bias = vector(function_.inputs(product)[2]);
  ValueId value = function_.output(product, 0);
  while (!linear.bias && readers(value).size() == 1) {
    const ir::Op& op = function_.ops[readers(value)[0]];
    if (op.def->role == ir::Role::view && op.result_count == 1) {
      value = function_.output(op, 0);
      continue;
    }
    if (!op.def->adds_bias) return;
    for (const ValueId id : function_.inputs(op)) {
      if (id != value && !linear.bias) linear.bias = vector(id);
    }
    return;
  }
}

int64_t LinearGraph::heads_of_cache(ValueId cache) const {
  constexpr size_t kRank = 4;
  const ir::Type& type   = values_[ir::index(cache)].type;
  return type.is_tensor() && type.dims.size() == kRank ? type.dims[1] : 0;
}

Sources LinearGraph::sources(ValueId value) const {
  Sources found;
  std::set<size_t> seen;
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (!seen.insert(ir::index(id)).second) continue;
    const auto o = maker(id);
    if (!o) {
      const bool weight = function_.parameters[ir::index(id)] == ir::ParameterRole::weight;
      found.reads_data  = found.reads_data || !weight;
      continue;
    }
    if (linear_of_[*o] >= 0) {
      found.linears.insert(static_cast<size_t>(linear_of_[*o]));
      continue;
    }
    const ir::Op& op = function_.ops[*o];
    if (values_[ir::index(id)].known || op.def->role == ir::Role::constant || op.def->role == ir::Role::shape) continue;
    if (ir::writes_rows(op)) {
      found.reads_data  = true;
      found.cache_heads = heads_of_cache(id);
      open.push_back(function_.inputs(op)[1]);
      continue;
    }
    if (!passes_[*o]) {
      found.others.insert(*o);
      continue;
    }
    const bool plain = op.def->role == ir::Role::view || op.def->additive || op.def->copy == ir::Copy::converted;
    found.activates  = found.activates || !plain;
    for (const ValueId input : function_.inputs(op)) {
      if (input != ValueId::none && values_[ir::index(input)].type.is_tensor()) open.push_back(input);
    }
  }
  return found;
}

}  // namespace foreflow::transform
