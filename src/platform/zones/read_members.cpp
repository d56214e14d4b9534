// Zones, hosts, routers and links.
#include <algorithm>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/recipe.h"
#include "platform/zones/dtd.h"
#include "platform/zones/quantities.h"
#include "platform/zones/reading.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

[[noreturn]] void fail_taken(const Reading& reading, const pugi::xml_node& node, const std::string& id) {
  reading.fail(node, fmt::format("the id \"{}\" is used twice; give every element its own", id));
}

// Takes the id of a zone or a router, which no zone, router or host before it may have.
void take_id(Reading& reading, const pugi::xml_node& node, const std::string& id, Point place) {
  if (id.empty()) reading.fail(node, fmt::format("<{}> has an empty id; give it a name", node.name()));
  if (find_host(reading.tree(), id) || !reading.tree().points.emplace(id, place).second) fail_taken(reading, node, id);
}

// Takes the id of a host. A zone or a router before it may have the same; from then on the id means the host.
void take_host_id(Reading& reading, const pugi::xml_node& node, const std::string& id, Point place) {
  if (id.empty()) reading.fail(node, fmt::format("<{}> has an empty id; give it a name", node.name()));
  if (find_host(reading.tree(), id)) fail_taken(reading, node, id);
  reading.tree().points.insert_or_assign(id, place);
}

void take_host_ids(Reading& reading, const pugi::xml_node& node, const Series& names, Point first) {
  Tree& tree   = reading.tree();
  auto& blocks = reading.series[names.prefix + '\n' + names.suffix];
  for (int i = 0; i < names.size(); ++i) {
    const bool ruled     = std::any_of(blocks.begin(), blocks.end(), [&](int block) {
      return nth(tree.hosts, block).names.radical->index(names.radical->number(i)).has_value();
    });
    const std::string id = names.name(i);
    if (ruled || tree.host_blocks.contains(id)) fail_taken(reading, node, id);
    if (const auto known = tree.points.find(id); known != tree.points.end())
      known->second = {first.zone, first.member + i};
  }
  blocks.push_back(static_cast<int>(tree.hosts.size()));
}

// "25.5 9.4 1.4".
Coordinates read_coordinates(const Reading& reading, const pugi::xml_node& node) {
  const std::string all = text(node, "coordinates");
  Coordinates result{};
  size_t begin = 0, count = 0;
  while (begin <= all.size()) {
    const size_t end = std::min(all.find(' ', begin), all.size());
    const auto value = parse_number<double>(all.substr(begin, end - begin));
    if (!value || count == result.size()) break;
    result[count++] = *value;
    begin           = end + 1;
  }
  if (count != result.size() || begin <= all.size()) {
    reading.fail(node, fmt::format("coordinates \"{}\" must be three numbers in a zone with routing=\"Vivaldi\", like "
                                   "\"25.5 9.4 1.4\"",
                                   all));
  }
  return result;
}

void place_by_coordinates(Reading& reading, const pugi::xml_node& node, int zone, int member) {
  Zone& inside = nth(reading.tree().zones, zone);
  if (inside.routing->name == "Vivaldi") inside.coordinates[member] = read_coordinates(reading, node);
}

void check_contents(const Reading& reading, const pugi::xml_node& node) {
  pugi::xml_node zone, leaf;
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view name = child.name();
    if (name == "zone" || name == "AS" || name == "cluster") zone = child;
    if (name == "host" || name == "router" || name == "cabinet" || name == "host_link") leaf = child;
  }
  if (zone && leaf) {
    reading.fail(leaf,
                 fmt::format("<{}> beside <{}> in zone \"{}\": a zone holds zones, or hosts and routers; put those "
                             "into a zone of their own",
                             leaf.name(), zone.name(), text(node, "id")));
  }
}

void refuse_outside_star(const Reading& reading, const pugi::xml_node& node, const Zone& zone, const char* routing) {
  if (zone.routing->name != routing)
    reading.fail(node, fmt::format("<{}> stands in a zone with routing=\"{}\" only", node.name(), routing));
}

