// "network": how communications are modelled; "disturbances": what does not go as planned. The values are checked when
// the scenario is read, the names of devices and links once the platform is there.
#include <algorithm>
#include <map>
#include <optional>

#include "foreflow/base/text.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

using simulate::Background;
using simulate::LinkChange;
using simulate::LinkTrace;
using simulate::Slowdown;

// Keeps the names; their numbers are places in these lists until the platform is there.
class Names {
 public:
  int device(const JsonView& json) { return add(devices, json); }
  int link(const JsonView& json) { return add(links, json); }

  std::vector<NamedDisturbances::Name> devices, links;

 private:
  static int add(std::vector<NamedDisturbances::Name>& names, const JsonView& json) {
    names.push_back({json.as_string(), json.where()});
    return static_cast<int>(names.size()) - 1;
  }
};

// Gives each name of a list its number on the platform.
template <class Part>
class Numbers {
 public:
  using Find = std::optional<int> (platform::Platform::*)(std::string_view) const;
  Numbers(std::string kind, const platform::Platform& platform, Find find, const platform::List<Part>& parts,
          const std::vector<NamedDisturbances::Name>& names)
      : kind_(std::move(kind)), platform_(platform), find_(find), parts_(parts), names_(names) {}

  int of(int place) const {
    const auto& [name, where] = names_[static_cast<size_t>(place)];
    if (const std::optional<int> found = (platform_.*find_)(name)) return *found;
    std::vector<std::string> all;
    for (const Part& part : parts_) all.push_back(part.name);
    std::sort(all.begin(), all.end());
    throw Error(where,
                "the platform has no " + kind_ + " \"" + name + "\"; the nearest is \"" + nearest(name, all) + "\"");
  }

 private:
  std::string kind_;
  const platform::Platform& platform_;
  Find find_;
  const platform::List<Part>& parts_;
  const std::vector<NamedDisturbances::Name>& names_;
};

Seconds seconds_or(const JsonView& json, std::string_view key, Seconds fallback) {
  return json.has(key) ? json.at(key).as_seconds() : fallback;
}

Slowdown read_slowdown(const JsonView& json, Names& names) {
  json.allow_only({"device", "factor", "from", "until"});
  Slowdown result{names.device(json.at("device")), json.at("factor").as_number(), seconds_or(json, "from", Seconds(0)),
                  seconds_or(json, "until", simulate::kForever)};
  if (!(result.factor > 0)) json.at("factor").fail("is not above 0; 2 means half the speed");
  if (result.until <= result.from) json.at("until").fail("is not after \"from\"");
  return result;
}

LinkTrace read_trace(const JsonView& json, Names& names) {
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

Background read_background(const JsonView& json, Names& names) {
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

}  // namespace

simulate::Coupling read_coupling(const JsonView& json) {
  json.allow_only({"coupling"});
  if (!json.has("coupling")) return simulate::Coupling::automatic;
  return simulate::couplings().get(json.at("coupling").as_string(), json.at("coupling").where()).coupling;
}

void check_disturbance_keys(const JsonView& json) { json.allow_only({"slowdowns", "jitter", "links", "background"}); }

NamedDisturbances read_disturbances(const JsonView& json) {
  check_disturbance_keys(json);
  Names names;
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
  return {std::move(result), std::move(names.devices), std::move(names.links)};
}

simulate::Disturbances numbered(const NamedDisturbances& named, const platform::Platform& platform) {
  using platform::Platform;
  const Numbers devices("device", platform, &Platform::find_device, platform.devices(), named.devices);
  const Numbers links("link", platform, &Platform::find_link, platform.links(), named.links);
  simulate::Disturbances result = named.planned;
  for (Slowdown& one : result.slowdowns) one.device = devices.of(one.device);
  for (LinkTrace& one : result.links) one.link = links.of(one.link);
  for (Background& one : result.background) {
    one.from = devices.of(one.from);
    one.to   = devices.of(one.to);
  }
  return result;
}

}  // namespace foreflow::scenario
