#include "foreflow/lower/host_costs.h"
#include "foreflow/platform/cpu.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// A time of the host as a key and as a member.
struct HostTime {
  std::string_view key, doc;
  Seconds lower::HostCosts::*member;
  std::string_view otherwise = "\"0s\"";
};
constexpr HostTime kHostTimes[] = {
    {"kernel", "time of the host to issue a kernel", &lower::HostCosts::kernel},
    {"gradient",
     "time of the host to issue a kernel that depends on the gradient of the loss: autograd does that without Python",
     &lower::HostCosts::gradient, "that of a kernel"},
    {"accumulation", "the same for a kernel that adds a gradient to the sum of earlier microbatches",
     &lower::HostCosts::accumulation, "that of a gradient"},
    {"call", "for each pass of a stage over a microbatch, forward or backward", &lower::HostCosts::call},
    {"collective", "for each collective, and for each hand-over to another stream of the device",
     &lower::HostCosts::collective},
    {"message", "for each message between stages, at either end", &lower::HostCosts::message},
    {"microbatch",
     "for each microbatch: data, loss, schedule; half of it on the first stage of the pipeline, half on the last one, "
     "each half in equal parts before the forward and the backward pass",
     &lower::HostCosts::microbatch},
    {"step", "once an iteration, before the optimizer: norm of the gradients, loss scale", &lower::HostCosts::step},
};

struct HostWait {
  std::string_view key, doc;
  bool lower::HostCosts::*member;
};
constexpr HostWait kHostWaits[] = {
    {"wait_for_messages", "the host waits for the end of each message before it issues anything else",
     &lower::HostCosts::waits_for_messages},
    {"wait_for_gradients", "the host waits for all gradients before it issues the optimizer",
     &lower::HostCosts::waits_for_gradients},
};

}  // namespace

const Keys& host_keys() {
  static const Keys keys = [] {
    Keys all;
    for (const HostTime& row : kHostTimes)
      all.push_back({std::string(row.key), std::string(row.doc), types::time(), std::string(row.otherwise)});
    for (const HostWait& row : kHostWaits)
      all.push_back({std::string(row.key), std::string(row.doc), types::flag(), "`false`"});
    all.push_back({"cpu",
                   "the CPU on which these are the times, of a framework's profile as of your own: a host with another "
                   "one (`platform.cpu`) takes as much longer as its single-thread rating is lower",
                   platform::cpu_type(), "that of the hosts, whatever it is"});
    all.push_back(
        {"graphs", "the program is a captured graph: the host issues everything at no cost", types::flag(), "`false`"});
    return all;
  }();
  return keys;
}

ValueType host_type() {
  return types::either({types::one_of({"none"}), types::object_of(host_keys(), "an object of times")});
}

Seconds short_time_or_none(const JsonView& json, std::string_view key) {
  if (!json.has(key)) return Seconds(0);
  const JsonView value = json.at(key);
  const Seconds time   = value.as_seconds();
  constexpr Seconds kLongest{1e6};
  if (time < Seconds(0) || time > kLongest)
    value.fail("is \"" + value.as_string() + "\"; write a time from \"0s\" to \"1e6s\"");
  return time;
}

Host read_host(const JsonView& json) {
  Host host;
  lower::HostCosts& costs = host.costs;
  if (json.json().if_string() != nullptr) {
    if (json.as_string() != "none")
      json.fail("is \"" + json.as_string() + "\"; write \"none\", or an object such as {\"kernel\": \"10us\"}");
    return host;
  }
  json.allow_only(names_of(host_keys()));
  for (const HostTime& row : kHostTimes) costs.*row.member = short_time_or_none(json, row.key);
  if (!json.has("gradient")) costs.gradient = costs.kernel;
  if (!json.has("accumulation")) costs.accumulation = costs.gradient;
  for (const HostWait& row : kHostWaits) {
    if (json.has(row.key)) costs.*row.member = json.at(row.key).as_bool();
  }
  if (json.has("cpu")) costs.cpu = platform::read_cpu(json.at("cpu"));
  host.graphs = json.bool_or("graphs", false);
  return host;
}

}  // namespace foreflow::scenario
