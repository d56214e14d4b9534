// The phases of collectives and messages over the network: the plan of their algorithm on the routes between devices.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/task.h"
#include "simulate/footprint/load_table.h"
#include "simulate/routes/crossed.h"

namespace foreflow::simulate {

class NetworkPhases {
 public:
  // `traces`: of links that change. New phases are added to `phases`, their loads to `loads`. All arguments must
  // outlive it.
  NetworkPhases(const platform::Platform& platform, const std::vector<LinkTrace>& traces, LoadTable& loads,
                std::vector<Phase>& phases)
      : platform_(platform), crosser_(platform, traces), loads_(loads), phases_(phases) {}

  // Adds the phases of a communication among the devices of a group, which are at these places. Returns their
  // algorithm. Throws Error when two of the devices have no route.
  const collective::AlgorithmDef* add(size_t group, const std::vector<int>& places,
                                      const stream::Communication& communication);
  // The time of the phases that `add` would add, if the network does nothing else and no link changes.
  Seconds alone(size_t group, const std::vector<int>& places, const stream::Communication& communication);
  // The ground of a group, valid until the next call.
  const stream::Ground& ground(size_t group, const std::vector<int>& places) { return of_group(group, places).ground; }

 private:
  // Flows of phases on the routes of a group, and the number of their load; -1: none yet.
  struct OfFlows {
    Crossed crossed;
    int32_t load;
  };
  // The plan of an algorithm, with the index of the flows of each phase in place of these.
  struct OfPlan {
    const collective::AlgorithmDef* algorithm;
    collective::Kind kind;
    int relays;
    collective::FlowPlan plan;
    std::vector<size_t> flows;
  };
  // The facts that the communications of a group have in common.
  struct OfGroup {
    stream::Ground ground;
    std::vector<OfFlows> flows;
    std::vector<OfPlan> plans;  // those that are the same for any number of bytes
  };

  OfGroup& of_group(size_t group, const std::vector<int>& places);
  size_t of_flows(std::vector<collective::Flow> flows, const std::string& name, const stream::Placed& placed,
                  OfGroup& group);
  OfPlan made(const stream::Placed& placed, const std::string& name, OfGroup& group);
  // Calls `each` with the plan of a communication.
  template <typename Each>
  const collective::AlgorithmDef* with_plan(size_t group, const std::vector<int>& places,
                                            const stream::Communication& communication, const Each& each);
  Phase phase(const collective::Phase& plan, Bytes bytes, OfFlows& flows);
  int32_t load_of(OfFlows& flows);

  const platform::Platform& platform_;
  Crosser crosser_;
  LoadTable& loads_;
  std::vector<Phase>& phases_;
  std::vector<int32_t> numbers_;  // by group: into groups_; -1: it is not there
  std::vector<OfGroup> groups_;
};

}  // namespace foreflow::simulate
