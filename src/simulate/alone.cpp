#include "foreflow/simulate/alone.h"

#include <fmt/format.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/simulate/profiles.h"
#include "simulate/footprint/network_phases.h"

namespace foreflow::simulate {
namespace {

using collective::AlgorithmDef;
using collective::Kind;

stream::Program program_of(const AlgorithmDef& algorithm, Kind kind, Bytes bytes, const std::vector<int>& places) {
  stream::Program program;
  program.memory_effects.push_back({Bytes(0), Bytes(0)});
  program.communications.push_back({std::string(collective::name(kind)), kind, &algorithm, bytes});
  std::vector<int32_t> members;
  for (size_t rank = 0; rank < places.size(); ++rank) {
    const auto index = static_cast<int>(rank);
    program.devices.push_back({index, places[rank], Bytes(0)});
    program.streams.push_back({fmt::format("D{}", index), index, {{0, 0, 0}}});
    members.push_back(index);
  }
  program.instances.push_back({0, std::move(members)});
  return program;
}

std::string refusal(const collective::Task& task) {
  std::vector<std::string> others;
  for (const AlgorithmDef& row : collective::algorithms()) {
    if (row.supports_task(task)) others.emplace_back(row.name);
  }
  const auto nodes =
      task.group.node.empty() ? 0 : *std::max_element(task.group.node.begin(), task.group.node.end()) + 1;
  return fmt::format("does not do {} among {} ranks on {} node{} of this platform; use {}", collective::name(task.kind),
                     task.group.ranks, nodes, nodes == 1 ? "" : "s",
                     others.empty() ? "another number of ranks" : list_or(others));
}

}  // namespace

Alone run_alone(const platform::Platform& platform, const AlgorithmDef& algorithm, Kind kind, Bytes bytes,
                const std::vector<int>& places, const EngineDef& engine) {
  Alone result{stream::place(platform, algorithm, kind, bytes, places), Seconds(0), {}, {}};
  const collective::Task& task = result.placed.task;
  if (!algorithm.supports_task(task)) throw Error(std::string(algorithm.name), refusal(task));
  Options options;
  options.disturbances = with_profiles({}, platform);
  const auto timeline  = engine.run(program_of(algorithm, kind, bytes, places), platform, options);
  result.time          = timeline.makespan;
  result.closed_form   = stream::closed_form(platform, result.placed, *result.placed.algorithm);
  for (const stream::LinkUse& use : timeline.links) result.links.push_back(use.bytes);
  return result;
}

struct TimesAlone::Known {
  explicit Known(const platform::Platform& of) : platform(of), network(of, traces, loads, phases) {}

  const platform::Platform& platform;
  const std::vector<LinkTrace> traces;  // no link changes
  LoadTable loads;
  std::vector<Phase> phases;
  NetworkPhases network;
};

TimesAlone::TimesAlone(const platform::Platform& platform) : known_(std::make_unique<Known>(platform)) {}

TimesAlone::TimesAlone(TimesAlone&&) noexcept = default;

TimesAlone::~TimesAlone() = default;

const platform::Platform& TimesAlone::platform() const { return known_->platform; }

Seconds TimesAlone::of(const NumberedGroup& group, const AlgorithmDef& algorithm, Kind kind, Bytes bytes) {
  const stream::Ground& ground = known_->network.ground(group.number, group.places);
  const auto placed            = stream::place(known_->platform, algorithm, kind, bytes, group.places, ground);
  const bool supported         = algorithm.supports_task(placed.task);
  return known_->network.alone(group.number, group.places,
                               {std::string(collective::name(kind)), kind,
                                supported ? &algorithm : &collective::default_algorithm(kind), bytes});
}

}  // namespace foreflow::simulate
