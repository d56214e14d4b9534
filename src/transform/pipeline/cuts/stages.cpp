#include "transform/pipeline/cuts/stages.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/recompute.h"
#include "transform/pipeline/cuts/device_cuts.h"
#include "transform/pipeline/phases/anchors.h"

namespace foreflow::transform {
namespace {

// The cuts of stages that end behind these numbers of forward ops, each moved behind the group of its last op.
Cuts cuts_behind(const std::vector<int32_t>& stage_ends, const std::vector<StagePhase>& phases,
                 const std::vector<int32_t>& group_ends, size_t stages) {
  std::vector<int32_t> forward;
  for (size_t o = 0; o < phases.size(); ++o) {
    if (phases[o] == StagePhase::forward) forward.push_back(group_ends[o]);
  }
  FOREFLOW_CHECK(stage_ends.size() == stages && static_cast<size_t>(stage_ends.back()) == forward.size(),
                 "the ends of stages belong to a program with another forward pass");
  Cuts cuts;
  for (size_t s = 0; s + 1 < stages; ++s) cuts.push_back(forward[static_cast<size_t>(stage_ends[s]) - 1]);
  return cuts;
}

Cuts cuts_of(const ir::Module& module, const std::vector<CutPlace>& places, const std::vector<StagePhase>& phases,
             const std::vector<int32_t>& ends, const Pipeline& wanted, const schedule::Plan& plan,
             const StageVariety* variety) {
  const auto stages = static_cast<size_t>(plan.stages());
  if (stages == 1) return {};
  if (!wanted.stage_ends.empty()) return cuts_behind(wanted.stage_ends, phases, ends, stages);
  if (!wanted.shares.empty() && wanted.shares.size() != stages) {
    throw RefusalError(
        Cause::stages, "pipeline: stages",
        std::to_string(wanted.shares.size()) + " shares for " + std::to_string(stages) + " stages; write one for each");
  }
  if (wanted.partition == StagePartition::layers)
    return layer_cuts(places, layer_ends(module, places, wanted.layers.layers), wanted);
  StageLimits limits = limits_of(wanted, plan);
  if (variety != nullptr) {
    limits.devices  = variety->devices;
    limits.variants = variety->variants;
  }
  CommonCuts common(places);
  const bool uniform = wanted.partition == StagePartition::uniform;
  const auto find    = [&](const StageLimits& of) {
    return plan.size.chunks == 1 ? common.balanced(of)
                                    : balanced_over_devices(common, of, *wanted.schedule, wanted.size);
  };
  Cuts cuts = uniform ? uniform_cuts(places, limits.shares) : beside_messages(places, limits, find);
  if (cuts.size() + 1 < stages) throw too_few_ops(module, phases, stages);
  return cuts;
}

bool is_balanced(const Pipeline& wanted, const schedule::Plan& plan) {
  return plan.stages() > 1 && wanted.stage_ends.empty() && wanted.partition == StagePartition::balanced;
}

std::vector<StagedOp> staged_between(const Cuts& cuts, const std::vector<StagePhase>& phases,
                                     const std::vector<int32_t>& anchors) {
  std::vector<StagedOp> staged;
  staged.reserve(phases.size());
  for (size_t o = 0; o < phases.size(); ++o) {
    const auto stage = std::lower_bound(cuts.begin(), cuts.end(), anchors[o]) - cuts.begin();
    staged.push_back({phases[o], anchors[o] < 0 ? 0 : static_cast<int>(stage)});
  }
  return staged;
}

// Gives the places their times in each variant: what lies between two places is a stage of its own.
void add_times(std::vector<CutPlace>& places, const StageVariety& variety, const std::vector<StagePhase>& phases,
               const std::vector<int32_t>& anchors) {
  Cuts between;
  for (const CutPlace& place : places) between.push_back(place.op);
  if (!between.empty()) between.pop_back();
  const auto times = variety.times(staged_between(between, phases, anchors), static_cast<int>(places.size()));
  if (times.empty()) return;
  double fastest = 0;
  std::vector<PlaceTime> upto(times.size(), {0, 0});
  for (size_t place = 0; place < places.size(); ++place) {
    double least = times.front()[place].seconds;
    for (size_t variant = 0; variant < times.size(); ++variant) {
      const PlaceTime& here = times[variant][place];
      least                 = std::min(least, here.seconds);
      upto[variant].seconds += here.seconds;
      upto[variant].forward += here.forward;
      upto[variant].messages += here.messages;
    }
    fastest += least;
    places[place].seconds  = fastest;
    places[place].variants = upto;
  }
}

// A unit of weights is gathered while the unit before it is in use, by one of the stages of a device. Two pipes keep
// whole gradients for each other.
Sharded sharded_by(const StagePrices& prices, const schedule::Plan& plan) {
  constexpr double kUnits = 2;
  Sharded sharded{.weights   = prices.zero >= 3,
                  .gradients = prices.zero >= 2 && plan.pipes() == 1,
                  .states    = prices.zero >= 1,
                  .replicas  = prices.replicas};
  if (!sharded.weights) return sharded;
  sharded.units  = kUnits / plan.size.chunks;
  sharded.bucket = prices.bucket;
  sharded.blocks = prices.blocks;
  return sharded;
}

// As StageLimits::memory, from StagePrices::memory: a stage on several devices may need what the smallest of them has.
std::vector<Bytes> memory_by_stage(std::vector<Bytes> memory, const schedule::Plan& plan) {
  for (Bytes& of_device : memory) of_device = of_device / plan.size.chunks;
  if (memory.size() < 2) return memory;
  std::vector<Bytes> least(static_cast<size_t>(plan.stages()), *std::max_element(memory.begin(), memory.end()));
  for (int device = 0; device < plan.size.devices; ++device) {
    for (int chunk = 0; chunk < plan.size.chunks; ++chunk) {
      Bytes& here = nth(least, plan.stage_of(device, chunk));
      here        = std::min(here, nth(memory, device));
    }
  }
  return least;
}

// Returns true if the op brings to a later stage what the backward pass of a stage made.
bool goes_to_later_stage(const ir::Function& function, const DecidedStages& decided,
                         const std::vector<StagePhase>& phases, const std::vector<int32_t>& makers, size_t o) {
  if (!function.ops[o].def->reshards || phases[o] != StagePhase::backward) return false;
  const auto inputs = function.inputs(function.ops[o]);
  return std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
    const int32_t maker = id == ir::ValueId::none ? -1 : makers[ir::index(id)];
    return maker >= 0 && nth(phases, maker) == StagePhase::backward && nth(decided.stage, maker) < decided.stage[o];
  });
}

