#include "transform/recompute/fp8_repeats.h"

#include <set>
#include <string>

#include "foreflow/ir/fp8.h"

namespace foreflow::transform {

using ir::ValueId;

std::map<size_t, ir::Attributes> converting_again(const ir::Function& function, const std::vector<size_t>& repeated) {
  const auto is_cast = [&](size_t o) { return function.ops[o].operand_count == 1; };
  std::set<ValueId> converted;
  std::vector<size_t> marked;
  for (const size_t o : repeated) {
    const ir::Op& op = function.ops[o];
    if (op.attributes->find(ir::kFp8) == nullptr) continue;
    marked.push_back(o);
    if (op.attributes->get_int(ir::kFp8) >= 0) converted.insert(function.inputs(op)[0]);
  }
  std::map<size_t, ir::Attributes> changed;
  for (const size_t o : marked) {
    const ir::Op& op = function.ops[o];
    if (is_cast(o) || !converted.insert(function.inputs(op)[0]).second) continue;
    changed.emplace(o, *op.attributes).first->second.set(std::string(ir::kFp8), int64_t{0});
  }
  for (const size_t o : marked) {
    const ir::Op& op = function.ops[o];
    if (!is_cast(o) || converted.contains(function.inputs(op)[0])) continue;
    changed.emplace(o, *op.attributes).first->second.erase(ir::kFp8);
  }
  return changed;
}

}  // namespace foreflow::transform
