// A platform file of SimGrid as plain values: zones in zones, hosts and links in blocks that are named by rule, and
// what its routes say. Hosts, routers and zones are members of the zone around them; hosts and links are numbered in
// the order of the file.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foreflow/platform/platform.h"
#include "platform/zones/cluster.h"
#include "platform/zones/names.h"
#include "platform/zones/way.h"

namespace foreflow::platform::zones {

struct RoutingDef;

// Equal hosts.
struct HostBlock {
  Series names;
  int first;             // of the hosts, counted over the file
  Point place;           // of the first; the others follow it
  FlopsPerSecond speed;  // of a core, in the state that the file chooses
  int cores;
};

// Links that are named by one rule.
struct LinkBlock {
  Series names;
  bool split                             = false;  // each name is two links: _UP and _DOWN
  int first                              = 0;
  int count                              = 1;
  std::shared_ptr<const Cluster> cluster = nullptr;  // has the names in place of `names`
  std::vector<int> kinds;        // of all; of a cluster: backbone, loopbacks, limiters, cables by width
  std::vector<int> widths = {};  // those of `kinds` from the fourth on
};

// A <route> or <zoneRoute> in one direction.
struct Path {
  int from, to;  // members
  std::vector<int> links;
  Point from_gate{}, to_gate{};  // of a zoneRoute
};

// How a member of a star reaches its middle.
struct StarEnd {
  std::vector<int> up, down, loopback;
};

using Coordinates = std::array<double, 3>;  // milliseconds

struct Zone {
  std::string id, where;  // "FILE:LINE:COLUMN"
  const RoutingDef* routing                        = nullptr;
  int parent                                       = -1;  // -1: the root
  int member                                       = -1;  // of the parent
  int members                                      = 0;
  bool inner                                       = false;  // holds zones
  std::vector<Path> paths                          = {};     // in the order of the file; a symmetrical one stands twice
  std::map<std::pair<int, int>, int> path_of       = {};
  std::map<std::pair<Point, Point>, Path> bypasses = {};  // between hosts, or between zones
  std::map<int, StarEnd> ends                      = {};  // of a star; members without: they are in the middle
  std::map<int, Coordinates> coordinates           = {};
  std::shared_ptr<const Cluster> cluster           = nullptr;  // all of its hosts
};

struct Tree {
  std::vector<Zone> zones;  // the root is the first; a zone stands before those in it
  std::vector<HostBlock> hosts;
  std::vector<LinkBlock> links;
  std::vector<Link> link_kinds;  // without names
  int host_count = 0, link_count = 0;
  int loopback = -1;  // SimGrid's link of messages to oneself, where a route may need it

  std::unordered_map<std::string, Point> points;     // of what is listed: hosts, routers, zones
  std::unordered_map<std::string, int> host_blocks;  // of listed hosts
  std::vector<int> host_series;                      // blocks of several hosts
  std::unordered_map<std::string, int> link_names;   // of what is listed
  std::vector<int> link_series;                      // blocks of several links that are not listed
};

const HostBlock& block_of_host(const Tree& tree, int host);
const LinkBlock& block_of_link(const Tree& tree, int link);
std::string host_name(const Tree& tree, int host);
std::string link_name(const Tree& tree, int link);
int link_kind(const Tree& tree, int link);
Point place_of_host(const Tree& tree, int host);
std::optional<int> find_host(const Tree& tree, std::string_view name);
std::optional<int> find_link(const Tree& tree, std::string_view name);
// A host, a router or a zone.
std::optional<Point> find_point(const Tree& tree, std::string_view name);
// The zone that is this member; none: it is a host or a router.
std::optional<int> zone_at(const Tree& tree, Point point);

}  // namespace foreflow::platform::zones
