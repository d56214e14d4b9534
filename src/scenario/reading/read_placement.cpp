#include "foreflow/scenario/read_placement.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/axes.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

constexpr std::array<std::string_view, 4> kDimensions = {"tp", "cp", "pp", "dp"};  // by Dimension

const platform::PlacementDef& policy(const std::string& name, const std::string& where) {
  return platform::placements().get(name, where);
}

// "tp-dp-pp", or "tp-pp-cp-dp"; ranks that share a sequence follow those of tp unless it says otherwise.
std::array<Dimension, 4> read_order(const JsonView& json) {
  std::vector<std::string> words = split(json.as_string(), '-');
  const auto tensor              = std::find(words.begin(), words.end(), "tp");
  if (words.size() + 1 == kDimensions.size() && tensor != words.end() &&
      std::find(words.begin(), words.end(), "cp") == words.end())
    words.insert(tensor + 1, "cp");
  std::array<Dimension, 4> order{};
  std::vector<std::string_view> left(kDimensions.begin(), kDimensions.end());
  for (const std::string& word : words) {
    const auto dimension = std::find(kDimensions.begin(), kDimensions.end(), word);
    const auto unused    = std::find(left.begin(), left.end(), word);
    if (unused == left.end() || words.size() != order.size())
      json.fail("\"" + json.as_string() +
                "\" is no order of tp, pp and dp; write one like \"tp-pp-dp\", innermost first");
    order[order.size() - left.size()] = static_cast<Dimension>(dimension - kDimensions.begin());
    left.erase(unused);
  }
  return order;
}

std::vector<std::string> read_devices(const JsonView& json) {
  std::vector<std::string> devices;
  for (const JsonView& device : json.items())
    devices.push_back(device.json().if_int() != nullptr ? std::to_string(device.as_int()) : device.as_string());
  if (devices.empty()) json.fail("lists no device; name some, or leave it out for all");
  return devices;
}

uint64_t read_seed(const JsonView& json) {
  const int64_t seed = json.as_int();
  if (seed < 0) json.fail(std::to_string(seed) + " is too small; use 0 or more");
  return static_cast<uint64_t>(seed);
}

bool is_any(const JsonView& json) { return json.json().if_string() != nullptr && *json.json().if_string() == "any"; }

// With `searches`, the order may be "any", which is read like an absent one.
Placement read(const JsonView& json, bool searches) {
  Placement placement;
  if (json.json().if_string() == nullptr && json.json().if_object() == nullptr)
    json.fail("is neither the name of a policy nor an object; write \"packed\", or {\"policy\": \"packed\", ...}");
  if (json.json().if_string() != nullptr) {
    placement.policy = &policy(json.as_string(), json.where());
  } else {
    json.allow_only(names_of(placement_keys()));
    if (json.has("devices")) placement.devices = read_devices(json.at("devices"));
    if (json.has("order") && !(searches && is_any(json.at("order")))) placement.order = read_order(json.at("order"));
    const std::string name = json.string_or("policy", placement.devices.empty() ? "packed" : "explicit");
    placement.policy       = &policy(name, json.has("policy") ? json.at("policy").where() : json.where());
  }
  if (placement.policy->is_listed && placement.devices.empty())
    json.fail("an explicit placement needs \"devices\", such as [\"node0-gpu0\", 3, \"8-15\"]");
  if (json.json().find("seed") == nullptr) return placement;
  if (!placement.policy->uses_seed) json.at("seed").fail("is for the policy random only");
  placement.seed = read_seed(json.at("seed"));
  return placement;
}

using Platforms = std::vector<const platform::Platform*>;

// Throws the Error of the first platform where no platform has these devices.
void check_devices(const std::vector<std::string>& devices, const std::string& where, const Platforms& platforms) {
  std::optional<Refusal> first;
  for (const platform::Platform* platform : platforms) {
    const auto found = try_devices(devices, where, *platform);
    if (found) return;
    if (!first) first = found.refusal();
  }
  if (first) throw RefusalError(*first);
}

void check_whole(const JsonView& json, bool searches, const Platforms& platforms) {
  const Placement placement = read(json, searches);
  if (!placement.devices.empty()) check_devices(placement.devices, json.at("devices").where(), platforms);
}

// The values of a key: those of its axis, or its only one; none where it is absent.
std::vector<JsonView> values_of(const JsonView& json, const std::string& key) {
  if (!json.has(key)) return {};
  const JsonView value = json.at(key);
  return is_axis("placement." + key, value.json()) ? value.items() : std::vector{value};
}

}  // namespace

Placement read_placement(const JsonView& json) { return read(json, false); }

void check_placement(const JsonView& json, const Platforms& platforms) {
  if (json.json().if_array() != nullptr) {
    for (const JsonView& item : json.items()) check_whole(item, false, platforms);
    return;
  }
  const Json::Object* members = json.json().if_object();
  const auto has_axis         = [](const auto& member) { return is_axis("placement." + member.first, member.second); };
  if (members == nullptr || std::none_of(members->begin(), members->end(), has_axis))
    return check_whole(json, true, platforms);
  json.allow_only(names_of(placement_keys()));
  for (const JsonView& value : values_of(json, "policy")) policy(value.as_string(), value.where());
  for (const JsonView& value : values_of(json, "devices")) check_devices(read_devices(value), value.where(), platforms);
  for (const JsonView& value : values_of(json, "seed")) read_seed(value);
  if (json.has("order") && is_any(json.at("order"))) return;
  for (const JsonView& value : values_of(json, "order")) read_order(value);
}

Expected<Placement> try_read_placement(const JsonView& json) {
  try {
    return read_placement(json);
  } catch (const Error& error) {
    return Refusal(Cause::placement, error.where(), error.problem());
  }
}

std::string describe(const Placement& placement) {
  std::string text(placement.policy->name);
  if (placement.policy->uses_seed) text += ", seed " + std::to_string(placement.seed);
  if (placement.order == Placement{}.order) return text;
  std::string words;
  for (const Dimension dimension : placement.order) words += "-" + std::string(nth(kDimensions, dimension));
  if (const size_t usual = words.find("tp-cp"); usual != std::string::npos) words.erase(usual + 2, 3);
  text += ", order " + words.substr(1);
  return text;
}

}  // namespace foreflow::scenario
