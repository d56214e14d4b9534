// <config>: what a file asks of SimGrid's models. Foreflow honours the numbers that say how much of a link's bandwidth
// is left, how long its latency is and how large TCP's window is, and names the rest. A model sets those that the file
// does not state itself.
#include <algorithm>
#include <array>
#include <optional>

#include "foreflow/base/text.h"
#include "platform/zones/dtd.h"
#include "platform/zones/reading.h"

namespace foreflow::platform::zones {
namespace {

// Factors of SimGrid's network models for messages of any size (chapter "The SimGrid Models" of its manual). CM02 is
// what Foreflow does by itself, but for TCP's window: a link is shared by its bandwidth.
struct Model {
  std::string_view name;
  double bandwidth_factor, latency_factor;
  bool known          = true;   // false: its factors depend on the size of the message
  bool weighs         = false;  // flows of long latency have a smaller share of a link, and both directions share it
  std::string_view no = {};     // why it is refused
};

constexpr double kWindow = 4194304;  // SimGrid's network/TCP-gamma where no file sets it, under every model

const std::vector<Model>& models() {
  constexpr std::string_view kPackets =
      "asks for a simulator of packets, which Foreflow has not; use \"CM02\" or leave it out";
  static const std::vector<Model> rows = {{"CM02", 1, 1},
                                          {"LV08", 0.97, 13.01, true, true},
                                          {"SMPI", 1, 1, false},
                                          {"IB", 1, 1, false},
                                          {"Constant", 1, 1, false},
                                          {"ptask_L07", 1, 1, false},
                                          {"ns-3", 1, 1, true, false, kPackets},
                                          {"NS3", 1, 1, true, false, kPackets}};
  return rows;
}

// Returns true if the setting of SimGrid changes no predicted time here. Such settings say how it computes, what it
// writes, and that hosts have coordinates, which Foreflow reads anyway. A "/" at the end stands for all that begin so.
bool changes_nothing(std::string_view id) {
  constexpr std::array<std::string_view, 23> kSuch = {"bmf/",
                                                      "clean-atexit",
                                                      "cmonkey/",
                                                      "contexts/",
                                                      "coordinates",
                                                      "cpu/",
                                                      "debug/",
                                                      "disk/",
                                                      "exception/",
                                                      "help-nostop",
                                                      "maxmin/",
                                                      "network/coordinates",
                                                      "network/maxmin-selective-update",
                                                      "network/optim",
                                                      "network/solver",
                                                      "ns3/",
                                                      "model-check/",
                                                      "precision/",
                                                      "surf/",
                                                      "tracing",
                                                      "tracing/",
                                                      "verbose-exit",
                                                      "viva/"};
  return std::any_of(kSuch.begin(), kSuch.end(),
                     [&](std::string_view one) { return one.back() == '/' ? id.starts_with(one) : id == one; });
}

// The settings that a file asks for. A member is empty if the file does not mention it.
struct Asked {
  const Model* model = nullptr;
  std::optional<double> bandwidth_factor, latency_factor, window;
  bool weights = false, crosstraffic = false;
};

bool set_model(Reading& reading, const pugi::xml_node& node, const std::string& value, Asked& asked) {
  for (const Model& model : models()) {
    if (model.name != value) continue;
    if (!model.no.empty()) reading.fail(node, fmt::format("network/model \"{}\" {}", value, model.no));
    asked.model = &model;
    return model.known;
  }
  return false;
}

bool set_number(std::optional<double>& number, const std::string& value, double least, double most) {
  const auto read = parse_number<double>(value);
  if (!read || !(*read >= least) || *read > most) return false;
  number = *read;
  return true;
}

// Returns true if Foreflow does what the entry asks for.
bool honoured(Reading& reading, const pugi::xml_node& node, Asked& asked) {
  constexpr double kLeast = 1e-9, kMost = 1e9, kLargest = 1e18;
  const std::string id = text(node, "id"), value = text(node, "value");
  if (id == "network/model") return set_model(reading, node, value, asked);
  if (id == "network/bandwidth-factor") return set_number(asked.bandwidth_factor, value, kLeast, 1);
  if (id == "network/latency-factor") return set_number(asked.latency_factor, value, 1, kMost);
  if (id == "network/TCP-gamma") return set_number(asked.window, value, 0, kLargest);
  if (id == "network/crosstraffic") {
    asked.crosstraffic = true;
    return value == "0" || value == "no" || value == "off" || value == "false";
  }
  if (id == "network/weight-S") {
    asked.weights = true;
    return parse_number<double>(value) == 0;
  }
  if (id == "path") {
    reading.folders.push_back(value);
    return true;
  }
  return changes_nothing(id);
}

// Why lists "SIZE:FACTOR;..." are not honoured.
std::string_view reason(const std::string& value) {
  return value.find(':') == std::string::npos
             ? ""
             : " (by the size of a message, and a phase of a collective is one flow of many messages)";
}

}  // namespace

void read_config(Reading& reading, const pugi::xml_node& node) {
  Asked asked;
  std::string names;
  const auto name = [&](const std::string& one) { names += (names.empty() ? "" : ", ") + one; };
  for (const pugi::xml_node& prop : node.children("prop")) {
    if (honoured(reading, prop, asked)) continue;
    const std::string value = text(prop, "value");
    name(fmt::format("{} \"{}\"{}", text(prop, "id"), value, reason(value)));
  }
  if (asked.model != nullptr && asked.model->weighs) {
    if (!asked.weights) name(fmt::format("network/weight-S of {}", asked.model->name));
    if (!asked.crosstraffic) name(fmt::format("network/crosstraffic of {}", asked.model->name));
  }
  NetworkConfig& network = reading.document.network;
  if (asked.model != nullptr && asked.model->known)
    network = {asked.model->bandwidth_factor, asked.model->latency_factor, kWindow};
  network.bandwidth_factor = asked.bandwidth_factor.value_or(network.bandwidth_factor);
  network.latency_factor   = asked.latency_factor.value_or(network.latency_factor);
  network.window           = asked.window.value_or(network.window);
  if (!names.empty()) reading.document.ignored.push_back("config: " + names);
}

}  // namespace foreflow::platform::zones
