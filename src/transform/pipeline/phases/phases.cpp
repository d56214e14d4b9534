#include "transform/pipeline/phases/phases.h"

#include <algorithm>
#include <map>

#include "foreflow/base/refusal.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/split_data.h"
#include "transform/pipeline/phases/late_sums.h"

namespace foreflow::transform {
namespace {

// Returns true if one of the operands is a parameter. A value that depends on no parameter is constant.
bool reads_parameter(const ir::Function& function, const ir::Op& op) {
  const auto inputs = function.inputs(op);
  return std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
    return id != ir::ValueId::none && ir::index(id) < function.parameters.size();
  });
}

// Sums over microbatches are added to each other, and sent, once, when they are complete: the two gradients of an
// embedding that is also the output layer, and those of ranks that share a sequence or a batch.
bool adds_sums(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values) {
  const auto inputs = function.inputs(op);
  const bool adds   = op.def->role == ir::Role::compute || op.def->role == ir::Role::communication;
  return op.def->additive && adds && (inputs.size() > 1 || op.def->reshards) &&
         std::all_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
           return id != ir::ValueId::none && values[ir::index(id)].layout.is_partial();
         });
}

// `after` is the next forward op.
bool within_group(const ir::Op& op, const ir::Op& after, const interpret::Values<LaidOut>& values) {
  if (op.def != after.def || op.result_count == 0 || after.result_count == 0) return false;
  return ir::device_of(values[op.first_result].value.type) < ir::device_of(values[after.first_result].value.type);
}

// Per forward op: whether it lies inside a recomputed segment, that is, whether a segment begins at or before it and
// ends after it. One stage must run such a segment as a whole, together with other ops between those of the segment.
std::vector<bool> before_end_of_segment(const ir::Function& function, const std::vector<StagePhase>& phases) {
  std::map<int64_t, size_t> last;
  const auto visit = [&](const auto& f) {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Attributes& attributes = *function.ops[o].attributes;
      if (phases[o] == StagePhase::forward)
        f(o, attributes.find(kSegment) != nullptr ? attributes.get_int(kSegment) : 0);
    }
  };
  visit([&](size_t o, int64_t segment) { last[segment] = o; });
  std::vector<bool> before(function.ops.size());
  size_t end = 0;
  visit([&](size_t o, int64_t segment) {
    if (segment > 0) end = std::max(end, last[segment]);
    before[o] = o < end;
  });
  return before;
}

}  // namespace

std::vector<int32_t> ends_of_groups(const ir::Function& function, const std::vector<StagePhase>& phases,
                                    const interpret::Values<LaidOut>& values) {
  const std::vector<bool> inside = before_end_of_segment(function, phases);
  std::vector<int32_t> ends(function.ops.size());
  size_t next = ends.size();
  for (size_t o = ends.size(); o-- > 0;) {
    ends[o] = static_cast<int32_t>(o);
    if (phases[o] != StagePhase::forward) continue;
    const bool torn = next < ends.size() && (inside[o] || within_group(function.ops[o], function.ops[next], values));
    if (torn) ends[o] = ends[next];
    next = o;
  }
  return ends;
}

std::vector<StagePhase> phases_of(const ir::Module& module, const ir::Function& function,
                                  const interpret::Values<LaidOut>& values) {
  std::vector<StagePhase> phases, made(function.values.size(), StagePhase::anywhere);
  phases.reserve(function.ops.size());
  const std::vector<bool> complete = takes_complete_sums(module, values);
  bool loss_seen = false;  // after it, what reads only forward values (a Transpose for a gradient) is backward work
  for (const ir::Op& op : function.ops) {
    if (op.is_call())
      throw RefusalError(Cause::program, ir::describe(module, function, op),
                         "pipeline works on a program without calls");
    StagePhase phase = op.def->role == ir::Role::optimizer       ? StagePhase::update
                       : op.def->role == ir::Role::loss_gradient ? StagePhase::backward
                       : reads_parameter(function, op)           ? StagePhase::forward
                                                                 : StagePhase::anywhere;
    loss_seen        = loss_seen || op.def->role == ir::Role::loss_gradient;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none) phase = std::max(phase, made[ir::index(id)]);
    }
    if (loss_seen && phase == StagePhase::forward) phase = StagePhase::backward;
    if (op.attributes->find(kRecompute) != nullptr) phase = std::max(phase, StagePhase::backward);
    const bool once =
        phase == StagePhase::backward && (op.attributes->find(kOfSum) != nullptr || complete[phases.size()]);
    if (once || adds_sums(function, op, values)) phase = StagePhase::update;
    for (uint32_t i = 0; i < op.result_count; ++i) made[op.first_result + i] = phase;
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace foreflow::transform
