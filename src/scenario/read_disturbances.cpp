// "network": how communications are modelled; "disturbances": what does not go as planned. The values are checked when
// the scenario is read, the names of devices and links once the platform is there.
#include <map>

#include "foreflow/base/text.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

using simulate::Background;
using simulate::LinkChange;
using simulate::LinkTrace;
using simulate::Slowdown;

// Numbers of the platform's devices and links; without a platform every name is number 0.
class Names {
 public:
  explicit Names(const platform::Platform* platform) : known_(platform != nullptr) {
    if (!known_) return;
    for (const platform::Device& device : platform->devices()) add(devices_, device.name);
    for (const platform::Link& link : platform->links()) add(links_, link.name);
  }

  int device(const JsonView& json) const { return find(devices_, json, "device"); }
  int link(const JsonView& json) const { return find(links_, json, "link"); }

 private:
  using Numbers = std::map<std::string, int>;

  static void add(Numbers& numbers, const std::string& name) {
    numbers.emplace(name, static_cast<int>(numbers.size()));
  }
  int find(const Numbers& numbers, const JsonView& json, const std::string& kind) const {
    const std::string& name = json.as_string();
    if (!known_) return 0;
    const auto found = numbers.find(name);
    if (found != numbers.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [one, number] : numbers) names.push_back(one);
    json.fail("the platform has no " + kind + " \"" + name + "\"; the nearest is \"" + nearest(name, names) + "\"");
  }

  bool known_;
  Numbers devices_, links_;
};

Seconds seconds_or(const JsonView& json, std::string_view key, Seconds fallback) {
  return json.has(key) ? json.at(key).as_seconds() : fallback;
}

Slowdown read_slowdown(const JsonView& json, const Names& names) {
  json.allow_only({"device", "factor", "from", "until"});
  Slowdown result{names.device(json.at("device")), json.at("factor").as_number(), seconds_or(json, "from", Seconds(0)),
                  seconds_or(json, "until", simulate::kForever)};
  if (!(result.factor > 0)) json.at("factor").fail("is not above 0; 2 means half the speed");
  if (result.until <= result.from) json.at("until").fail("is not after \"from\"");
  return result;
}

LinkTrace read_trace(const JsonView& json, const Names& names) {
  json.allow_only({"link", "changes"});
  LinkTrace result{names.link(json.at("link")), {}};
  for (const JsonView& change : json.at("changes").items()) {
    change.allow_only({"at", "factor"});
    const LinkChange next{seconds_or(change, "at", Seconds(0)), change.at("factor").as_number()};
    if (!(next.factor >= 0)) change.at("factor").fail("is below 0; 0 means down, 1 as planned");
    if (!result.changes.empty() && next.at <= result.changes.back().at)
      change.fail("is not after the change before it; sort them by \"at\"");
    result.changes.push_back(next);
  }
  if (result.changes.empty()) json.at("changes").fail("is empty; give at least one");
  return result;
}

Background read_background(const JsonView& json, const Names& names) {
  json.allow_only({"from", "to", "bytes", "limit", "first", "period", "until"});
  Background result;
  result.from = names.device(json.at("from"));
  result.to   = names.device(json.at("to"));
  if (json.at("from").as_string() == json.at("to").as_string())
    json.at("to").fail("is the device that sends; name another one");
  result.bytes = json.at("bytes").as_bytes();
  if (!(result.bytes > Bytes(0))) json.at("bytes").fail("is not above 0");
  if (json.has("limit")) {
    result.limit = json.at("limit").as_bandwidth();
    if (!(result.limit > BytesPerSecond(0))) json.at("limit").fail("is not above 0; leave it out for no limit");
  }
  result.first  = seconds_or(json, "first", Seconds(0));
  result.period = seconds_or(json, "period", Seconds(0));
  if (json.has("period") && !(result.period > Seconds(0)))
    json.at("period").fail("is not above 0; leave it out for one flow");
  result.until = seconds_or(json, "until", simulate::kForever);
  if (result.until <= result.first) json.at("until").fail("is not after \"first\"");
  return result;
}

simulate::Jitter read_jitter(const JsonView& json) {
  json.allow_only({"amplitude", "seed"});
  simulate::Jitter result;
  result.amplitude = json.at("amplitude").as_number();
  if (!(result.amplitude >= 0 && result.amplitude < 1)) json.at("amplitude").fail("is not in [0, 1); 0.05 means 5 %");
  const int64_t seed = json.int_or("seed", 0);
  if (seed < 0) json.at("seed").fail("is below 0");
  result.seed = static_cast<uint64_t>(seed);
  return result;
}

simulate::Disturbances read(const JsonView& json, const Names& names) {
  check_disturbance_keys(json);
  simulate::Disturbances result;
  if (json.has("jitter")) result.jitter = read_jitter(json.at("jitter"));
  if (json.has("slowdowns"))
    for (const JsonView& one : json.at("slowdowns").items()) result.slowdowns.push_back(read_slowdown(one, names));
  if (json.has("links")) {
    std::map<std::string, int> traces;
    for (const JsonView& one : json.at("links").items()) {
      result.links.push_back(read_trace(one, names));
      if (++traces[one.at("link").as_string()] > 1)
        one.at("link").fail("has a trace already; give all its changes in one");
    }
  }
  if (json.has("background"))
    for (const JsonView& one : json.at("background").items()) result.background.push_back(read_background(one, names));
  return result;
}

}  // namespace

simulate::Coupling read_coupling(const JsonView& json) {
  json.allow_only({"coupling"});
  if (!json.has("coupling")) return simulate::Coupling::automatic;
  return simulate::couplings().get(json.at("coupling").as_string(), json.at("coupling").where()).coupling;
}

void check_disturbance_keys(const JsonView& json) { json.allow_only({"slowdowns", "jitter", "links", "background"}); }

void check_disturbances(const JsonView& json) { read(json, Names(nullptr)); }

simulate::Disturbances read_disturbances(const JsonView& json, const platform::Platform& platform) {
  return read(json, Names(&platform));
}

}  // namespace foreflow::scenario
