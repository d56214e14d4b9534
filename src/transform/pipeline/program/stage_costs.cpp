#include "transform/pipeline/program/stage_costs.h"

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "transform/pipeline/cuts/op_prices.h"

namespace foreflow::transform {
namespace {

Seconds hop_of(Bytes bytes, const StagePrices& prices) {
  return prices.hop ? prices.hop(bytes) : Seconds(prices.seconds_per_byte * bytes.value());
}

Seconds time_of_reshard(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values,
                        const StagePrices& prices, int parts, int from, int to) {
  const auto local = [&](ir::ValueId id) {
    const LaidOut& value = values[ir::index(id)];
    return local_type(value.value.type, value.layout, parts);
  };
  std::vector<ir::Type> inputs, outputs;
  for (const ir::ValueId id : function.inputs(op)) inputs.push_back(local(id));
  for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(local(function.output(op, i)));
  if (!prices.reshard) return hop_of(ir::bytes_of(outputs[0]), prices);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  return prices.reshard({*op.def, *op.attributes, inputs, known, op.result_count}, outputs, from, to);
}

// The devices of a stage.
class Groups {
 public:
  Groups(const std::vector<StageGroup>& groups, int all) : groups_(groups), all_(all) {}
  double of(int stage) const { return groups_.empty() ? all_ : nth(groups_, stage).devices; }
  int device(int stage) const { return groups_.empty() ? stage : nth(groups_, stage).device; }

 private:
  const std::vector<StageGroup>& groups_;
  const int all_;
};

// The time of the slowest transfer from a stage to a neighbour: the sum over the messages in one direction, per device.
double slowest_hop(const ir::Function& function, const std::vector<StagedOp>& staged,
                   const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts,
                   const DevicesOfProgram& represented, const Groups& groups) {
  const std::vector<int32_t> makers = ir::makers_of(function);
  std::set<std::pair<ir::ValueId, int>> sent;    // values, and the stages that need them
  std::map<std::pair<bool, int>, Seconds> hops;  // whether backward, from which stage
  for (size_t o = 0; o < staged.size(); ++o) {
    if (staged[o].phase == StagePhase::transfer) {
      const ir::Op& op    = function.ops[o];
      const int32_t maker = makers[ir::index(function.inputs(op)[0])];
      if (maker < 0) continue;
      const StagedOp& from = nth(staged, maker);
      hops[{from.phase != StagePhase::forward, from.stage}] +=
          groups.of(from.stage) * time_of_reshard(function, op, values, prices, parts, groups.device(from.stage),
                                                  groups.device(staged[o].stage));
      continue;
    }
    if (!is_task(staged[o].phase)) continue;
    for (const ir::ValueId id : function.inputs(function.ops[o])) {
      if (id == ir::ValueId::none || makers[ir::index(id)] < 0) continue;
      const StagedOp& maker = nth(staged, makers[ir::index(id)]);
      if (!is_task(maker.phase)) continue;
      const bool neighbours = std::abs(maker.stage - staged[o].stage) == 1;
      if (!neighbours || !sent.insert({id, staged[o].stage}).second) continue;
      const LaidOut& value = values[ir::index(id)];
      Seconds& hop         = hops[{maker.phase != StagePhase::forward, maker.stage}];
      for (int copy = 0; copy < represented.copies_of(value); ++copy)
        hop += hop_of(ir::bytes_of(local_type(value.value.type, value.layout, parts)), prices);
    }
  }
  Seconds slowest(0);
  for (const auto& [way, seconds] : hops) slowest = std::max(slowest, seconds / groups.of(way.second));
  return slowest.value();
}

}  // namespace

schedule::Costs stage_costs(const ir::Function& function, const std::vector<StagedOp>& staged,
                            const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts, int stages,
                            const std::vector<StageGroup>& groups) {
  OpPrices price(prices, parts);
  const DevicesOfProgram represented(values, prices.written);
  const Groups devices(groups, represented.count());
  schedule::Costs costs;
  costs.stages.assign(static_cast<size_t>(stages), {0, 0, 0});
  for (size_t o = 0; o < staged.size(); ++o) {
    if (!is_task(staged[o].phase)) continue;
    const ir::Op& op            = function.ops[o];
    const double seconds        = price(function, op, values).seconds.value();
    schedule::StageCosts& stage = nth(costs.stages, staged[o].stage);
    double& task                = staged[o].phase == StagePhase::forward    ? stage.forward
                                  : staged[o].phase == StagePhase::backward ? stage.input_grad
                                                                            : stage.weight_grad;
    if (op.def->role == ir::Role::communication) {
      task += groups.empty() ? represented.share_of(op, values) * seconds : seconds;
      continue;
    }
    for (int copy = 0; copy < represented.copies_of(op, values); ++copy) task += seconds / devices.of(staged[o].stage);
  }
  costs.hop = slowest_hop(function, staged, values, prices, parts, represented, devices);
  return costs;
}

}  // namespace foreflow::transform
