#include "stage_function.h"

#include <map>

#include "copy.h"

namespace foreflow::transform {
namespace {

class Outliner {
 public:
  Outliner(const ir::Function& function, const std::vector<StagedOp>& staged, const interpret::Values<LaidOut>& values,
           StagePhase phase, int stage, int microbatches, const std::vector<bool>& summed, Sums sums,
           const ir::OpTable& ops)
      : function_(function),
        staged_(staged),
        values_(values),
        phase_(phase),
        stage_(stage),
        microbatches_(microbatches),
        summed_(summed),
        sums_(sums),
        builder_("stage" + std::to_string(stage + 1) + (phase == StagePhase::forward ? "_forward" : "_backward") +
                     (sums == Sums::add ? "_add" : ""),
                 ops),
        map_(function.values.size()),
        maker_(function.values.size(), -1) {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      for (uint32_t i = 0; i < function.ops[o].result_count; ++i)
        maker_[function.ops[o].first_result + i] = static_cast<int32_t>(o);
    }
  }

  Outlined run() {
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (!inside(o)) continue;
      need_operands(function_.ops[o]);
      for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) {
        if (summed_[function_.ops[o].first_result + i]) outlined_.sums.push_back(function_.output(function_.ops[o], i));
      }
    }
    for (const ir::ValueId id : outlined_.parameters) {
      map_.set(id, builder_.parameter(function_.value(id).name, role(id), ir::TypeRef()));
    }
    for (const ir::ValueId id : outlined_.sums) {
      if (sums_ == Sums::add)
        so_far_[id] = builder_.parameter(function_.value(id).name, ir::ParameterRole::data, ir::TypeRef());
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (inside(o)) write(function_.ops[o]);
    }
    find_results();
    std::vector<ir::ValueId> results;
    for (const ir::ValueId id : outlined_.results) results.push_back(so_far_.contains(id) ? so_far_[id] : map_(id));
    outlined_.function = builder_.finish(std::move(results));
    return std::move(outlined_);
  }

 private:
  bool inside(size_t o) const { return staged_[o].phase == phase_ && staged_[o].stage == stage_; }
  bool made_inside(ir::ValueId id) const {
    return maker_[ir::index(id)] >= 0 && inside(static_cast<size_t>(maker_[ir::index(id)]));
  }
  bool is_constant(ir::ValueId id) const {
    return maker_[ir::index(id)] >= 0 &&
           staged_[static_cast<size_t>(maker_[ir::index(id)])].phase == StagePhase::anywhere;
  }
  ir::ParameterRole role(ir::ValueId id) const {
    return ir::index(id) < function_.parameters.size() ? function_.parameters[ir::index(id)] : ir::ParameterRole::data;
  }

  void need_operands(const ir::Op& op) {
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id == ir::ValueId::none || made_inside(id) || is_constant(id) || seen_.contains(id)) continue;
      seen_.insert(id);
      outlined_.parameters.push_back(id);
    }
  }

  void write(const ir::Op& op) {
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id != ir::ValueId::none && !map_.has(id)) write(function_.ops[static_cast<size_t>(maker_[ir::index(id)])]);
    }
    const Verdict verdict = judge(function_, op, values_, microbatches_);
    std::vector<ir::ValueId> operands;
    std::vector<ir::Type> inputs, outputs;
    for (const ir::ValueId id : function_.inputs(op)) {
      operands.push_back(map_(id));
      inputs.push_back(id == ir::ValueId::none ? ir::Type() : values_[ir::index(id)].value.type);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values_[op.first_result + i].value.type);
    const std::vector<const ir::Array*> known(inputs.size(), nullptr);
    const ir::OpCall call{*op.def, *op.attributes, inputs, known, op.result_count};
    const auto attributes = microbatches_ == 1
                                ? op.attributes
                                : builder_.share(local_attributes(call, verdict.decision, outputs, microbatches_));
    const auto first      = static_cast<int32_t>(builder_.append(op.def, -1, attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::ValueId copy = static_cast<ir::ValueId>(first + static_cast<int32_t>(i));
      builder_.set_name(copy, function_.values[op.first_result + i].name);
      map_.set(function_.output(op, i), copy);
      const auto sum = so_far_.find(function_.output(op, i));
      if (sum != so_far_.end()) sum->second = builder_.op("Add", {sum->second, copy});
    }
  }

  // Values made here that an op elsewhere reads, or that the program returns.
  void find_results() {
    std::vector<bool> wanted(function_.values.size());
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (inside(o)) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ir::ValueId::none) wanted[ir::index(id)] = true;
      }
    }
    for (const ir::ValueId id : function_.results) wanted[ir::index(id)] = true;
    for (size_t value = 0; value < wanted.size(); ++value) {
      const auto id = static_cast<ir::ValueId>(value);
      if (wanted[value] && made_inside(id)) outlined_.results.push_back(id);
    }
  }

  const ir::Function& function_;
  const std::vector<StagedOp>& staged_;
  const interpret::Values<LaidOut>& values_;
  const StagePhase phase_;
  const int stage_, microbatches_;
  const std::vector<bool>& summed_;
  const Sums sums_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::vector<int32_t> maker_;  // per value: the op that makes it, -1 for a parameter
  std::set<ir::ValueId> seen_;
  std::map<ir::ValueId, ir::ValueId> so_far_;  // the running sums, in the new function
  Outlined outlined_;
};

}  // namespace

Outlined outline_stage(const ir::Function& function, const std::vector<StagedOp>& staged,
                       const interpret::Values<LaidOut>& values, StagePhase phase, int stage, int microbatches,
                       const std::vector<bool>& summed, Sums sums, const ir::OpTable& ops) {
  return Outliner(function, staged, values, phase, stage, microbatches, summed, sums, ops).run();
}

}  // namespace foreflow::transform
