#include "simulate/footprint/network_phases.h"

#include <algorithm>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

Load load_on(const Crossed& crossed) {
  Load load{crossed.crossings, crossed.unit, crossed.limit()};
  for (const ChangedPhase& changed : crossed.changes)
    load.limits.push_back({changed.at, (crossed.unit * changed.pace).value()});
  load.limits = only_if_changing(std::move(load.limits), Load{{}, 0, load.limit}.limit_at(0));
  return load;
}

// The load, of which no more than `pace` bytes of the communication move in a second.
Load limited(Load load, BytesPerSecond pace) {
  const BytesPerSecond own = load.unit * pace;
  if (load.limit == BytesPerSecond(0) || own < load.limit) load.limit = own;
  for (Timed& one : load.limits) one.value = std::min(one.value, own.value());
  return load;
}

// The time before the bytes of a phase move, where messages have these latencies.
Seconds delay_of(const collective::Phase& plan, Bytes bytes, const Crossed& crossed, Seconds near, Seconds far) {
  const Seconds filling = plan.head > 0 ? crossed.one_by_one(bytes) : Seconds(0);
  return plan.near_steps * (plan.near_latency * near) + plan.far_steps * (plan.far_latency * far) + plan.head * filling;
}

// The time in which they move, with the network to themselves; 0: nothing moves.
Seconds transfer_of(const collective::Phase& plan, Bytes bytes, const Crossed& crossed) {
  const Seconds alone = crossed.alone(bytes);
  return alone > Seconds(0) ? std::max(alone, plan.least) : alone;
}

}  // namespace

NetworkPhases::OfGroup& NetworkPhases::of_group(size_t group, const std::vector<int>& places) {
  if (group >= numbers_.size()) numbers_.resize(group + 1, -1);
  if (numbers_[group] < 0) {
    numbers_[group] = static_cast<int32_t>(groups_.size());
    groups_.push_back({stream::survey(platform_, places), {}, {}});
  }
  return nth(groups_, numbers_[group]);
}

template <typename Each>
const collective::AlgorithmDef* NetworkPhases::with_plan(size_t group, const std::vector<int>& places,
                                                         const stream::Communication& communication, const Each& each) {
  OfGroup& known = of_group(group, places);
  const auto placed =
      stream::place(platform_, *communication.algorithm, communication.kind, communication.bytes, places, known.ground);
  if (placed.algorithm->flows_by_bytes) {
    each(made(placed, communication.name, known), known);
    return placed.algorithm;
  }
  auto plan = std::find_if(known.plans.begin(), known.plans.end(), [&](const OfPlan& one) {
    return one.algorithm == placed.algorithm && one.kind == communication.kind &&
           one.relays == placed.task.group.relays;
  });
  if (plan == known.plans.end()) plan = known.plans.insert(plan, made(placed, communication.name, known));
  each(*plan, known);
  return placed.algorithm;
}

const collective::AlgorithmDef* NetworkPhases::add(size_t group, const std::vector<int>& places,
                                                   const stream::Communication& communication) {
  return with_plan(group, places, communication, [&](const OfPlan& of, OfGroup& known) {
    const Seconds start = communication.start + of.plan.start;
    if (start > Seconds(0)) phases_.push_back({start, Seconds(0), -1});
    for (size_t i = 0; i < of.flows.size(); ++i)
      phases_.push_back(phase(of.plan.phases[i], communication.bytes, known.flows[of.flows[i]]));
  });
}

Seconds NetworkPhases::alone(size_t group, const std::vector<int>& places, const stream::Communication& communication) {
  Seconds time = communication.start;
  with_plan(group, places, communication, [&](const OfPlan& of, const OfGroup& known) {
    time += of.plan.start;
    for (size_t i = 0; i < of.flows.size(); ++i) {
      const Crossed& crossed = known.flows[of.flows[i]].crossed;
      time += delay_of(of.plan.phases[i], communication.bytes, crossed, crossed.near, crossed.far);
      time += transfer_of(of.plan.phases[i], communication.bytes, crossed);
    }
  });
  return time;
}

NetworkPhases::OfPlan NetworkPhases::made(const stream::Placed& placed, const std::string& name, OfGroup& group) {
  OfPlan made{placed.algorithm, placed.task.kind, placed.task.group.relays, placed.algorithm->flows(placed.task), {}};
  for (collective::Phase& one : made.plan.phases)
    made.flows.push_back(of_flows(std::exchange(one.flows, {}), name, placed, group));
  return made;
}

size_t NetworkPhases::of_flows(std::vector<collective::Flow> flows, const std::string& name,
                               const stream::Placed& placed, OfGroup& group) {
  const auto known = std::find_if(group.flows.begin(), group.flows.end(),
                                  [&](const OfFlows& one) { return one.crossed.is_of(flows); });
  const auto index = static_cast<size_t>(known - group.flows.begin());
  if (known == group.flows.end()) group.flows.push_back({crosser_.cross(flows, placed, name), -1});
  return index;
}

Phase NetworkPhases::phase(const collective::Phase& plan, Bytes bytes, OfFlows& flows) {
  const Crossed& crossed = flows.crossed;
  Phase result{delay_of(plan, bytes, crossed, crossed.near, crossed.far), transfer_of(plan, bytes, crossed), -1};
  for (const ChangedPhase& changed : crossed.changes)
    result.delays.push_back({changed.at, delay_of(plan, bytes, crossed, changed.near, changed.far).value()});
  result.delays = only_if_changing(std::move(result.delays), result.delay.value());
  if (result.alone > crossed.alone(bytes)) {
    result.load = loads_.number_of(limited(flows.load < 0 ? load_on(crossed) : loads_[flows.load], bytes / plan.least));
  } else if (result.alone > Seconds(0)) {
    result.load = load_of(flows);
  }
  result.uneven = bytes > Bytes(0) && crossed.uneven;
  return result;
}

int32_t NetworkPhases::load_of(OfFlows& flows) {
  if (flows.load >= 0) return flows.load;
  auto crossings    = std::exchange(flows.crossed.crossings, std::vector<stream::Crossing>());
  Load load         = load_on(flows.crossed);
  load.crossings    = std::move(crossings);
  return flows.load = loads_.number_of(std::move(load));
}

}  // namespace foreflow::simulate
