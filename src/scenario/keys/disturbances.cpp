#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

ValueType device() { return types::text("the name of a device"); }
ValueType object_list(const Keys& keys, const std::vector<std::string>& required) {
  return types::list_of(types::object_of(keys, "an object", required), "a list of objects");
}

}  // namespace

const Keys& slowdown_keys() {
  static const Keys keys = {{"device", "which device", device()},
                            {"factor", "computes take so many times as long (2: half the speed)", types::positive()},
                            {"from", "when it begins", types::time(), "\"0s\""},
                            {"until", "when it ends", types::time(), "never"}};
  return keys;
}

const Keys& jitter_keys() {
  static const Keys keys = {
      {"amplitude",
       "computes take their time times a number drawn from 1 - amplitude to 1 + amplitude",
       {"a number from 0, below 1", Json::object().set("type", "number").set("minimum", 0).set("exclusiveMaximum", 1)}},
      {"seed", "the same seed, the same numbers", types::whole(0), "0"}};
  return keys;
}

const Keys& link_factor_keys() {
  static const Keys keys = {{"at", "from when on", types::time(), "\"0s\""},
                            {"factor", "share of the planned bandwidth; 0: the link is down", types::number()}};
  return keys;
}

const Keys& link_trace_keys() {
  static const Keys keys = {
      {"link", "which link", types::text("the name of a link")},
      {"changes", "its bandwidth over time, in ascending order", object_list(link_factor_keys(), {"factor"})}};
  return keys;
}

const Keys& background_keys() {
  static const Keys keys = {{"from", "the device that sends", device()},
                            {"to", "the device that receives", device()},
                            {"bytes", "of each flow", types::bytes()},
                            {"limit", "the most that one flow takes", types::bandwidth(), "as much as it can get"},
                            {"first", "when the first flow begins", types::time(), "\"0s\""},
                            {"period", "from one flow to the next", types::time(), "one flow only"},
                            {"until", "when the last one may begin", types::time(), "never"}};
  return keys;
}

const Keys& disturbance_keys() {
  static const Keys keys = {
      {"slowdowns", "devices that compute more slowly for a while", object_list(slowdown_keys(), {"device", "factor"}),
       "none"},
      {"jitter", "noise on every compute", types::object_of(jitter_keys(), "an object", {"amplitude"}), "none"},
      {"links", "links that degrade, fail and recover", object_list(link_trace_keys(), {"link", "changes"}), "none"},
      {"background", "flows of others from device to device", object_list(background_keys(), {"from", "to", "bytes"}),
       "none"}};
  return keys;
}

}  // namespace foreflow::scenario
