
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// A Slice with step 1 along one dimension.
struct SliceCut {
  int64_t axis, start, length;
};

// A list with one number, as an attribute or an operand.
std::optional<int64_t> single(const ir::OpCall& call, std::string_view name, size_t operand) {
  std::vector<int64_t> numbers;
  if (call.has(operand)) {
    if (call.known[operand] == nullptr) return std::nullopt;
    numbers = call.known[operand]->to_ints();
  } else if (call.attributes.find(name) != nullptr) {
    numbers = call.attributes.get_ints(name);
  }
  return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
}

std::optional<SliceCut> cut_of(const ir::OpCall& call, const ir::Type& result) {
  constexpr size_t kStarts = 1, kAxes = 3, kSteps = 4;
  if (call.def.name != "Slice" || !call.inputs[0].resolved() || !result.resolved()) return std::nullopt;
  const bool steps = call.has(kSteps) || call.attributes.find("steps") != nullptr;
  const auto start = single(call, "starts", kStarts), axis = single(call, "axes", kAxes);
  if (!start || !axis || (steps && single(call, "steps", kSteps) != 1)) return std::nullopt;
  const ir::Dims& dims = call.inputs[0].dims;
  const int64_t along  = *axis < 0 ? *axis + static_cast<int64_t>(dims.size()) : *axis;
  const int64_t dim    = nth(dims, along);
  return SliceCut{along, std::clamp<int64_t>(*start < 0 ? *start + dim : *start, 0, dim), nth(result.dims, along)};
}

// Per value and dimension: the Slices, by the index at which they begin.
using SliceParts = std::map<std::pair<ValueId, int64_t>, std::map<int64_t, std::vector<size_t>>>;

bool are_equal_parts(const std::map<int64_t, std::vector<size_t>>& starts,
                     const std::vector<std::optional<SliceCut>>& cuts, int64_t dim) {
  const auto count = static_cast<int64_t>(starts.size());
  if (count < 2 || dim % count != 0) return false;
  return std::all_of(starts.begin(), starts.end(), [&](const auto& entry) {
    return entry.first % (dim / count) == 0 && entry.second.size() == 1 && cuts[entry.second[0]]->length == dim / count;
  });
}

// Returns true if two Slices have one operand: all others need no closer look.
bool slices_twice(const ir::Function& function) {
  std::set<ValueId> sliced;
  for (const ir::Op& op : function.ops) {
    if (!op.is_call() && op.def->name == "Slice" && !sliced.insert(function.inputs(op)[0]).second) return true;
  }
  return false;
}

}  // namespace

std::optional<ir::Module> try_join_slices(const ir::Module& module, const ir::OpTable& ops) {
  const ir::Function& function = module.entry();
  if (!slices_twice(function)) return std::nullopt;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpretation.entry().values;
  std::vector<std::optional<SliceCut>> cuts(function.ops.size());
  SliceParts parts;
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    if (op.is_call() || values[op.first_result].known) continue;
    cuts[o] = cut_of(OpTypes(function, op, values).call(), values[op.first_result].type);
    if (cuts[o]) parts[{function.inputs(op)[0], cuts[o]->axis}][cuts[o]->start].push_back(o);
  }
  std::map<size_t, const std::map<int64_t, std::vector<size_t>>*> joined;  // by op
  for (const auto& [where, starts] : parts) {
    if (!are_equal_parts(starts, cuts, nth(values[ir::index(where.first)].type.dims, where.second))) continue;
    for (const auto& [start, members] : starts) joined[members[0]] = &starts;
  }
  if (joined.empty()) return std::nullopt;
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    const auto group = joined.find(o);
    if (group == joined.end()) {
      copy_op(builder, function, op, map);
    } else if (!map.has(function.output(op, 0))) {
      const auto count   = static_cast<int64_t>(group->second->size());
      const auto results = builder.emit("Split", {map(function.inputs(op)[0])},
                                        {{"axis", cuts[o]->axis}, {"num_outputs", count}}, group->second->size());
      size_t i           = 0;
      for (const auto& [start, members] : *group->second) {
        const ValueId part = function.output(function.ops[members[0]], 0);
        builder.set_name(results[i], function.value(part).name);
        map.set(part, results[i++]);
      }
    }
  }
  ir::Module result       = module;
  result.functions.back() = builder.finish(copies(function.results, map));
  ir::verify(result);
  return result;
}

ir::Module join_slices(const ir::Module& module, const ir::OpTable& ops) {
  auto joined = try_join_slices(module, ops);
  if (!joined) return module;
  return std::move(*joined);
}

namespace definitions::join_slices {
PassDef row() {
  return {"join_slices",
          "make one Split of the Slices that cut a value into equal parts, such as a fused q|k|v projection",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::join_slices(module, ops);
          }};
}
}  // namespace definitions::join_slices

}  // namespace foreflow::transform
