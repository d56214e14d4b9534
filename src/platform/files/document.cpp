#include "platform/files/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "platform/files/xml_shape.h"
#include "platform/files/xml_values.h"

namespace foreflow::platform {
namespace {

const std::vector<std::string> kRoutings = {"Full", "Floyd", "Dijkstra", "DijkstraCache", "None"};

constexpr const char* kDocumentType = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A key for a pair of names, different for different pairs.
std::string pair_key(const std::string& from, const std::string& to) {
  return fmt::format("{}-{}-{}", from.size(), from, to);
}

std::string text(const pugi::xml_node& node, const char* attribute) { return node.attribute(attribute).value(); }

class Reader {
 public:
  Reader(const std::string& xml_text, const std::string& file) : text_(xml_text), source_(xml_text, file) {}

  Document read() {
    pugi::xml_document xml;
    const pugi::xml_parse_result parsed = xml.load_buffer(text_.data(), text_.size());
    if (!parsed) fail_malformed(parsed);
    const pugi::xml_node platform = xml.document_element();
    if (platform.name() != std::string("platform")) {
      source_.fail(platform, fmt::format("the outermost element is <{}>; it must be <platform version=\"4.1\">",
                                         platform.name()));
    }
    check_shape(platform, source_);
    if (const std::string version = text(platform, "version"); version != "4.1") {
      source_.fail(platform, fmt::format("the version is \"{}\"; it must be \"4.1\"", version));
    }
    if (text_.find(kDocumentType) == std::string::npos)
      source_.fail(platform, fmt::format("SimGrid needs {} before it", kDocumentType));
    const pugi::xml_node root = platform.first_child();
    if (!root) source_.fail(platform, "is empty; it must hold one <zone>");
    if (const pugi::xml_node second = root.next_sibling())
      source_.fail(second, "a second outermost <zone>; put both into one zone");
    document_.root = read_zone(root);
    if (document_.devices.empty()) source_.fail(root, "the platform has no host; it must have at least one");
    return std::move(document_);
  }

 private:
  [[noreturn]] void fail_malformed(const pugi::xml_parse_result& parsed) const {
    std::string problem = parsed.description();
    problem[0]          = static_cast<char>(std::tolower(static_cast<unsigned char>(problem[0])));
    throw Error(source_.where(static_cast<size_t>(std::max<ptrdiff_t>(parsed.offset, 0))), "malformed XML: " + problem);
  }

  // Hosts, routers and zones share one set of names; links have another.
  std::string new_id(const pugi::xml_node& node, std::unordered_set<std::string>& used) const {
    std::string id = text(node, "id");
    if (id.empty()) source_.fail(node, fmt::format("<{}> has an empty id; give it a name", node.name()));
    if (!used.insert(id).second)
      source_.fail(node, fmt::format("the id \"{}\" is used twice; give every element its own", id));
    return id;
  }

  ZoneSpec read_zone(const pugi::xml_node& node) {
    ZoneSpec zone;
    zone.where   = source_.where(node);
    zone.id      = new_id(node, ids_);
    zone.routing = text(node, "routing");
    for (const pugi::xml_node& prop : node.children("prop")) {
      if (const pugi::xml_node before = prop.previous_sibling(); before && before.name() != std::string("prop"))
        source_.fail(prop,
                     fmt::format("the properties of zone \"{}\" must stand before everything else in it", zone.id));
    }
    const ZoneElement props = read_zone_props(node, source_);
    zone.ecmp               = props.ecmp;
    zone.relays             = props.relays;
    if (!contains(kRoutings, zone.routing)) {
      source_.fail(
          node, fmt::format("zone \"{}\": unknown routing \"{}\"; use {}", zone.id, zone.routing, list_or(kRoutings)));
    }
    for (const pugi::xml_node& child : node.children()) {
      const std::string name = child.name();
      if (name == "zone") zone.zones.push_back(read_zone(child));
      if (name == "host") read_device(child, zone);
      if (name == "router") zone.routers.push_back(new_member(child, zone));
      if (name == "link") read_split_link(child, props);
      if (name == "route" || name == "zoneRoute") read_route(child, zone);
    }
    if (!zone.zones.empty() && !(zone.hosts.empty() && zone.routers.empty())) {
      source_.fail(
          node,
          fmt::format("zone \"{}\": mixes zones with hosts or routers; put those into a zone of their own", zone.id));
    }
    return zone;
  }

  std::string new_member(const pugi::xml_node& node, const ZoneSpec& zone) {
    std::string id = new_id(node, ids_);
    zone_of_.emplace(id, zone.id);
    return id;
  }

  bool is_member(const ZoneSpec& zone, const std::string& id) const {
    const auto found = zone_of_.find(id);
    return found != zone_of_.end() && found->second == zone.id;
  }

  bool is_inside(const ZoneSpec& zone, const std::string& id) const {
    return is_member(zone, id) || std::any_of(zone.zones.begin(), zone.zones.end(),
                                              [&](const ZoneSpec& child) { return is_inside(child, id); });
  }

  void read_device(const pugi::xml_node& node, ZoneSpec& zone) {
    zone.hosts.push_back(new_member(node, zone));
    Device device    = read_host(node, source_);
    const int number = in_node_[device.node]++;
    if (device.rail < 0) device.rail = number;
    document_.devices.push_back(std::move(device));
  }

  void read_split_link(const pugi::xml_node& node, const ZoneElement& zone) {
    new_id(node, link_ids_);
    auto [link, split]     = read_link(node, zone, source_);
    const std::string name = link.name;
    links_[name]           = {static_cast<int>(document_.links.size()), split};
    if (!split) return add_link(node, std::move(link));
    link.name = name + "_UP";
    add_link(node, link);
    link.name = name + "_DOWN";
    add_link(node, std::move(link));
  }

