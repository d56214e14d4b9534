// The events of a scenario: the distinct pieces of work that all of its devices execute, each once, with how often.
// They are what has to be profiled to predict the scenario from measurements (Lu et al., DistSim, CF 2023, section 4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/cost/measurement.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The part of the platform that an event uses. A host copy is between a device and the memory of its server.
enum class Scope : uint8_t { compute, intra_node, inter_node, host_copy };
std::string_view name(Scope scope);  // "compute", "intra-node", "inter-node", "host-copy"

struct Event {
  std::string op = {}, dtype = {};
  std::string signature  = {};  // cost/signature.h
  std::string device     = {};  // compute: the kind of device, "A100-SXM4-80GB"; a scenario may have several
  Scope scope            = Scope::compute;
  int ranks              = 1;         // members of a message
  int nodes              = 1;         // that these members are on
  Flops flops            = Flops(0);  // compute: of one execution
  Bytes read             = Bytes(0);  // compute: of one execution, as `written`
  Bytes written          = Bytes(0);
  Bytes message          = Bytes(0);    // message: as collective::Kind defines it
  int64_t count          = 0;           // executions on all devices in an iteration; a message is one for all members
  Seconds time           = Seconds(0);  // of one execution; a message: alone on its links
  std::string provenance = {};          // of that time: cost::Provenance, or "simulated"
};

// In the order of the time that all executions take together, longest first, then of their signatures. Views and shape
// arithmetic, which launch no kernel, are no events; ops that a framework fuses are listed one by one. Requires: the
// scenario has no jobs. Throws Error as run() does.
//
// The work is read off the functions of one replica, and counted through their calls, so 16,384 devices cost what one
// replica costs.
std::vector<Event> events(const Scenario& scenario, const PlatformRef& platform);

// Returns true if the computes are those of several kinds of devices.
bool have_several_devices(const std::vector<Event>& events);

// The events as measurements that are still to be taken (times are 0). `with_device`: computes state their device.
std::vector<cost::Measurement> to_measure(const std::vector<Event>& events, bool with_device = false);

}  // namespace foreflow::scenario
