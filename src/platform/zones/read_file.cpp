#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "foreflow/base/text.h"
#include "platform/zones/dtd.h"
#include "platform/zones/reading.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

[[noreturn]] void fail_malformed(const XmlSource& source, const pugi::xml_parse_result& parsed) {
  std::string problem = parsed.description();
  problem[0]          = static_cast<char>(std::tolower(static_cast<unsigned char>(problem[0])));
  throw Error(source.where(static_cast<size_t>(std::max<ptrdiff_t>(parsed.offset, 0))), "malformed XML: " + problem);
}

// SimGrid's DTD names itself by one of two addresses; its reader wants either.
void check_head(const Reading& reading, const pugi::xml_node& platform, const std::string& xml_text) {
  if (platform.name() != std::string_view("platform")) {
    reading.fail(platform,
                 fmt::format("the outermost element is <{}>; it must be <platform version=\"4.1\">", platform.name()));
  }
  // Before the grammar, which is that of this version.
  const std::string version = platform.attribute("version").value();
  const auto number         = parse_number<double>(version);
  if (!version.empty() && !(number && *number >= 4 && *number <= 4.1001)) {
    reading.fail(platform, fmt::format("the version is \"{}\"; it must be \"4.1\" (simgrid_update_xml brings older "
                                       "files up to date)",
                                       version));
  }
  check_dtd(platform, reading.source);
  if (xml_text.find("<!DOCTYPE") == std::string::npos)
    reading.fail(platform, "SimGrid needs <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"> before it");
}

// Any of them is the root of the platform.
bool is_root(std::string_view name) { return name == "zone" || name == "AS" || name == "cluster"; }

void read_top(Reading& reading, const pugi::xml_node& node) {
  const std::string_view name = node.name();
  if (name == "config") return read_config(reading, node);
  if (name == "trace") return read_trace(reading, node);
  if (name == "trace_connect") return connect_trace(reading, node);
  if (name == "peer") reading.fail(node, "<peer> stands in a zone with routing=\"Vivaldi\" only");
  if (name == "cabinet") reading.fail(node, "<cabinet> stands in a zone with routing=\"Cluster\" only");
  if (!is_root(name)) return;
  if (!reading.tree().zones.empty())
    reading.fail(node, fmt::format("a second outermost <{}>; put both into one zone", name));
  if (name == "cluster") return read_cluster(reading, node, -1);
  read_zone(reading, node, -1);
}

// A device stands in a host as several properties. "kind" alone may be anybody's: files of SimGrid have any properties.
bool is_of_device(std::string_view property) {
  return property == "memory_bandwidth" || property == "launch" || property.starts_with("peak_");
}

// A look that spares large files of Foreflow's own form a second pass; false when in doubt.
bool first_host_states_device(const std::string& xml_text) {
  const size_t host = xml_text.find("<host");
  const size_t end  = std::min(xml_text.find("</host>", host), xml_text.find("<link", host));
  return xml_text.find("<prop id=\"kind\"", host) < end && xml_text.find("<prop id=\"launch\"", host) < end &&
         end != std::string::npos;
}

bool states_device(const pugi::xml_node& node) {
  if (node.name() != std::string_view("host") || !node.find_child_by_attribute("prop", "id", "kind")) return false;
  return static_cast<bool>(node.find_child([](const pugi::xml_node& prop) {
    return prop.name() == std::string_view("prop") && is_of_device(prop.attribute("id").value());
  }));
}

size_t count_actors(const pugi::xml_node& platform) {
  size_t actors = 0;
  for (const pugi::xml_node& child : platform.children()) {
    const std::string_view name = child.name();
    actors += name == "actor" || name == "process" ? 1 : 0;
  }
  return actors;
}

[[noreturn]] void fail_empty(const Reading& reading, const pugi::xml_node& platform) {
  if (count_actors(platform) == 0) reading.fail(platform, "is empty; it must hold one <zone> or <cluster>");
  reading.fail(platform,
               "has actors and no hardware: it is a deployment file, which says what runs where; give the platform "
               "file that it is for, with one <zone> or <cluster>");
}

// Actors and the random generators of SimGrid 3.3 describe no hardware.
void note_actors(Reading& reading, const pugi::xml_node& platform) {
  const size_t actors = count_actors(platform);
  if (actors > 0)
    reading.document.ignored.push_back(fmt::format("{} <actor> elements: Foreflow runs its own programs", actors));
}

size_t hosts_with_properties_of_devices(const pugi::xml_node& node) {
  size_t hosts = 0;
  for (const pugi::xml_node& child : node.children()) {
    const auto properties = child.children("prop");
    const bool has        = child.name() == std::string_view("host") &&
                     std::any_of(properties.begin(), properties.end(), [](const pugi::xml_node& prop) {
                       const std::string_view id = prop.attribute("id").value();
                       return id == "memory" || is_of_device(id);
                     });
    hosts += has ? 1 : hosts_with_properties_of_devices(child);
  }
  return hosts;
}

void note_devices(Reading& reading, const pugi::xml_node& platform) {
  const size_t hosts = hosts_with_properties_of_devices(platform);
  if (hosts == 0) return;
  reading.document.ignored.push_back(
      fmt::format("properties of devices, such as \"memory\", of {} {}: a device has \"kind\", \"node\", \"memory\", "
                  "\"memory_bandwidth\", \"launch\" and \"peak_f32\"",
                  hosts, hosts == 1 ? "host" : "hosts"));
}

// The link by which SimGrid reaches a gateway from itself: at the ends of a bypass between zones.
void add_loopback(Reading& reading, const pugi::xml_node& platform) {
  constexpr BytesPerSecond kBandwidth(1e10);  // the default of SimGrid's network/loopback-bw
  Tree& tree         = reading.tree();
  const bool reached = std::any_of(tree.zones.begin(), tree.zones.end(), [](const Zone& zone) {
    return std::any_of(zone.bypasses.begin(), zone.bypasses.end(),
                       [](const auto& bypass) { return bypass.second.from_gate != kNowhere; });
  });
  if (!reached) return;
  Link numbers;
  numbers.bandwidth = kBandwidth;
  numbers.fat       = true;
  tree.loopback     = add_links(reading, platform, Series{"__loopback__"}, false, numbers);
}

}  // namespace

std::string text(const pugi::xml_node& node, const char* name) { return std::string(attribute(node, name)); }

bool is_simgrid_form(const std::string& xml_text) {
  if (xml_text.find("\"kind\"") == std::string::npos && xml_text.find("'kind'") == std::string::npos) return true;
  if (first_host_states_device(xml_text)) return false;
  pugi::xml_document xml;
  if (!xml.load_buffer(xml_text.data(), xml_text.size())) return false;
  return !xml.find_node(states_device);
}

Document read(const std::string& xml_text, const std::string& file) {
  const XmlSource source(xml_text, file);
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(xml_text.data(), xml_text.size());
  if (!parsed) fail_malformed(source, parsed);
  const pugi::xml_node platform = xml.document_element();
  Reading reading{file, source};
  check_head(reading, platform, xml_text);
  for (const pugi::xml_node& child : platform.children()) read_top(reading, child);
  Tree& tree = reading.tree();
  if (tree.zones.empty()) fail_empty(reading, platform);
  if (tree.host_count == 0) reading.fail(platform, "the platform has no host; it must have at least one");
  connect_traces(reading);
  note_actors(reading, platform);
  note_devices(reading, platform);
  add_loopback(reading, platform);
  tree.link_kinds = reading.link_kinds.examples();
  return std::move(reading.document);
}

}  // namespace foreflow::platform::zones
