#include "transform/pipeline/model/working_sets.h"

#include <algorithm>
#include <map>

#include "foreflow/ir/views.h"
#include "foreflow/transform/recompute.h"

namespace foreflow::transform {
namespace {

int64_t recomputed_in(const ir::Op& op) {
  return op.attributes->find(kRecompute) != nullptr ? op.attributes->get_int(kRecompute) : 0;
}

class SetFinder {
 public:
  SetFinder(const ir::Function& function, const std::set<size_t>& in_parts, const StoredValues& values)
      : function_(function), in_parts_(in_parts), values_(values) {}

  // Two operands may be the same value, and a result may reuse the memory of an operand.
  WorkingSet of_op(int32_t anchor, const ir::Op& op) const {
    std::set<size_t> operands, results;
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id != ir::ValueId::none) operands.insert(values_.root_of(ir::index(id)));
    }
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value)
      results.insert(values_.root_of(value));
    const auto larger = [&](bool parts) {
      return std::max(sum(operands, parts, values_.bytes_on_one), sum(results, parts, values_.bytes_on_one));
    };
    return {anchor, larger(false), larger(true)};
  }

  WorkingSet of_segment(int32_t anchor, const std::set<size_t>& read) const {
    return {anchor, sum(read, false, values_.bytes_of), sum(read, true, values_.bytes_of)};
  }

 private:
  Bytes sum(const std::set<size_t>& all, bool parts, const std::function<Bytes(size_t value)>& bytes) const {
    Bytes sum;
    for (const size_t value : all) {
      const bool is_part = parts && in_parts_.contains(values_.source_of(value));
      if (values_.is_stored(value) && !is_part) sum += bytes(value);
    }
    return sum;
  }

  const ir::Function& function_;
  const std::set<size_t>& in_parts_;
  const StoredValues& values_;
};

}  // namespace

std::set<size_t> values_in_parts(const ir::Function& function, const std::function<size_t(size_t value)>& source_of) {
  std::set<size_t> values;
  for (const ir::Op& op : function.ops) {
    if (op.is_call()) continue;
    const bool gathers = op.def->communication == ir::Communication::all_gather;
    for (size_t i = 0; gathers && i < op.result_count; ++i) values.insert(op.first_result + i);
    if (!ir::sums_over_devices(*op.def)) continue;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none) values.insert(source_of(ir::index(id)));
    }
  }
  return values;
}

std::vector<WorkingSet> working_sets(const ir::Function& function, const std::vector<StagePhase>& phases,
                                     const std::vector<int32_t>& anchors, const std::set<size_t>& in_parts,
                                     const StoredValues& values) {
  const SetFinder find(function, in_parts, values);
  std::vector<WorkingSet> sets;
  // The values of a recomputed segment that ops after it read are there together when it ends.
  std::map<int64_t, std::pair<int32_t, std::set<size_t>>> segments;
  std::vector<int64_t> made_in(function.values.size());
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    if (phases[o] != StagePhase::backward || op.def->role == ir::Role::communication) continue;
    sets.push_back(find.of_op(anchors[o], op));
    const int64_t own = recomputed_in(op);
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value)
      made_in[value] = ir::shares_operand(op) ? 0 : own;
    for (const ir::ValueId id : function.inputs(op)) {
      const int64_t from = id == ir::ValueId::none ? 0 : made_in[ir::index(id)];
      if (from == 0 || from == own || !values.is_stored(ir::index(id))) continue;
      segments[from].first = anchors[o];
      segments[from].second.insert(ir::index(id));
    }
  }
  for (const auto& [number, segment] : segments) sets.push_back(find.of_segment(segment.first, segment.second));
  return sets;
}

}  // namespace foreflow::transform
