#include "transform/replica/gradient_parts.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Returns true if `next` is the copy of op `o` on a later device.
bool follows_in_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o, size_t next) {
  const ir::Op &op = function.ops[o], &after = function.ops[next];
  if (op.def != after.def || op.callee != after.callee || op.result_count == 0 || after.result_count == 0) return false;
  return ir::device_of(values[op.first_result].value.type) < ir::device_of(values[after.first_result].value.type);
}

class GradientPartFinder {
 public:
  GradientPartFinder(const ir::Module& module, const LayoutInterpretation& layouts, int ways)
      : ways_(ways),
        module_(module),
        entry_(module.entry()),
        layouts_(layouts),
        uses_(ir::uses_of(entry_)),
        makers_(ir::makers_of(entry_)) {}

  // Follows the running sum back from the last microbatch to the first.
  void find(size_t weight, ValueId gradient, bool each_microbatch, std::vector<GradientPart>& parts) {
    std::vector<GradientPart> found;
    for (ValueId sum = gradient; sum != ValueId::none;) {
      GradientPart part{weight, sum, kNoOp, ValueId::none, kNoOp, {}, false, found.empty()};
      const auto o = static_cast<size_t>(makers_[ir::index(sum)]);
      sum          = ValueId::none;
      // A gradient that other ops read, too, is not taken apart. Such an op may be a Send to a device with a copy of
      // the weight.
      if (entry_.ops[o].is_call() && uses_[ir::index(part.value)] == 1) {
        part.call   = o;
        part.inside = callee(o).results[ir::index(part.value) - entry_.ops[o].first_result];
        if (each_microbatch) sum = take_apart(part);
      }
      part.at = place_of(part, o);
      found.push_back(part);
    }
    for (GradientPart& part : found) {
      part.adds = found.size() > 1;
      parts.push_back(part);
    }
  }

 private:
  const ir::Function& callee(size_t o) const { return nth(module_.functions, entry_.ops[o].callee); }
  const interpret::Values<LaidOut>& values_in(size_t o) const {
    return nth(layouts_.instances, layouts_.entry().callee[o]).values;
  }

  // If the call adds its term to a running sum that it gets as an argument, makes `part` that term and returns the
  // argument. Otherwise returns none.
  ValueId take_apart(GradientPart& part) {
    const ir::Function& function = callee(part.call);
    const Callee& values         = values_of_callee(part.call);
    const int32_t add            = values.makers[ir::index(part.inside)];
    if (add < 0) return ValueId::none;
    const ir::Op& op = nth(function.ops, add);
    if (op.is_call() || !op.def->sums_operands || op.operand_count != 2) return ValueId::none;
    const auto terms = function.inputs(op);
    if (ir::index(terms[0]) >= function.parameters.size() || values.makers[ir::index(terms[1])] < 0 ||
        values.uses[ir::index(terms[0])] != 1)
      return ValueId::none;
    const ValueId so_far = entry_.inputs(entry_.ops[part.call])[ir::index(terms[0])];
    if (so_far == ValueId::none || makers_[ir::index(so_far)] < 0 || uses_[ir::index(so_far)] != 1 ||
        (ways_ > 1 && !layouts_.entry().values[ir::index(so_far)].layout.is_partial()))
      return ValueId::none;
    part.add    = static_cast<size_t>(add);
    part.inside = terms[1];
    return so_far;
  }

  Position place_of(const GradientPart& part, size_t o) {
    if (part.call == kNoOp) return {end_of_group(entry_, layouts_.entry().values, o) + 1, 0};
    const int32_t maker = values_of_callee(o).makers[ir::index(part.inside)];
    if (maker < 0) return {o, callee(o).ops.size()};
    return {o, end_of_group(callee(o), values_in(o), static_cast<size_t>(maker)) + 1};
  }

  struct Callee {
    std::vector<int32_t> makers, uses;  // per value
  };

  const Callee& values_of_callee(size_t call) {
    const auto [found, fresh] = callees_.try_emplace(entry_.ops[call].callee);
    if (fresh) found->second = {ir::makers_of(callee(call)), ir::uses_of(callee(call))};
    return found->second;
  }

  const int ways_;  // the number of replicas
  const ir::Module& module_;
  const ir::Function& entry_;
  const LayoutInterpretation& layouts_;
  const std::vector<int32_t> uses_;
  const std::vector<int32_t> makers_;
  std::map<int32_t, Callee> callees_;  // by function
};

}  // namespace

size_t end_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o) {
  while (o + 1 < function.ops.size() && follows_in_group(function, values, o, o + 1)) ++o;
  return o;
}

size_t begin_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o) {
  while (o > 0 && follows_in_group(function, values, o - 1, o)) --o;
  return o;
}

std::vector<GradientPart> gradient_parts(const ir::Module& module, const LayoutInterpretation& layouts,
                                         const std::vector<TrainedWeight>& weights, int ways, bool each_microbatch) {
  GradientPartFinder finder(module, layouts, ways);
  std::vector<GradientPart> parts;
  for (size_t i = 0; i < weights.size(); ++i) finder.find(i, weights[i].gradient, each_microbatch, parts);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return parts;
}

}  // namespace foreflow::transform