void read_router(Reading& reading, const pugi::xml_node& node, int zone) {
  const int member = add_member(reading, node, text(node, "id"), zone);
  Zone& inside     = nth(reading.tree().zones, zone);
  if (!text(node, "coordinates").empty()) inside.coordinates[member] = read_coordinates(reading, node);
}

// The backbone joins both halves of each way.
void read_host_link(Reading& reading, const pugi::xml_node& node, int zone, int backbone) {
  Tree& tree      = reading.tree();
  const auto host = find_point(tree, text(node, "id"));
  if (!host || host->zone != zone) {
    reading.fail(node, fmt::format("\"{}\" is no host declared before in zone \"{}\"{}", text(node, "id"),
                                   nth(tree.zones, zone).id, nearest_point(reading, text(node, "id"))));
  }
  const auto link = [&](const char* attribute) {
    const auto found = find_link(tree, text(node, attribute));
    if (!found)
      reading.fail(node, fmt::format("{}: no link \"{}\" is declared before", attribute, text(node, attribute)));
    return *found;
  };
  StarEnd end{{link("up")}, {link("down")}, {}};
  if (backbone >= 0) {
    end.up.push_back(backbone);
    end.down.insert(end.down.begin(), backbone);
  }
  nth(tree.zones, zone).ends[host->member] = std::move(end);
}

void read_disk(Reading& reading, const pugi::xml_node& node, const std::string& host) {
  const auto speed = [&](const char* name) {
    return reading.at(node, name, [&] { return read_bandwidth(attribute(node, name)); });
  };
  reading.document.disks.push_back({host, text(node, "id"), speed("read_bw"), speed("write_bw")});
}

}  // namespace

std::string nearest_point(Reading& reading, const std::string& id) {
  std::vector<std::string> names;
  for (const auto& [name, point] : reading.tree().points) names.push_back(name);
  std::sort(names.begin(), names.end());
  return suggestion(id, names);
}

int add_zone(Reading& reading, const pugi::xml_node& node, int parent) {
  Tree& tree = reading.tree();
  Zone zone;
  zone.where  = reading.source.where(node);
  zone.parent = parent;
  if (parent >= 0) {
    Zone& around = nth(tree.zones, parent);
    zone.member  = around.members++;
    around.inner = true;
  }
  zone.id = text(node, "id");
  take_id(reading, node, zone.id, {parent, zone.member});
  tree.zones.push_back(std::move(zone));
  return static_cast<int>(tree.zones.size()) - 1;
}

int add_member(Reading& reading, const pugi::xml_node& node, const std::string& name, int zone) {
  Zone& inside     = nth(reading.tree().zones, zone);
  const int member = inside.members++;
  take_id(reading, node, name, {zone, member});
  return member;
}

int add_hosts(Reading& reading, const pugi::xml_node& node, Series names, int zone, FlopsPerSecond speed, int cores) {
  Tree& tree      = reading.tree();
  const int count = names.size();
  if (int64_t{tree.host_count} + count > kMostDevices)
    reading.fail(node, fmt::format("the platform has more than {} hosts", kMostDevices));
  const int first = tree.host_count, number = static_cast<int>(tree.hosts.size());
  int& members = nth(tree.zones, zone).members;
  const Point place{zone, members};
  if (names.radical) {
    take_host_ids(reading, node, names, place);
    tree.host_series.push_back(number);
  } else {
    take_host_id(reading, node, names.prefix, place);
    tree.host_blocks[names.prefix] = number;
  }
  members += count;
  tree.hosts.push_back({std::move(names), first, place, speed, cores});
  tree.host_count += count;
  return first;
}

