#include "gradient_parts.h"

#include <algorithm>

#include "trained_weights.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// `next` does on a later device what `o` does.
bool follows_in_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o, size_t next) {
  const ir::Op &op = function.ops[o], &after = function.ops[next];
  if (op.def != after.def || op.callee != after.callee || op.result_count == 0 || after.result_count == 0) return false;
  return ir::device_of(values[op.first_result].value.type) < ir::device_of(values[after.first_result].value.type);
}

class Finder {
 public:
  Finder(const ir::Module& module, const LayoutInterpretation& layouts, std::map<size_t, CallCuts>& cuts)
      : module_(module),
        entry_(module.entry()),
        layouts_(layouts),
        uses_(count_uses(entry_)),
        makers_(makers_by_value(entry_)),
        cuts_(cuts) {}

  // From the last microbatch to the first.
  void find(size_t weight, ValueId gradient, bool each_microbatch, std::vector<GradientPart>& parts) {
    std::vector<GradientPart> found;
    for (ValueId sum = gradient; sum != ValueId::none;) {
      const size_t o       = makers_[ir::index(sum)];
      const ValueId before = each_microbatch ? take_apart(o, sum) : ValueId::none;
      found.push_back({weight, sum, entry_.ops[o].is_call() ? o : kNoCall, place_of(o, sum), false, found.empty()});
      sum = before;
    }
    for (GradientPart& part : found) {
      part.adds = found.size() > 1;
      parts.push_back(part);
    }
  }

 private:
  const ir::Function& callee(size_t o) const { return module_.functions[static_cast<size_t>(entry_.ops[o].callee)]; }
  const interpret::Values<LaidOut>& values_in(size_t o) const {
    return layouts_.instances[static_cast<size_t>(layouts_.entry().callee[o])].values;
  }
  ValueId inside(size_t o, ValueId result) const {
    return callee(o).results[ir::index(result) - entry_.ops[o].first_result];
  }

  // Where a call adds its part to a sum so far that it is given, it no longer does, and that sum is returned.
  ValueId take_apart(size_t o, ValueId sum) {
    if (!entry_.ops[o].is_call()) return ValueId::none;
    const ir::Function& function      = callee(o);
    const ValueId total               = inside(o, sum);
    const std::vector<size_t>& makers = makers_in(entry_.ops[o].callee);
    const size_t add                  = makers[ir::index(total)];
    if (add == SIZE_MAX || function.ops[add].is_call() || function.ops[add].def->name != "Add") return ValueId::none;
    const auto terms = function.inputs(function.ops[add]);
    if (ir::index(terms[0]) >= function.parameters.size() || makers[ir::index(terms[1])] == SIZE_MAX ||
        uses_in_.at(entry_.ops[o].callee)[ir::index(terms[0])] != 1)
      return ValueId::none;
    const ValueId so_far = entry_.inputs(entry_.ops[o])[ir::index(terms[0])];
    if (so_far == ValueId::none || makers_[ir::index(so_far)] == SIZE_MAX || uses_[ir::index(so_far)] != 1 ||
        !layouts_.entry().values[ir::index(so_far)].layout.is_partial())
      return ValueId::none;
    cuts_[o].left_out[add] = terms[1];
    return so_far;
  }

  Position place_of(size_t o, ValueId value) {
    if (!entry_.ops[o].is_call()) return {end_of_group(entry_, layouts_.entry().values, o) + 1, 0};
    const ir::Function& function      = callee(o);
    ValueId id                        = inside(o, value);
    const std::vector<size_t>& makers = makers_in(entry_.ops[o].callee);
    size_t maker                      = makers[ir::index(id)];
    if (maker == SIZE_MAX) return {o + 1, 0};
    if (const auto found = cuts_.find(o); found != cuts_.end() && found->second.left_out.contains(maker))
      maker = makers[ir::index(found->second.left_out.at(maker))];
    const size_t next = end_of_group(function, values_in(o), maker) + 1;
    return next < function.ops.size() ? Position{o, next} : Position{o + 1, 0};
  }

  const std::vector<size_t>& makers_in(int32_t function) {
    const auto [found, fresh] = makers_in_.try_emplace(function);
    if (fresh) {
      found->second      = makers_by_value(module_.functions[static_cast<size_t>(function)]);
      uses_in_[function] = count_uses(module_.functions[static_cast<size_t>(function)]);
    }
    return found->second;
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  const LayoutInterpretation& layouts_;
  const std::vector<int> uses_;
  const std::vector<size_t> makers_;
  std::map<int32_t, std::vector<size_t>> makers_in_;
  std::map<int32_t, std::vector<int>> uses_in_;
  std::map<size_t, CallCuts>& cuts_;
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
                                         const std::vector<TrainedWeight>& weights, bool each_microbatch,
                                         std::map<size_t, CallCuts>& cuts) {
  Finder finder(module, layouts, cuts);
  std::vector<GradientPart> parts;
  for (size_t i = 0; i < weights.size(); ++i) finder.find(i, weights[i].gradient, each_microbatch, parts);
  // Where nothing else follows in a call, the part is there behind it.
  for (GradientPart& part : parts) {
    const auto found = cuts.find(part.at.op);
    if (found == cuts.end()) continue;
    const size_t end = module.functions[static_cast<size_t>(module.entry().ops[part.at.op].callee)].ops.size();
    while (part.at.inner > 0 && part.at.inner < end && found->second.left_out.contains(part.at.inner)) ++part.at.inner;
    if (part.at.inner == end) part.at = {part.at.op + 1, 0};
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return parts;
}

}  // namespace foreflow::transform
