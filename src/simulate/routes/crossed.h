// The links that the flows of a phase cross, whatever bytes they carry. They are found once for all communications of a
// group of devices whose phases have the same flows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/task.h"
#include "foreflow/stream/timeline.h"
#include "simulate/routes/changing.h"

namespace foreflow::simulate {

struct Crossed {
  // A link carries weight * bytes. One entry for each distinct pair.
  struct Pace {
    double weight;
    BytesPerSecond bandwidth;
  };

  std::vector<collective::Flow> flows;
  Seconds near, far;                        // the longest latencies of a step inside nodes and between them
  double unit = 0;                          // as Load::unit
  std::vector<stream::Crossing> crossings;  // as Load::crossings
  std::vector<Pace> paces;
  std::vector<Pace> fat;                // of fat pipes and windows: the largest message of each bandwidth
  std::vector<BytesPerSecond> slowest;  // by flow between two devices: the bandwidth of the slowest link of its route
  bool uneven = false;                  // some flows are slower than others that cross links of the same kinds
  std::vector<ChangedPhase> changes;    // of near, far and the limit

  // As Load::limit.
  BytesPerSecond limit() const;
  bool is_of(const std::vector<collective::Flow>& others) const;
  // Returns the time of `bytes` if all flows run together and have the network for themselves.
  Seconds alone(Bytes bytes) const;
  // The time for which a part of `bytes` crosses the flows one after the other, the slowest left out.
  Seconds one_by_one(Bytes bytes) const;
};

class Crosser {
 public:
  // `traces`: of links that change; all arguments must outlive it.
  Crosser(const platform::Platform& platform, const std::vector<LinkTrace>& traces);

  // Messages between streams of one device cross nothing. Throws Error(`name`, ...) when two members have no route.
  Crossed cross(const std::vector<collective::Flow>& flows, const stream::Placed& placed, const std::string& name);

 private:
  // The properties of a link that decide how a message crosses it. Links that agree in them are of one sort.
  struct Sort {
    BytesPerSecond bandwidth;
    Seconds step_latency;
    size_t number;  // of its Link::kind, as a hash
    bool fat;
  };
  const Sort& sort(int link);
  platform::Route route(int from, int to, const std::string& name) const;
  void add(int link, double weight);
  void add_fat(const platform::Route& route, double share, std::vector<Crossed::Pace>& fat);
  // Returns true if a message over links of these kinds has another pace than an earlier one.
  bool is_uneven(size_t kinds, BytesPerSecond slowest);
  std::vector<stream::Crossing> take(const platform::Rotation& rotation);

  const platform::Platform& platform_;
  Changing changing_;
  std::vector<Sort> sorts_;                              // by link kind
  std::vector<int32_t> sort_of_;                         // by link; kUnknown: not asked for yet
  std::vector<double> weights_;                          // by link: what crosses it in the phase at hand
  std::vector<int> touched_;                             // the links that anything crosses
  std::vector<std::pair<size_t, BytesPerSecond>> seen_;  // kinds of links, and the pace of a message over them
};

}  // namespace foreflow::simulate
