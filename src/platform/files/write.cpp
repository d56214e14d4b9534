// A blueprint as SimGrid XML: one zone, one route for each link, from which shortest paths follow. Where messages take
// other ways (Valiant, UGAL), one route for each pair of devices.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "platform/blueprint.h"
#include "platform/link_property.h"
#include "platform/link_text.h"

namespace foreflow::platform {
namespace {

std::string prop(const std::string& id, const std::string& value) {
  return fmt::format("<prop id=\"{}\" value=\"{}\"/>", escape::markup(id), escape::markup(value));
}

// The text that all hosts with the same data sheet have in common.
std::string props_of(const DataSheet& gpu, const Cpu& cpu) {
  const char* indent = "      ";
  std::string text   = indent + prop("kind", gpu.kind) + "\n";
  for (const auto& [id, value] :
       {std::pair{"memory", to_text(gpu.memory)}, std::pair{"memory_bandwidth", memory_text(gpu.memory_bandwidth)},
        std::pair{"launch", to_text(gpu.launch)}})
    text += indent + prop(id, value) + "\n";
  for (const auto& [dtype, peak] : gpu.peaks) text += indent + prop("peak_" + dtype, to_text(peak)) + "\n";
  if (gpu.nvlink_generation > 0) text += indent + prop("nvlink_generation", to_text(gpu.nvlink_generation)) + "\n";
  if (!cpu.name.empty()) text += indent + prop("cpu", cpu.name) + "\n";
  return text;
}

// The numbers that every link has are attributes, the others properties where the recipe states them.
std::string link_element(const Cable& cable) {
  Link link;
  link.bandwidth = cable.port.bandwidth;
  link.latency   = cable.port.latency;
  link           = changed(cable.changed, std::move(link));
  std::string attributes, props = prop("kind", cable.port.kind);
  for (const auto& [id, value] : cable.props) props += prop(id, value);
  for (const LinkProperty& property : link_properties()) {
    const std::string& name = property.key.name;
    if (property.attribute) {
      attributes += fmt::format(" {}=\"{}\"", name, property.text(link));
    } else if (cable.changed.stated.contains(name)) {
      props += prop(name, property.text(link));
    }
  }
  return fmt::format("    <link id=\"{}\"{} sharing_policy=\"SPLITDUPLEX\">{}</link>\n", escape::markup(cable.name),
                     attributes, props);
}

// The beginning of a file, with all but the routes.
std::string members(const Blueprint& blueprint, std::string_view routing) {
  std::string xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<!--";
  for (const std::string& line : blueprint.comment) xml += " " + escape::markup_comment(line) + "\n    ";
  xml += "-->\n<platform version=\"4.1\">\n";
  xml += fmt::format("  <zone id=\"cluster\" routing=\"{}\">\n", routing);
  for (const auto& [id, value] : blueprint.props) xml += "    " + prop(id, value) + "\n";
  std::vector<std::string> sheets;
  for (const HostSheet& sheet : blueprint.sheets) sheets.push_back(props_of(sheet.gpu, sheet.cpu));
  auto end         = std::back_inserter(xml);
  const auto named = [&](int vertex) { return escape::markup(nth(blueprint.vertices, vertex)); };
  for (const Host& host : blueprint.hosts) {
    const auto sheet = static_cast<size_t>(host.sheet);
    fmt::format_to(end,
                   "    <host id=\"{}\" speed=\"{}\">\n      <prop id=\"node\" value=\"{}\"/>\n      <prop id=\"rail\" "
                   "value=\"{}\"/>\n{}    </host>\n",
                   named(host.vertex), to_text(blueprint.sheets[sheet].gpu.peaks.front().second),
                   escape::markup(host.node), host.rail, sheets[sheet]);
  }
  for (const int router : blueprint.routers) fmt::format_to(end, "    <router id=\"{}\"/>\n", named(router));
  for (const Cable& cable : blueprint.cables) xml += link_element(cable);
  return xml;
}

constexpr std::string_view kEnd = "  </zone>\n</platform>\n";

// A crossing of one direction of a cable: "node0-nic0_UP".
std::string crossing(const std::string& link) {
  const size_t end = link.rfind('_');
  return fmt::format("<link_ctn id=\"{}\" direction=\"{}\"/>", escape::markup(link.substr(0, end)),
                     link.substr(end + 1));
}

std::string write_pairs(const Recipe& recipe) {
  constexpr int64_t kMost = 256;
  if (device_count(recipe) > kMost) {
    throw Error(
        name_of(recipe),
        fmt::format("the routing \"{}\" takes ways that are not the shortest, so a file lists a route for every two "
                    "devices, of {} at most; use the recipe as it is",
                    recipe.routing, kMost));
  }
  const Platform platform = make(recipe);
  std::string xml         = members(compose(recipe), "Full");
  const auto devices      = static_cast<int>(platform.devices().size());
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      fmt::format_to(std::back_inserter(xml), "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
                     escape::markup(nth(platform.devices(), from).name),
                     escape::markup(nth(platform.devices(), to).name));
      for (const int link : platform.route(from, to).links) xml += crossing(nth(platform.links(), link).name);
      xml += "</route>\n";
    }
  }
  return xml.append(kEnd);
}

}  // namespace

std::string write(const Blueprint& blueprint) {
  std::string xml  = members(blueprint, "Dijkstra");
  auto end         = std::back_inserter(xml);
  const auto named = [&](int vertex) { return escape::markup(nth(blueprint.vertices, vertex)); };
  for (const Cable& cable : blueprint.cables) {
    fmt::format_to(end, "    <route src=\"{}\" dst=\"{}\"><link_ctn id=\"{}\" direction=\"UP\"/></route>\n",
                   named(cable.from), named(cable.to), escape::markup(cable.name));
  }
  return xml.append(kEnd);
}

std::string write_xml(const Recipe& recipe) {
  if (recipe.fabric->build(recipe.settings, outlets_of(recipe.parts, recipe.routing)).path) return write_pairs(recipe);
  return write(compose(recipe));
}

}  // namespace foreflow::platform
