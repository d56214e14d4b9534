#include "platform/imports/hwloc_links.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::imports {
namespace {

constexpr int kSwitch = -1, kOther = -2;  // objects that are no GPUs

// A matrix of hwloc.
struct Bandwidths {
  const char* kind;          // of its links
  std::vector<int> objects;  // GPUs, or one of the above
  std::vector<double> megabytes;

  BytesPerSecond at(size_t a, size_t b) const { return BytesPerSecond(megabytes[a * objects.size() + b] * 1e6); }
};

// The words of all children of this name.
std::vector<std::string> words_below(const pugi::xml_node& element, const char* name) {
  std::vector<std::string> all;
  for (const pugi::xml_node& child : element.children(name)) {
    for (std::string& word : words_of(child.child_value())) all.push_back(std::move(word));
  }
  return all;
}

// NVML names GPUs first, then switches, which are PCI devices, and CPUs.
std::vector<int> objects_of(std::vector<std::string> names, size_t size, int gpus, const GpuOfObject& gpu_of) {
  names.resize(size);
  std::vector<int> objects;
  for (const std::string& name : names) {
    const auto gpu = gpu_of.find(std::string_view(name).substr(name.find(':') + 1));
    objects.push_back(gpu != gpu_of.end() ? gpu->second : name.starts_with("PCI") ? kSwitch : kOther);
  }
  if (std::all_of(objects.begin(), objects.end(), [](int object) { return object < 0; })) {
    for (int gpu = 0; gpu < gpus; ++gpu) nth(objects, gpu) = gpu;
  }
  return objects;
}

std::optional<Bandwidths> bandwidths_of(const pugi::xml_node& topology, int gpus, const GpuOfObject& gpu_of) {
  for (const pugi::xml_node& element : topology.children()) {
    const std::string_view name = element.attribute("name").value();
    if (name != "NVLinkBandwidth" && name != "XGMIBandwidth") continue;
    const std::vector<std::string> values = words_below(element, "u64values");
    const auto size                       = static_cast<size_t>(element.attribute("nbobjs").as_uint());
    if (size < static_cast<size_t>(gpus) || values.size() != size * size) continue;
    Bandwidths matrix{name == "XGMIBandwidth" ? "xgmi" : "nvlink",
                      objects_of(words_below(element, "indexes"), size, gpus, gpu_of),
                      {}};
    for (const std::string& value : values) matrix.megabytes.push_back(parse_number<double>(value).value_or(0));
    return matrix;
  }
  return std::nullopt;
}

// Links between two GPUs. True if there are any.
bool add_direct(Node& node, const Bandwidths& matrix) {
  bool any = false;
  for (size_t a = 0; a < matrix.objects.size(); ++a) {
    for (size_t b = a + 1; b < matrix.objects.size(); ++b) {
      const auto [from, to]     = std::minmax(matrix.objects[a], matrix.objects[b]);
      const BytesPerSecond rate = matrix.at(a, b);
      if (from < 0 || from == to || !(rate.value() > 0)) continue;
      any = true;
      connect(node, fmt::format("gpu{}-gpu{}", from, to), {matrix.kind, rate, kDirectLatency}, from, to);
    }
  }
  return any;
}

// The rate of each GPU to all objects of a kind together.
std::vector<BytesPerSecond> rates_to(const Bandwidths& matrix, int kind, int gpus) {
  std::vector<BytesPerSecond> rates(static_cast<size_t>(gpus));
  for (size_t a = 0; a < matrix.objects.size(); ++a) {
    for (size_t b = 0; b < matrix.objects.size() && matrix.objects[a] >= 0; ++b) {
      if (matrix.objects[b] == kind) nth(rates, matrix.objects[a]) += matrix.at(a, b);
    }
  }
  return rates;
}

// Links from GPUs to switches. True if there are any.
bool add_switched(Server& server, const Bandwidths& matrix) {
  const std::vector<BytesPerSecond> rates = rates_to(matrix, kSwitch, server.node.gpus);
  if (std::none_of(rates.begin(), rates.end(), [](BytesPerSecond rate) { return rate.value() > 0; })) return false;
  server.assumed.push_back(fmt::format("NVSwitch: the {} switches of the file are one that does not block",
                                       std::count(matrix.objects.begin(), matrix.objects.end(), kSwitch)));
  const int centre = add_switch(server.node, "nvswitch");
  for (int gpu = 0; gpu < server.node.gpus; ++gpu) {
    if (!(nth(rates, gpu).value() > 0)) continue;
    connect(server.node, fmt::format("gpu{}-{}", gpu, matrix.kind), {matrix.kind, nth(rates, gpu), kNvlinkLatency}, gpu,
            centre);
  }
  return true;
}

void note_others(Server& server, const Bandwidths& matrix) {
  const std::vector<BytesPerSecond> rates = rates_to(matrix, kOther, server.node.gpus);
  const BytesPerSecond most               = *std::max_element(rates.begin(), rates.end());
  if (!(most.value() > 0)) return;
  server.assumed.push_back(
      fmt::format("links to what is neither a GPU nor a switch, such as CPUs: left out, up to {} of a GPU; these "
                  "messages take PCIe",
                  format(most)));
}

}  // namespace

void add_links(Server& server, const pugi::xml_node& topology, const GpuOfObject& gpu_of) {
  const std::optional<Bandwidths> matrix = bandwidths_of(topology, server.node.gpus, gpu_of);
  bool any                               = false;
  if (matrix) {
    any = add_direct(server.node, *matrix);
    any = add_switched(server, *matrix) || any;
    note_others(server, *matrix);
  }
  if (!any) server.assumed.emplace_back("links between GPUs: the file has none, so messages take PCIe");
}

}  // namespace foreflow::platform::imports
