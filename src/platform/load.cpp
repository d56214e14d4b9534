#include "foreflow/platform/load.h"

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/process.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/import.h"
#include "platform/files/document.h"
#include "platform/files/routing.h"
#include "platform/zones/machine.h"

namespace foreflow::platform {
namespace {

// SimGrid is asked for the route of every pair, which must be remembered.
constexpr size_t kMostByTable = 1024;

// The routes that SimGrid found, in the order of its answer.
Router look_up(size_t devices, const std::vector<Link>& links, Routing routing) {
  struct Table {
    std::vector<Seconds> latencies;  // of the links
    std::vector<size_t> ends;        // of the route from i to j, at i * devices + j
    std::vector<int> crossed;
  };
  Table table{{}, {}, std::move(routing.crossed)};
  for (const Link& link : links) table.latencies.push_back(link.latency);
  size_t end = 0;
  for (const int length : routing.lengths) table.ends.push_back(end += static_cast<size_t>(length));
  return [devices, shared = std::make_shared<const Table>(std::move(table))](int from, int to) {
    const size_t pair      = static_cast<size_t>(from) * devices + static_cast<size_t>(to);
    const int* const first = shared->crossed.data() + (pair == 0 ? 0 : shared->ends[pair - 1]);
    Route route{{first, shared->crossed.data() + shared->ends[pair]}, Seconds(0)};
    for (const int link : route.links) route.latency += nth(shared->latencies, link);
    return route;
  };
}

Platform with_routes_of_simgrid(const std::string& xml_text, const std::string& name, Document document) {
  if (document.devices.size() > kMostByTable) {
    throw Error(document.root.where,
                fmt::format("{} devices, but SimGrid routes zones like these for at most {}; write the platform as a "
                            "graph, one zone with routing=\"Dijkstra\", which has any size",
                            document.devices.size(), kMostByTable));
  }
  check_routed(document.root);
  Routing routing = from_bytes(run_in_child(name, [&] { return to_bytes(ask_simgrid(xml_text, name, document)); }));
  for (size_t i = 0; i < document.links.size(); ++i) {
    document.links[i].bandwidth = BytesPerSecond(routing.bandwidth[i]);
    document.links[i].latency   = Seconds(routing.latency[i]);
  }
  Router router = look_up(document.devices.size(), document.links, std::move(routing));
  return {name, std::move(document.devices), std::move(document.links), std::move(router)};
}

// The output of a tool about a machine is no platform yet, and as XML it would only be malformed.
void refuse_importable(const std::string& text, const std::string& name) {
  if (text.find("<platform") != std::string::npos) return;
  const std::string_view format = import_format(text);
  if (format.empty()) return;
  throw Error(name, fmt::format("has the form of {}, not of a platform file; foreflow platform --from {} -o FILE.xml "
                                "makes one of it",
                                format, name));
}

Platform load_devices(const std::string& xml_text, const std::string& name) {
  Document document = read_document(xml_text, name);
  if (!is_graph(document)) return with_routes_of_simgrid(xml_text, name, std::move(document));
  Graph graph = read_graph(document, xml_text, name);
  return {name, std::move(document.devices), std::move(document.links), std::move(graph)};
}

}  // namespace

Platform load(const std::string& xml_text, const std::string& name, const DevicePlan& plan) {
  refuse_importable(xml_text, name);
  if (zones::is_simgrid_form(xml_text)) return zones::make(zones::read(xml_text, name), plan, name);
  if (plan.size() > 1 || (!plan.empty() && (plan.front().pattern != "*" || plan.front().per_host > 1))) {
    throw Error(name,
                "says itself what its devices are; \"devices\" and \"devices_per_host\" are for files whose hosts "
                "state no device");
  }
  Platform platform = load_devices(xml_text, name);
  return plan.empty() ? platform : with_devices(platform, plan.front().device);
}
Platform load_file(const std::string& path, const DevicePlan& plan) {
  return load(read_file(path, {4'000'000'000, "has more than 4 GB; no platform file is that large"}), path, plan);
}

}  // namespace foreflow::platform