  void add_link(const pugi::xml_node& node, Link link) {
    if (!link_names_.insert(link.name).second) {
      source_.fail(
          node,
          fmt::format("a second link \"{}\"; a SPLITDUPLEX link X takes the names X_UP and X_DOWN, choose another",
                      link.name));
    }
    document_.links.push_back(std::move(link));
    document_.link_offsets.push_back(XmlSource::offset(node));
  }

  void read_route(const pugi::xml_node& node, ZoneSpec& zone) {
    RouteSpec route{text(node, "src"),      text(node, "dst"), text(node, "gw_src"), text(node, "gw_dst"), {},
                    XmlSource::offset(node)};
    const bool between_zones = node.name() == std::string("zoneRoute");
    for (const auto& [end, gateway] :
         {std::pair{route.from, route.gateway_from}, std::pair{route.to, route.gateway_to}}) {
      if (between_zones) {
        check_gateway(node, zone, end, gateway);
      } else if (!is_member(zone, end)) {
        source_.fail(node, fmt::format("\"{}\" is no host or router declared before in zone \"{}\"{}", end, zone.id,
                                       hint(end, ids_)));
      }
    }
    if (route.from == route.to)
      source_.fail(node, fmt::format("a route from \"{}\" to itself; a route joins two different ends", route.from));
    if (!node.first_child()) {
      source_.fail(
          node, fmt::format("the route from \"{}\" to \"{}\" crosses no link; add a <link_ctn>", route.from, route.to));
    }
    std::vector<int> back;
    for (const pugi::xml_node& crossing : node.children()) {
      const auto [there, other_way] = crossed_links(crossing);
      route.links.push_back(there);
      back.insert(back.begin(), other_way);
    }
    RouteSpec reversed{route.to, route.from, route.gateway_to, route.gateway_from, std::move(back), route.offset};
    add_route(node, zone, std::move(route));
    if (is_symmetrical(node)) add_route(node, zone, std::move(reversed));
  }

  void check_gateway(const pugi::xml_node& node, const ZoneSpec& parent, const std::string& id,
                     const std::string& gateway) const {
    const auto zone =
        std::find_if(parent.zones.begin(), parent.zones.end(), [&](const ZoneSpec& child) { return child.id == id; });
    if (zone == parent.zones.end()) {
      source_.fail(node,
                   fmt::format("\"{}\" is no zone declared before in zone \"{}\"{}", id, parent.id, hint(id, ids_)));
    }
    if (is_inside(*zone, gateway)) return;
    source_.fail(node, fmt::format("the gateway \"{}\" is no host or router in zone \"{}\"{}", gateway, id,
                                   hint(gateway, ids_)));
  }

  // The link that a crossing means, and the one of the way back.
  std::pair<int, int> crossed_links(const pugi::xml_node& node) const {
    const std::string link      = text(node, "id");
    const std::string direction = node.attribute("direction").as_string("NONE");
    const auto found            = links_.find(link);
    if (found == links_.end())
      source_.fail(node, fmt::format("no link \"{}\" is declared before{}", link, hint(link, link_ids_)));
    const auto [first, split] = found->second;
    if (split && direction != "UP" && direction != "DOWN") {
      source_.fail(node,
                   fmt::format("the link \"{}\" is SPLITDUPLEX; say direction=\"UP\" or direction=\"DOWN\"", link));
    }
    if (!split && direction != "NONE") {
      source_.fail(node,
                   fmt::format("the link \"{}\" has no directions; leave direction out or make it SPLITDUPLEX", link));
    }
    if (!split) return {first, first};
    return direction == "UP" ? std::pair{first, first + 1} : std::pair{first + 1, first};
  }

  bool is_symmetrical(const pugi::xml_node& node) const {
    const std::string answer = node.attribute("symmetrical").as_string("YES");
    if (answer != "YES" && answer != "NO")
      source_.fail(node, fmt::format("symmetrical is \"{}\"; say YES or NO", answer));
    return answer == "YES";
  }

  void add_route(const pugi::xml_node& node, ZoneSpec& zone, RouteSpec route) {
    if (!routed_.insert(pair_key(route.from, route.to)).second) {
      source_.fail(
          node, fmt::format(
                    "a second route from \"{}\" to \"{}\"; keep one (routes are symmetrical unless symmetrical=\"NO\")",
                    route.from, route.to));
    }
    zone.routes.push_back(std::move(route));
  }

  static std::string hint(const std::string& name, const std::unordered_set<std::string>& known) {
    if (known.empty() || known.contains(name)) return "";
    std::vector<std::string> names(known.begin(), known.end());
    std::sort(names.begin(), names.end());
    return suggestion(name, names);
  }

  struct Declared {
    int first;  // index into Document::links
    bool split;
  };

  const std::string& text_;
  XmlSource source_;
  Document document_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> link_ids_;
  std::unordered_set<std::string> link_names_;            // as SimGrid has them
  std::unordered_map<std::string, Declared> links_;       // by the id in the file
  std::unordered_map<std::string, std::string> zone_of_;  // of each host and router
  std::unordered_map<std::string, int> in_node_;          // devices so far
  std::unordered_set<std::string> routed_;                // pairs; names are unique, so over all zones
};

}  // namespace

Document read_document(const std::string& xml_text, const std::string& file) { return Reader(xml_text, file).read(); }

}  // namespace foreflow::platform
