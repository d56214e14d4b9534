#include "foreflow/platform/load.h"

#include <fmt/core.h>

#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/process.h"
#include "foreflow/base/text.h"
#include "platform/document.h"
#include "platform/routing.h"

namespace foreflow::platform {
namespace {

Platform assemble(const std::string& name, Document document, const Routing& routing) {
  std::vector<Link> links;
  for (size_t i = 0; i < document.links.size(); ++i) {
    links.push_back({document.links[i].name, document.links[i].kind, BytesPerSecond(routing.bandwidth[i]),
                     Seconds(routing.latency[i])});
  }
  std::vector<Route> routes;
  routes.reserve(routing.lengths.size());
  auto next = routing.crossed.begin();
  for (const int length : routing.lengths) {
    Route route{{next, next + length}, Seconds(0)};
    for (const int link : route.links) route.latency += links[static_cast<size_t>(link)].latency;
    routes.push_back(std::move(route));
    next += length;
  }
  return {name, std::move(document.devices), std::move(links), std::move(routes)};
}

}  // namespace

Platform load(const std::string& xml_text, const std::string& name) {
  Document document = read_document(xml_text, name);
  check_routed(document.root);
  const std::string answer = run_in_child(name, [&] { return to_bytes(ask_simgrid(xml_text, name, document)); });
  return assemble(name, std::move(document), from_bytes(answer));
}

Platform load_file(const std::string& path) { return load(read_file(path), path); }

Platform make(const Recipe& recipe) { return load(write_xml(recipe), name_of(recipe)); }

Platform make(const TopologyDef& topology, int nodes) { return make(recipe_of(topology, nodes)); }

}  // namespace foreflow::platform
