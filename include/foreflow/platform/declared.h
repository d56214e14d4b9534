// The declarations of a platform file other than devices, links and routes: disks, profiles of availability and speed,
// and settings of the network model.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::platform {

// A disk of a host. Nothing that is simulated uses it.
struct Disk {
  std::string host, name;
  BytesPerSecond read, write;
};

// How a host or a link changes in time: an availability, speed, bandwidth, latency or state profile of SimGrid.
struct Profile {
  enum class What {
    speed,      // fraction of the device's speed
    on,         // above 0: the device is on, else it is off
    bandwidth,  // bytes per second
    latency,    // seconds
    link_on     // above 0: the link is up, else it is down
  };
  struct Step {
    Seconds at;  // ascending
    double value;
  };
  What what;
  std::vector<int> indices;  // of the devices of the host, or of the links
  std::vector<Step> steps;   // before the first: full speed, the link's bandwidth and latency, on
  Seconds period{0};         // after which the steps repeat; 0: they do not
  std::string source = {};   // "FILE:LINE:COLUMN" of the element that asks for it
};

struct Declared {
  // Numbers of the network model of the file. A message takes `latency_factor` seconds for each second of a link's
  // latency, and between two nodes moves at `window` over the latency of its route at most (Route::limit); 0: there is
  // no window.
  double latency_factor = 1;
  Bytes window{0};
  std::vector<Disk> disks;
  std::vector<Profile> profiles;
  std::vector<std::string> assumed;  // what the file leaves open and how it was filled in, a line each
  std::vector<std::string> ignored;  // what the file asks for and Foreflow does not do, a line each
};

}  // namespace foreflow::platform
