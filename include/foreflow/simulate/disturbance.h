// What does not go as planned, for what-if questions: slow devices, noise, links that degrade or fail, traffic of
// others. Plain values; the default is an undisturbed run. Devices and links are numbers in the platform's lists.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::simulate {

constexpr Seconds kForever(std::numeric_limits<double>::infinity());

// In [from, until) every compute of the device takes `factor` times as long; one that is under way is slowed for the
// part that falls inside. Slowdowns of one device multiply where they overlap.
struct Slowdown {
  int device;     // platform::Platform::devices()
  double factor;  // > 0; 2: half the speed, 0.5: twice the speed
  Seconds from{0};
  Seconds until = kForever;  // > from
};

// Every execution of a compute takes its duration times a factor drawn uniformly from [1 - amplitude, 1 + amplitude].
// The draw depends on the seed, the stream's number and the item's place in it only.
struct Jitter {
  double amplitude = 0;  // in [0, 1); 0: none
  uint64_t seed    = 0;
};

// The bandwidth of one link over time: `factor` times the platform's from `at` on, until the next change.
struct BandwidthStep {
  Seconds at;     // >= 0, ascending within a trace
  double factor;  // >= 0; 0: the link is down, flows on it wait until it is repaired
};
struct LinkTrace {
  int link;  // platform::Platform::links(); at most one trace for each
  std::vector<BandwidthStep> changes;
};

// Flows of others: at `first`, and then every `period` up to `until`, `bytes` leave `from` for `to`. They share links
// as one message does, without latency.
struct Background {
  int from, to;            // two different platform::Platform::devices()
  Bytes bytes{};           // of each flow, > 0; infinite: it never ends
  BytesPerSecond limit{};  // the most that one flow asks for; 0: as much as it can get
  Seconds first{};
  Seconds period{};  // 0: one flow only
  Seconds until = kForever;
};

struct Disturbances {
  std::vector<Slowdown> slowdowns    = {};
  Jitter jitter                      = {};
  std::vector<LinkTrace> links       = {};  // the analytic engine, which has no shared links, refuses these
  std::vector<Background> background = {};  // and these
};

}  // namespace foreflow::simulate