// Lets the update do what depends on values that the backward pass sends to a later stage, whose own backward pass is
// over by then: an all-gather, say, of the gradient of a weight that both stages have. Such gradients are no sums over
// microbatches if there is only one, so their phases do not tell.
void leave_to_update(const ir::Function& function, const DecidedStages& decided, std::vector<StagePhase>& phases) {
  const std::vector<int32_t> makers = ir::makers_of(function);
  std::vector<bool> late(function.values.size());
  for (size_t o = 0; o < phases.size(); ++o) {
    const ir::Op& op  = function.ops[o];
    const auto inputs = function.inputs(op);
    const bool waits  = std::any_of(inputs.begin(), inputs.end(),
                                    [&](ir::ValueId id) { return id != ir::ValueId::none && late[ir::index(id)]; });
    if (waits) phases[o] = std::max(phases[o], StagePhase::update);
    if (!waits && !goes_to_later_stage(function, decided, phases, makers, o)) continue;
    for (uint32_t i = 0; i < op.result_count; ++i) late[op.first_result + i] = true;
  }
}

}  // namespace

RefusalError too_few_ops(const ir::Module& module, const std::vector<StagePhase>& phases, size_t stages) {
  const ir::Function& function = module.entry();
  const bool recomputes        = std::any_of(function.ops.begin(), function.ops.end(),
                                             [](const ir::Op& op) { return op.attributes->find(kSegment) != nullptr; });
  const auto forward           = static_cast<size_t>(std::count(phases.begin(), phases.end(), StagePhase::forward));
  const bool enough            = recomputes && forward >= stages;
  return {Cause::stages, "pipeline: stages",
          "@" + function.name + (enough ? " has too few blocks for " : " has too few ops for ") +
              std::to_string(stages) + " stages; use fewer" +
              (enough ? ", or strategy.recompute none: a block that is recomputed is not cut" : "")};
}

