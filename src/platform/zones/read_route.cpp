// <route>, <zoneRoute>, <bypassRoute> and <bypassZoneRoute>.
#include <algorithm>

#include "foreflow/base/nth.h"
#include "platform/zones/dtd.h"
#include "platform/zones/reading.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

// The link that a crossing means, and the one of the way back.
std::pair<int, int> crossed_links(Reading& reading, const pugi::xml_node& node) {
  const std::string id             = text(node, "id");
  const std::string_view direction = attribute(node, "direction");
  const auto split                 = reading.splits.find(id);
  if (direction == "NONE") {
    if (const auto link = find_link(reading.tree(), id)) return {*link, *link};
    if (split != reading.splits.end()) {
      reading.fail(node, fmt::format("the link \"{}\" is SPLITDUPLEX; say direction=\"UP\" or direction=\"DOWN\"", id));
    }
    reading.fail(node, fmt::format("no link \"{}\" is declared before", id));
  }
  int first = -1;
  if (split != reading.splits.end()) first = split->second;
  if (first < 0) {  // of a cluster
    const auto up = find_link(reading.tree(), id + "_UP"), down = find_link(reading.tree(), id + "_DOWN");
    const bool listed = up && reading.tree().link_names.contains(id + "_UP");
    if (up && down && !listed) first = *up;
  }
  if (first < 0) {
    const bool known = find_link(reading.tree(), id).has_value();
    reading.fail(
        node, known ? fmt::format("the link \"{}\" has no directions; leave direction out or make it SPLITDUPLEX", id)
                    : fmt::format("no SPLITDUPLEX link \"{}\" is declared before", id));
  }
  return direction == "UP" ? std::pair{first, first + 1} : std::pair{first + 1, first};
}

Point point_of(Reading& reading, const pugi::xml_node& node, const char* attribute) {
  const std::string id = text(node, attribute);
  const auto point     = find_point(reading.tree(), id);
  if (!point) {
    reading.fail(node, fmt::format("{}: no host, router or zone \"{}\" is declared before{}", attribute, id,
                                   nearest_point(reading, id)));
  }
  return *point;
}

// The end must be a member of the zone itself, and a zone for those between zones.
Point end_of(Reading& reading, const pugi::xml_node& node, const char* attribute, int zone, bool between_zones) {
  const Point point    = point_of(reading, node, attribute);
  const std::string id = text(node, attribute);
  const bool is_zone   = point.zone >= 0 && zone_at(reading.tree(), point).has_value();
  if (is_zone != between_zones) {
    reading.fail(node, between_zones
                           ? fmt::format("{}: \"{}\" is no zone; a <{}> joins zones", attribute, id, node.name())
                           : fmt::format("{}: \"{}\" is a zone; write a <zoneRoute> with gateways", attribute, id));
  }
  if (point.zone != zone) {
    reading.fail(node, fmt::format("{}: \"{}\" is not in zone \"{}\" itself", attribute, id,
                                   nth(reading.tree().zones, zone).id));
  }
  return point;
}

Point gateway_of(Reading& reading, const pugi::xml_node& node, const char* attribute, Point of) {
  const Tree& tree     = reading.tree();
  const std::string id = text(node, attribute);
  const Point point    = point_of(reading, node, attribute);
  const int wanted     = *zone_at(tree, of);
  if (point.zone < 0 || zone_at(tree, point))
    reading.fail(node, fmt::format("{}: the gateway \"{}\" is a zone; name a host or router in it", attribute, id));
  int zone = point.zone;
  while (zone >= 0 && zone != wanted) zone = nth(tree.zones, zone).parent;
  if (zone < 0) {
    reading.fail(node, fmt::format("{}: the gateway \"{}\" is no host or router in zone \"{}\"", attribute, id,
                                   nth(tree.zones, wanted).id));
  }
  return point;
}

struct Crossed {
  std::vector<int> forth, back;
};