int add_links(Reading& reading, const pugi::xml_node& node, Series names, bool split, const Link& numbers) {
  Tree& tree      = reading.tree();
  const int count = names.size() * (split ? 2 : 1), first = tree.link_count;
  const auto add = [&](const std::string& name, int link) {
    if (name.empty()) reading.fail(node, fmt::format("<{}> has an empty id; give it a name", node.name()));
    if (find_link(tree, name) || !tree.link_names.emplace(name, link).second)
      reading.fail(node, fmt::format("a second link \"{}\"; give every link its own name", name));
  };
  if (names.radical) {
    tree.link_series.push_back(static_cast<int>(tree.links.size()));
  } else if (split) {
    add(names.prefix + "_UP", first);
    add(names.prefix + "_DOWN", first + 1);
    reading.splits[names.prefix] = first;
  } else {
    add(names.prefix, first);
  }
  LinkBlock block;
  block.names = std::move(names);
  block.split = split;
  block.first = first;
  block.count = count;
  block.kinds = {reading.link_kinds.of(numbers)};
  tree.links.push_back(std::move(block));
  tree.link_count += count;
  return first;
}

int core_count(const Reading& reading, const pugi::xml_node& node) {
  constexpr int kMostCores = 1'000'000;
  const auto cores         = parse_number<int>(std::string(trim(attribute(node, "core"))));
  if (!cores || *cores < 1 || *cores > kMostCores)
    reading.fail(node, fmt::format("core \"{}\" must be a whole number, 1 or more", text(node, "core")));
  return *cores;
}

void read_host(Reading& reading, const pugi::xml_node& node, int zone) {
  const std::string id = text(node, "id");
  const auto speeds    = reading.at(node, "speed", [&] { return read_speeds(attribute(node, "speed")); });
  const auto state     = parse_number<double>(std::string(trim(attribute(node, "pstate"))));
  if (!state || *state < 0 || *state >= static_cast<double>(speeds.size()) || *state != static_cast<int>(*state)) {
    reading.fail(node, fmt::format("pstate \"{}\" must be a whole number from 0 to {}: there are {} speeds",
                                   text(node, "pstate"), speeds.size() - 1, speeds.size()));
  }
  const FlopsPerSecond speed = speeds[static_cast<size_t>(*state)];
  const int host             = add_hosts(reading, node, Series{id}, zone, speed, core_count(reading, node));
  place_by_coordinates(reading, node, zone, place_of_host(reading.tree(), host).member);
  read_profile_of(reading, node, "availability_file", Profile::What::speed, {host});
  read_profile_of(reading, node, "speed_file", Profile::What::speed, {host});
  read_profile_of(reading, node, "state_file", Profile::What::on, {host});
  for (const pugi::xml_node& disk : node.children("disk")) read_disk(reading, disk, id);
}

void read_peer(Reading& reading, const pugi::xml_node& node, int zone) {
  Tree& tree = reading.tree();
  refuse_outside_star(reading, node, nth(tree.zones, zone), "Vivaldi");
  const std::string id = text(node, "id");
  const auto speed     = reading.at(node, "speed", [&] { return read_speed(attribute(node, "speed")); });
  const int host       = add_hosts(reading, node, Series{id}, zone, speed, 1);
  const int member     = place_of_host(tree, host).member;
  place_by_coordinates(reading, node, zone, member);
  const auto link = [&](const char* name, const char* end) {
    Link numbers;
    numbers.bandwidth = reading.at(node, name, [&] { return read_bandwidth(attribute(node, name)); });
    return add_links(reading, node, Series{"link_" + id + end}, false, numbers);
  };
  const int up = link("bw_out", "_UP"), down = link("bw_in", "_DOWN");
  nth(tree.zones, zone).ends[member] = {{up}, {down}, {}};
  read_profile_of(reading, node, "availability_file", Profile::What::speed, {host});
  read_profile_of(reading, node, "speed_file", Profile::What::speed, {host});
  read_profile_of(reading, node, "state_file", Profile::What::on, {host});
}

