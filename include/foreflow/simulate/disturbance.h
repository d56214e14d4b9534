// Disturbances for what-if questions: slow devices, jitter, links that degrade or fail, and background traffic. Plain
// values; the default is an undisturbed run. Devices and links are indices into the platform's lists.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::simulate {

constexpr Seconds kForever(std::numeric_limits<double>::infinity());

// In [from, until) computes of the device take `factor` times as long. Only the part of a compute inside the interval
// is slowed. Overlapping slowdowns of one device multiply.
//
// Example: a compute of 10 ms that starts 5 ms before a slowdown of factor 2 takes 5 + 2 * 5 = 15 ms.
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

// A link over time: from `at` on, until the next change, its bandwidth is `factor` times the platform's and its latency
// `latency`. Flows under way go on at the new bandwidth; a message takes the latency of the moment when it begins, and
// a phase of a collective that of all its steps.
struct LinkStep {
  Seconds at;                           // >= 0, ascending within a trace
  double factor                  = 1;   // >= 0; 0: the link is down, flows on it wait until it is repaired
  std::optional<Seconds> latency = {};  // >= 0; none: the platform's
};
struct LinkTrace {
  int link;  // platform::Platform::links(); at most one trace for each
  std::vector<LinkStep> changes;
};

// Background traffic: a flow of `bytes` from one device to another starts at `first` and then every `period` until
// `until`. It shares links like a single message, and has no latency.
struct Background {
  int from, to;            // two different platform::Platform::devices()
  Bytes bytes{};           // of each flow, > 0; infinite: it never ends
  BytesPerSecond limit{};  // rate limit of one flow; 0: unlimited
  Seconds first{};
  Seconds period{};  // 0: one flow only
  Seconds until = kForever;
};

// Devices that compute more slowly in the whole run, each drawn with the chance `share`. Whether a device is one
// depends on the seed and the device's number only.
struct Stragglers {
  double share  = 0;  // in [0, 1]; 0: none
  double factor = 1;  // >= 1, as in Slowdown
  uint64_t seed = 0;
  bool drawn    = false;  // they are among Disturbances::slowdowns (simulate::drawn)
};

// Links that lose bandwidth in the whole run, each drawn with the chance `share`. Whether a link is hit depends on the
// seed and the link's number only.
struct LinkLoss {
  double share  = 0;  // in [0, 1]; 0: none
  double factor = 1;  // in (0, 1], of the platform's bandwidth
  uint64_t seed = 0;
  bool drawn    = false;  // they are among Disturbances::links (simulate::drawn)
};

struct Disturbances {
  std::vector<Slowdown> slowdowns    = {};
  Jitter jitter                      = {};
  std::vector<LinkTrace> links       = {};  // refused by the analytic engine, which does not model shared links
  std::vector<Background> background = {};  // likewise
  Stragglers stragglers              = {};
  LinkLoss link_loss                 = {};     // as links
  bool profiled                      = false;  // those of the platform's file are among them (profiles.h)
};

}  // namespace foreflow::simulate
