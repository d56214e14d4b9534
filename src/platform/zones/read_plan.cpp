#include "foreflow/platform/cpu.h"
#include "foreflow/platform/host_devices.h"

namespace foreflow::platform {
namespace {

constexpr int kMostPerHost = 1024;

const Keys& keys_of_hosts() {
  static const Keys keys = {{"device", "what sits in them", device_type(), "the CPU of the host"},
                            {"devices_per_host", "how many sit in each", types::whole(1, kMostPerHost), "1"},
                            {"cpu",
                             "the CPU of the hosts (`foreflow list cpus`), or the single-thread rating of PassMark of "
                             "another one",
                             cpu_type(), "as the file says; unknown if it says nothing"}};
  return keys;
}

HostDevices read_keys(const std::string& pattern, const JsonView& json) {
  HostDevices row{pattern, {}, 1};
  if (json.has("device")) row.device = read_device(json.at("device"));
  if (json.has("cpu")) row.device.cpu = read_cpu(json.at("cpu"));
  if (json.has("devices_per_host")) {
    const JsonView count = json.at("devices_per_host");
    const int64_t number = count.as_int();
    if (number < 1 || number > kMostPerHost) count.fail("is not a whole number from 1 to 1024");
    if (number > 1 && !row.device.sheet) count.fail("stands without \"device\", which says what they are");
    row.per_host = static_cast<int>(number);
  }
  return row;
}

// A name stands for an object with that device.
HostDevices read_row(const std::string& pattern, const JsonView& json) {
  if (json.json().if_string() != nullptr) return {pattern, read_device(json), 1};
  json.allow_only(names_of(keys_of_hosts()));
  return read_keys(pattern, json);
}

}  // namespace

const Keys& host_device_keys() {
  static const Keys keys = {keys_of_hosts()[1],
                            {"devices", "other devices for hosts or zones by their names (`*` is any text)",
                             types::map_of(".+",
                                           types::either({types::text("a name of `foreflow list devices`"),
                                                          types::object_of(keys_of_hosts(), "an object")}),
                                           "an object")},
                            keys_of_hosts()[2]};
  return keys;
}

DevicePlan read_device_plan(const JsonView& json) {
  DevicePlan plan;
  if (json.has("devices")) {
    for (const auto& [pattern, row] : json.at("devices").members()) {
      plan.push_back(read_row(pattern, row));
    }
  }
  if (json.has("device") || json.has("devices_per_host") || json.has("cpu")) plan.push_back(read_keys("*", json));
  return plan;
}

}  // namespace foreflow::platform