StageLimits limits_of(const Pipeline& wanted, const schedule::Plan& plan) {
  const auto stages   = static_cast<size_t>(plan.stages());
  const double chunks = plan.size.chunks;
  StageLimits limits{wanted.shares.empty() ? std::vector<double>(stages, 1) : wanted.shares,
                     std::vector<double>(stages), memory_by_stage(wanted.prices.memory, plan),
                     wanted.prices.seconds_per_byte, wanted.prices.overlaps_sends};
  limits.speeds  = wanted.speeds;
  limits.sharded = sharded_by(wanted.prices, plan);
  for (int device = 0; device < plan.size.devices; ++device) {
    const double live = wanted.schedule->peak_live(wanted.size, device) / chunks;
    for (int chunk = 0; chunk < plan.size.chunks; ++chunk) {
      double& most = nth(limits.in_flight, plan.stage_of(device, chunk));
      most         = std::max(most, live);
    }
  }
  return limits;
}

std::vector<StagedOp> assign_stages(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                    const Pipeline& wanted, const schedule::Plan& plan, const StageVariety* variety) {
  const ir::Function& function         = module.entry();
  const std::vector<StagePhase> phases = phases_of(module, function, values);
  const std::vector<int32_t> ends      = ends_of_groups(function, phases, values);
  const std::vector<int32_t> anchors   = anchors_of(function, phases, ends);
  std::vector<CutPlace> places         = cut_places(function, phases, ends, anchors, values, wanted.prices,
                                                    wanted.size.microbatches * wanted.prices.replicas);
  if (variety != nullptr && is_balanced(wanted, plan)) add_times(places, *variety, phases, anchors);
  return staged_between(cuts_of(module, places, phases, ends, wanted, plan, variety), phases, anchors);
}

std::vector<StagedOp> staged_as_decided(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                        const DecidedStages& decided) {
  const ir::Function& function   = module.entry();
  std::vector<StagePhase> phases = phases_of(module, function, values);
  leave_to_update(function, decided, phases);
  std::vector<StagedOp> staged;
  staged.reserve(phases.size());
  for (size_t o = 0; o < phases.size(); ++o) {
    const bool transfer = function.ops[o].def->reshards && phases[o] != StagePhase::update;
    staged.push_back({transfer ? StagePhase::transfer : phases[o], decided.stage[o]});
  }
  return staged;
}

Cut cut_of(const ir::Function& function, const std::vector<StagedOp>& staged, int stages) {
  Cut cut;
  cut.stage_ends.resize(static_cast<size_t>(stages));
  cut.segments.resize(static_cast<size_t>(stages));
  std::set<int64_t> seen;
  int32_t forward = 0;
  for (size_t o = 0; o < staged.size(); ++o) {
    if (staged[o].phase != StagePhase::forward) continue;
    nth(cut.stage_ends, staged[o].stage) = ++forward;
    const ir::Attributes& attributes     = *function.ops[o].attributes;
    if (attributes.find(kSegment) == nullptr || !seen.insert(attributes.get_int(kSegment)).second) continue;
    ++nth(cut.segments, staged[o].stage);
  }
  return cut;
}

}  // namespace foreflow::transform
