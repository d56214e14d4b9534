#include "transform/tensor/weight_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "transform/autodiff/trained.h"
#include "transform/tensor/transformer.h"

namespace foreflow::transform {
namespace {

constexpr int64_t kMostDims = 8;

[[noreturn]] void refuse_unmatched(const TensorPlan& plan, const WeightSplit& split, std::vector<std::string> names) {
  constexpr size_t kShown = 3;
  std::vector<std::string> shown;
  while (!names.empty() && shown.size() < kShown) {
    shown.push_back(nearest(split.pattern, names));
    names.erase(std::find(names.begin(), names.end(), shown.back()));
  }
  throw RefusalError(
      Cause::plan, plan.where,
      "\"" + split.pattern + "\" matches no weight" +
          (shown.empty() ? "" : (shown.size() == 1 ? "; the nearest is " : "; the nearest are ") + list_or(shown)));
}

void check_split(const TensorPlan& plan, const WeightSplit& split, const std::string& name, const ir::Type& type,
                 int ways) {
  const auto dim         = static_cast<size_t>(split.dim);
  const std::string what = "%" + name + " is " + ir::to_string(type.dims);
  if (dim >= type.dims.size()) {
    throw RefusalError(Cause::plan, plan.where,
                       "\"" + split.pattern + "\" splits dimension " + std::to_string(dim) + ", but " + what);
  }
  if (type.dims[dim] % ways != 0) {
    throw RefusalError(Cause::plan, plan.where,
                       "\"" + split.pattern + "\" splits dimension " + std::to_string(dim) + " over " +
                           std::to_string(ways) + " devices, which does not divide it: " + what);
  }
}

SplitDims by_patterns(const ir::Function& function, const interpret::Values<interpret::Mixed>& values,
                      const TensorPlan& plan, int ways) {
  SplitDims dims(function.parameters.size());
  const std::vector<bool> weights = model_weights(function);
  for (const WeightSplit& split : plan.splits) {
    std::vector<std::string> names;
    bool found = false;
    for (size_t i = 0; i < dims.size(); ++i) {
      const std::string& name = function.values[i].name;
      if (!weights[i]) continue;
      names.push_back(name);
      if (!matches(split.pattern, name)) continue;
      found = true;
      if (dims[i]) continue;
      check_split(plan, split, name, values[i].type, ways);
      dims[i] = split.dim;
    }
    if (!found) refuse_unmatched(plan, split, std::move(names));
  }
  return dims;
}

// Per parameter: how many ops of the forward pass read it.
std::vector<size_t> forward_readers(const ir::Function& function) {
  std::vector<size_t> count(function.parameters.size());
  for (const ir::Op& op : function.ops) {
    if (!op.is_call() && op.def->role == ir::Role::loss_gradient) break;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none && ir::index(id) < count.size()) ++count[ir::index(id)];
    }
  }
  return count;
}

// The biases of `columns` that nothing else reads. Exporters write equal constants once, and one vector of zeros may
// then stand for the biases of products by columns and by rows and of norms. Such a vector stays whole, and is cut
// where a product by columns adds it.
std::set<size_t> own_biases(const ir::Function& function, const std::vector<Linear>& columns) {
  std::map<size_t, size_t> uses;
  for (const Linear& linear : columns) {
    if (linear.bias) ++uses[*linear.bias];
  }
  const std::vector<size_t> readers = forward_readers(function);
  std::set<size_t> biases;
  for (const auto& [bias, count] : uses) {
    if (readers[bias] <= count) biases.insert(bias);
  }
  return biases;
}

SplitDims by_blocks(const std::string& where, const ir::Function& function,
                    const interpret::Values<interpret::Mixed>& values, const Sharding& sharding, int ways) {
  const Transformer transformer = recognise(function, values);
  if (transformer.blocks.empty()) {
    throw RefusalError(
        Cause::program, where,
        "has no attention or MLP block that the plan megatron recognises; use auto, or a file of name patterns");
  }
  SplitDims dims(function.parameters.size());
  const auto split = [&](size_t parameter, int32_t dim) {
    const ir::Type& type = values[parameter].type;
    if (nth(type.dims, dim) % ways != 0) {
      throw RefusalError(Cause::program, where,
                         "the plan megatron splits dimension " + std::to_string(dim) + " of %" +
                             function.values[parameter].name + ", " + ir::to_string(type.dims) + ", which " +
                             std::to_string(ways) + " devices do not divide");
    }
    if (!dims[parameter]) dims[parameter] = dim;
  };
  std::vector<Linear> columns;
  // Heads of a cache that are fewer than the devices stay whole, with what makes them.
  const auto add_columns = [&](const std::vector<Linear>& linears) {
    std::copy_if(linears.begin(), linears.end(), std::back_inserter(columns),
                 [&](const Linear& linear) { return linear.cache_heads == 0 || linear.cache_heads >= ways; });
  };
  add_columns(transformer.kept);
  for (const TransformerBlock& block : transformer.blocks) {
    add_columns(block.columns);
    for (const Linear& linear : block.rows) split(linear.weight, linear.in_dim);
  }
  for (const Linear& head : transformer.heads) {
    const bool tied = transformer.embeddings.contains(head.weight);
    if (sharding.vocabulary && !transformer.embeddings.empty() && !tied) columns.push_back(head);
  }
  const std::set<size_t> biases = own_biases(function, columns);
  for (const Linear& linear : columns) {
    split(linear.weight, linear.out_dim);
    if (linear.bias && biases.contains(*linear.bias)) split(*linear.bias, 0);
  }
  return dims;
}

}  // namespace

std::vector<bool> model_weights(const ir::Function& function) {
  std::vector<bool> used(function.parameters.size());
  for (const ir::Op& op : function.ops) {
    if (!op.is_call() && op.def->role == ir::Role::optimizer) continue;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none && ir::index(id) < used.size()) used[ir::index(id)] = true;
    }
  }
  for (size_t i = 0; i < used.size(); ++i) used[i] = used[i] && function.parameters[i] == ir::ParameterRole::weight;
  return used;
}

SplitDims weight_splits(const ir::Module& module, const ir::Function& function,
                        const interpret::Values<interpret::Mixed>& values, const Sharding& sharding, int ways) {
  const TensorPlan& plan = sharding.plan;
  if (ways > 1 && plan.kind == TensorPlan::Kind::patterns) return by_patterns(function, values, plan, ways);
  if (ways > 1 && plan.kind == TensorPlan::Kind::megatron)
    return by_blocks(module.source + ": @" + function.name, function, values, sharding, ways);
  return SplitDims(function.parameters.size());
}

TensorPlan read_tensor_plan(const JsonView& patterns) {
  TensorPlan plan{TensorPlan::Kind::patterns, {}, patterns.where()};
  for (const auto& [pattern, dim] : patterns.members()) {
    const int64_t* number = dim.json().if_int();
    if (number == nullptr || *number < 0 || *number >= kMostDims) {
      dim.fail("is " + dim.json().dump_compact() + "; write the dimension that is split, such as 0 or 1");
    }
    plan.splits.push_back({pattern, static_cast<int>(*number)});
  }
  if (plan.splits.empty()) patterns.fail("names no weight; write an object such as {\"h.*.attn.weight\": 1}");
  return plan;
}

TensorPlan find_tensor_plan(const std::string& word) {
  if (word == "auto") return {};
  if (word == "megatron") return {TensorPlan::Kind::megatron, {}, {}};
  const Json json = parse_json(read_file(word), word);
  return read_tensor_plan(JsonView(json, word));
}

}  // namespace foreflow::transform