void read_link(Reading& reading, const pugi::xml_node& node) {
  const std::string_view policy = attribute(node, "sharing_policy");
  const std::string id          = text(node, "id");
  if (policy == "WIFI")
    reading.fail(
        node,
        fmt::format("link \"{}\": a link of the policy WIFI is not simulated: Foreflow has no model of radio", id));
  Link numbers;
  numbers.bandwidth = reading.at(node, "bandwidth", [&] { return read_bandwidth(attribute(node, "bandwidth")); });
  numbers.latency   = reading.at(node, "latency", [&] { return read_time(attribute(node, "latency")); });
  numbers.fat       = policy == "FATPIPE";
  const bool split  = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
  const int link    = add_links(reading, node, Series{id}, split, numbers);
  const std::vector<int> all = split ? std::vector{link, link + 1} : std::vector{link};
  read_profile_of(reading, node, "bandwidth_file", Profile::What::bandwidth, all);
  read_profile_of(reading, node, "latency_file", Profile::What::latency, all);
  read_profile_of(reading, node, "state_file", Profile::What::link_on, all);
}

int backbone_of(Reading& reading, const pugi::xml_node& zone) {
  pugi::xml_node node;  // the last counts
  for (const pugi::xml_node& one : zone.children("backbone")) node = one;
  if (!node) return -1;
  Link numbers;
  numbers.bandwidth = reading.at(node, "bandwidth", [&] { return read_bandwidth(attribute(node, "bandwidth")); });
  numbers.latency   = reading.at(node, "latency", [&] { return read_time(attribute(node, "latency")); });
  return add_links(reading, node, Series{text(node, "id")}, false, numbers);
}

void read_zone(Reading& reading, const pugi::xml_node& node, int parent) {
  const int number          = add_zone(reading, node, parent);
  const RoutingDef* routing = find_routing(text(node, "routing"));
  if (routing == nullptr) {
    std::vector<std::string> known;
    for (const RoutingDef& row : routings()) {
      if (row.make != nullptr) known.emplace_back(row.name);
    }
    reading.fail(node, fmt::format("zone \"{}\": unknown routing \"{}\"; use {}", text(node, "id"),
                                   text(node, "routing"), list_or(known)));
  }
  if (routing->make == nullptr)
    reading.fail(node,
                 fmt::format("zone \"{}\": routing \"{}\": {}", text(node, "id"), routing->name, routing->refusal));
  nth(reading.tree().zones, number).routing = routing;
  check_contents(reading, node);
  const auto zone = [&]() -> const Zone& { return nth(reading.tree().zones, number); };
  std::vector<pugi::xml_node> ends;  // which need the backbone, wherever it stands
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view name = child.name();
    if (name == "zone" || name == "AS") read_zone(reading, child, number);
    if (name == "cluster") read_cluster(reading, child, number);
    if (name == "host") read_host(reading, child, number);
    if (name == "router") read_router(reading, child, number);
    if (name == "peer") read_peer(reading, child, number);
    if (name == "link") read_link(reading, child);
    if (name == "trace") read_trace(reading, child);
    if (name == "trace_connect") connect_trace(reading, child);
    if (name.ends_with("oute")) read_route(reading, child, number);
    if (name == "backbone" || name == "cabinet" || name == "host_link") {
      refuse_outside_star(reading, child, zone(), "Cluster");
      ends.push_back(child);
    }
    if (name.starts_with("storage")) {
      reading.document.ignored.push_back(
          fmt::format("<{}> {}: SimGrid removed it in 3.27; write a <disk>", name, text(child, "id")));
    }
  }
  if (ends.empty()) return;
  const int backbone = backbone_of(reading, node);
  for (const pugi::xml_node& end : ends) {
    if (end.name() == std::string_view("host_link")) read_host_link(reading, end, number, backbone);
    if (end.name() == std::string_view("cabinet")) read_cabinet(reading, end, number, backbone);
  }
}

}  // namespace foreflow::platform::zones