Crossed links_of(Reading& reading, const pugi::xml_node& node) {
  Crossed result;
  for (const pugi::xml_node& crossing : node.children()) {
    const auto [there, other_way] = crossed_links(reading, crossing);
    result.forth.push_back(there);
    result.back.insert(result.back.begin(), other_way);
  }
  if (result.forth.empty()) {
    reading.fail(node, fmt::format("the route from \"{}\" to \"{}\" crosses no link; add a <link_ctn>",
                                   text(node, "src"), text(node, "dst")));
  }
  return result;
}

void add_path(Reading& reading, const pugi::xml_node& node, Zone& zone, Path path) {
  if (!zone.path_of.emplace(std::pair{path.from, path.to}, static_cast<int>(zone.paths.size())).second) {
    reading.fail(node, fmt::format("a second route between \"{}\" and \"{}\"; keep one (routes are symmetrical unless "
                                   "symmetrical=\"NO\")",
                                   text(node, "src"), text(node, "dst")));
  }
  zone.paths.push_back(std::move(path));
}

// Zones may lie anywhere inside the one that declares the bypass.
Point bypassed_zone(Reading& reading, const pugi::xml_node& node, const char* attribute) {
  const Point point = point_of(reading, node, attribute);
  if (point.zone < 0 || !zone_at(reading.tree(), point))
    reading.fail(
        node, fmt::format("{}: \"{}\" is no zone; a <{}> joins zones", attribute, text(node, attribute), node.name()));
  return point;
}

void read_bypass(Reading& reading, const pugi::xml_node& node, int zone, bool between_zones) {
  Path path{};
  Point from{}, to{};
  if (between_zones) {
    from           = bypassed_zone(reading, node, "src");
    to             = bypassed_zone(reading, node, "dst");
    path.from_gate = gateway_of(reading, node, "gw_src", from);
    path.to_gate   = gateway_of(reading, node, "gw_dst", to);
  } else {
    from = end_of(reading, node, "src", zone, false);
    to   = end_of(reading, node, "dst", zone, false);
  }
  path.links = links_of(reading, node).forth;
  if (!nth(reading.tree().zones, zone).bypasses.emplace(std::pair{from, to}, std::move(path)).second) {
    reading.fail(node,
                 fmt::format("a second bypass from \"{}\" to \"{}\"; keep one", text(node, "src"), text(node, "dst")));
  }
}

void read_loopback(Reading& reading, const pugi::xml_node& node, Zone& zone, Point host) {
  zone.ends[host.member].loopback = links_of(reading, node).forth;
}

}  // namespace

void read_route(Reading& reading, const pugi::xml_node& node, int number) {
  const std::string_view name = node.name();
  const bool between_zones    = name.ends_with("zoneRoute") || name.ends_with("ZoneRoute") || name.ends_with("ASroute");
  if (name.starts_with("bypass")) return read_bypass(reading, node, number, between_zones);
  Zone& zone       = nth(reading.tree().zones, number);
  const Point from = end_of(reading, node, "src", number, between_zones);
  const Point to   = end_of(reading, node, "dst", number, between_zones);
  if (zone.routing->star && from == to && !between_zones) return read_loopback(reading, node, zone, from);
  if (!zone.routing->paths) {
    reading.fail(node, fmt::format("zone \"{}\": its routing \"{}\" takes no <{}> between two members", zone.id,
                                   zone.routing->name, name));
  }
  Path path{from.member, to.member, {}};
  if (between_zones) {
    path.from_gate = gateway_of(reading, node, "gw_src", from);
    path.to_gate   = gateway_of(reading, node, "gw_dst", to);
    if (path.from_gate == path.to_gate)
      reading.fail(node, fmt::format("a route from the gateway \"{}\" to itself", text(node, "gw_src")));
  }
  Crossed crossed = links_of(reading, node);
  Path back{to.member, from.member, std::move(crossed.back), path.to_gate, path.from_gate};
  path.links = std::move(crossed.forth);
  add_path(reading, node, zone, std::move(path));
  const std::string_view symmetrical = attribute(node, "symmetrical");
  if (from != to && (symmetrical == "YES" || symmetrical == "yes")) add_path(reading, node, zone, std::move(back));
}

}  // namespace foreflow::platform::zones
