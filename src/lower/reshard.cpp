#include "foreflow/lower/reshard.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "foreflow/base/nth.h"

namespace foreflow::lower {
namespace {

using reshard::Job;

stream::Communication communication(const Job& job) {
  return {std::string(collective::name(job.kind)), job.kind, &reshard::algorithm_of(job), job.bytes, std::nullopt};
}

// One device has ended a job, so another may begin its own.
stream::Communication hand_on() {
  const auto kind = collective::Kind::send;
  return {"port is free", kind, &collective::default_algorithm(kind), Bytes(0), Seconds(0)};
}

class PlanLowering {
 public:
  explicit PlanLowering(const reshard::UnitTasks& units) {
    std::set<int> devices;
    for (const reshard::Move& move : units.moves) {
      devices.insert(move.from.mesh.devices.begin(), move.from.mesh.devices.end());
      devices.insert(move.to.mesh.devices.begin(), move.to.mesh.devices.end());
    }
    lowered_.program.memory_effects.push_back({Bytes(0), Bytes(0)});
    for (const int device : devices) {
      const auto index = static_cast<int32_t>(lowered_.program.devices.size());
      lowered_.program.devices.push_back({device, device, Bytes(0)});
      lowered_.program.streams.push_back({fmt::format("D{}", device), index, {}});
      stream_of_.emplace(device, index);
    }
  }

  LoweredPlan lower(const reshard::Plan& plan) {
    for (PlanEvent& event : events_of(plan)) {
      const int32_t instance = add(number(std::move(event.what)), event.devices);
      if (event.job >= 0) lowered_.instances.push_back(instance);
    }
    return std::move(lowered_);
  }

 private:
  int32_t add(int32_t communication, const std::vector<int>& devices) {
    const auto instance = static_cast<int32_t>(lowered_.program.instances.size());
    std::vector<int32_t> members;
    for (const int device : devices) {
      members.push_back(stream_of_.at(device));
      nth(lowered_.program.streams, members.back()).items.push_back({communication, instance, 0});
    }
    lowered_.program.instances.push_back({communication, std::move(members)});
    return instance;
  }

  int32_t number(stream::Communication communication) {
    const auto key            = std::tuple(communication.kind, communication.bytes.value(), communication.algorithm,
                                           communication.fixed.has_value());
    const auto [known, added] = communications_.emplace(key, static_cast<int32_t>(communications_.size()));
    if (added) lowered_.program.communications.push_back(std::move(communication));
    return known->second;
  }

  LoweredPlan lowered_;
  std::map<int, int32_t> stream_of_;  // device -> stream
  std::map<std::tuple<collective::Kind, double, const collective::AlgorithmDef*, bool>, int32_t> communications_;
};

}  // namespace

std::vector<PlanEvent> events_of(const reshard::Plan& plan) {
  std::vector<PlanEvent> events;
  for (size_t i = 0; i < plan.jobs.size(); ++i) {
    const Job& job = plan.jobs[i];
    for (const reshard::Wait& wait : job.waits) events.push_back({hand_on(), {wait.from, wait.to}, -1});
    events.push_back({communication(job), job.devices, static_cast<int>(i)});
  }
  return events;
}

LoweredPlan program_of(const reshard::UnitTasks& units, const reshard::Plan& plan) {
  return PlanLowering(units).lower(plan);
}

}  // namespace foreflow::lower
