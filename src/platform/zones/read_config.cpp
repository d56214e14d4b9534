// <config>: what a file asks of SimGrid's models. Foreflow honours the numbers that say how much of a link's bandwidth
// is left and how long its latency is, and names the rest.
#include <cmath>

#include "foreflow/base/text.h"
#include "platform/zones/dtd.h"
#include "platform/zones/reading.h"

namespace foreflow::platform::zones {
namespace {

// Factors of SimGrid's network models for messages of any size (chapter "The SimGrid Models" of its manual). CM02 is
// what Foreflow does by itself: a link is shared by its bandwidth.
struct Model {
  std::string_view name;
  double bandwidth_factor, latency_factor;
  bool known          = true;  // false: its factors depend on the size of the message
  std::string_view no = "";    // why it is refused
};

const std::vector<Model>& models() {
  constexpr std::string_view kPackets =
      "asks for a simulator of packets, which Foreflow has not; use \"CM02\" or leave it out";
  static const std::vector<Model> all = {{"CM02", 1, 1},
                                         {"LV08", 0.97, 13.01},
                                         {"SMPI", 1, 1, false},
                                         {"IB", 1, 1, false},
                                         {"Constant", 1, 1, false},
                                         {"ptask_L07", 1, 1, false},
                                         {"ns-3", 1, 1, true, kPackets},
                                         {"NS3", 1, 1, true, kPackets}};
  return all;
}

bool set_model(Reading& reading, const pugi::xml_node& node, const std::string& value) {
  for (const Model& model : models()) {
    if (model.name != value) continue;
    if (!model.no.empty()) reading.fail(node, fmt::format("network/model \"{}\" {}", value, model.no));
    reading.document.network = {model.bandwidth_factor, model.latency_factor};
    return model.known;
  }
  return false;
}

bool set_factor(double& factor, const std::string& value, double most) {
  const auto number = parse_number<double>(value);
  if (!number || !(*number > 0) || !std::isfinite(*number) || *number > most) return false;
  factor = *number;
  return true;
}

// Whether Foreflow does what the entry asks for.
bool honoured(Reading& reading, const pugi::xml_node& node, const std::string& id, const std::string& value) {
  constexpr double kMost = 1e9;
  NetworkConfig& network = reading.document.network;
  if (id == "network/model") return set_model(reading, node, value);
  if (id == "network/bandwidth-factor") return set_factor(network.bandwidth_factor, value, 1);
  if (id == "network/latency-factor") return set_factor(network.latency_factor, value, kMost);
  if (id == "network/crosstraffic") return value == "0" || value == "no" || value == "off" || value == "false";
  if (id == "network/TCP-gamma" || id == "network/weight-S") return parse_number<double>(value) == 0;
  if (id == "path") {
    reading.folders.push_back(value);
    return true;
  }
  return !id.starts_with("network/") && !id.starts_with("host/") && !id.starts_with("smpi/");
}

}  // namespace

void read_config(Reading& reading, const pugi::xml_node& node) {
  std::string names;
  for (const pugi::xml_node& prop : node.children("prop")) {
    const std::string id = text(prop, "id"), value = text(prop, "value");
    if (honoured(reading, prop, id, value)) continue;
    names += fmt::format("{}{} \"{}\"", names.empty() ? "" : ", ", id, value);
  }
  if (!names.empty()) reading.document.ignored.push_back("config: " + names);
}

}  // namespace foreflow::platform::zones
