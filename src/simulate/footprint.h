// Footprint of a communication on the network, the same for every engine: a sequence of phases, each a delay followed
// by one flow over all links that any of its messages crosses. Computed once for each distinct (communication,
// members).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/timeline.h"
#include "simulate/relay.h"
#include "simulate/timed.h"

namespace foreflow::simulate {

class GroupRouteTable;  // simulate/group_routes.h

struct Phase {
  Seconds delay;          // before the flow: latencies and the filling of a pipeline; or all of a fixed duration
  Seconds alone;          // the flow when it has the network for itself; 0: there is no flow
  int32_t load;           // index into Footprints::loads; -1: there is no flow
  bool uneven   = false;  // some messages are slower than others that cross links of the same kinds
  int32_t relay = -1;     // index into Footprints::relays, in place of delay and flow; -1: none
  Course delays = {};     // seconds, where links change: the delay of a phase that begins then

  double delay_at(double now) const { return value_of(delays, now, delay.value()); }
};

// A phase that moves hop by hop.
struct RelayPlan {
  RelayShape shape;
  Seconds latency;             // of a step
  Course latencies;            // seconds, where links change: of a step that begins then
  std::vector<int32_t> loads;  // of the hops, around each ring
  std::vector<int32_t> rings;  // how many hops each has
};

struct Footprint {
  int32_t first, count;                                 // its phases
  int32_t example;                                      // an instance with this footprint
  Bytes bytes;                                          // of the communication; a link carries weight * bytes
  const collective::AlgorithmDef* algorithm = nullptr;  // that its phases are of; null: of none
};

struct Load {
  std::vector<stream::Crossing> crossings;  // by link number
  double unit;  // the largest share of which the share of each message is a multiple; flows compete for a link in
                // messages of this size
  // The most that fat pipes on its way, windows and the protocol of a library let through of one message of this size;
  // 0: as much as comes. Fat pipes are among the crossings but nothing competes for them.
  BytesPerSecond limit{0};
  Course limits = {};  // bytes per second, where that changes: infinite: as much as comes

  bool is_limited() const { return limit > BytesPerSecond(0) || !limits.empty(); }
  // Infinite: as much as comes.
  double limit_at(double now) const;
};

struct Footprints {
  std::vector<Load> loads;
  std::vector<Phase> phases;
  std::vector<RelayPlan> relays;
  std::vector<Footprint> distinct;
  std::vector<int32_t> of_instance;  // index into distinct; -1: a hand-over

  const Footprint& of(size_t instance) const { return distinct[static_cast<size_t>(of_instance[instance])]; }
  std::span<const Phase> phases_of(const Footprint& footprint) const {
    return std::span(phases).subspan(static_cast<size_t>(footprint.first), static_cast<size_t>(footprint.count));
  }
};

// Makes footprints one by one.
class FootprintMaker {
 public:
  // `traces`: of links that change; `routes`: of the platform, null for none. All must outlive it.
  FootprintMaker(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                 GroupRouteTable* routes = nullptr);
  ~FootprintMaker();

  // The number of the footprint of a communication among devices at these places. Throws Error when two of them have no
  // route.
  int32_t add(const stream::Communication& communication, const std::vector<int>& places, int32_t example);

  // Makes room for `count` of them.
  void reserve(size_t count);

  // All of them; Footprints::of_instance is empty.
  Footprints take() &&;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

// Throws Error when two members have no route.
Footprints footprints(const stream::Program& program, const platform::Platform& platform,
                      const std::vector<LinkTrace>& traces = {});

// The platform device of each rank of the instance.
std::vector<int> places_of(const stream::Program& program, const stream::Instance& instance);

// As Timeline::algorithms.
std::vector<const collective::AlgorithmDef*> algorithms(const Footprints& footprints);

// As Timeline::loads.
std::vector<std::vector<stream::Crossing>> crossings(const Footprints& footprints);

}  // namespace foreflow::simulate
