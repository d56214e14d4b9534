// <cluster> and <cabinet>: many equal hosts.
#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/recipe.h"
#include "platform/zones/dtd.h"
#include "platform/zones/quantities.h"
#include "platform/zones/reading.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

constexpr int64_t kMostLinks = 100'000'000;  // of one cluster

Series names_of(const Reading& reading, const pugi::xml_node& node) {
  return reading.at(node, "", [&] {
    return Series{text(node, "prefix"), text(node, "suffix"), Radical(attribute(node, "radical"))};
  });
}

BytesPerSecond bandwidth_of(const Reading& reading, const pugi::xml_node& node) {
  return reading.at(node, "bw", [&] { return read_bandwidth(attribute(node, "bw")); });
}

// The bandwidth of a link that a cluster may have; 0: it has none, as when the attribute is absent.
BytesPerSecond bandwidth_of(const Reading& reading, const pugi::xml_node& node, const char* name) {
  if (attribute(node, name).empty()) return {};
  return reading.at(node, name, [&] { return read_optional_bandwidth(attribute(node, name)); });
}

Seconds time_of(const Reading& reading, const pugi::xml_node& node, const char* name) {
  if (attribute(node, name).empty()) return {};
  return reading.at(node, name, [&] { return read_time(attribute(node, name)); });
}

const ClusterTopology& topology_of(std::string_view name) {
  const auto& all = cluster_topologies();
  return *std::find_if(all.begin(), all.end(), [&](const ClusterTopology& row) { return row.name == name; });
}

// As many hosts as the topology has, the first of the radical.
void fit_hosts(const Reading& reading, const pugi::xml_node& node, Cluster& cluster) {
  const int64_t needed = cluster.topology->hosts(cluster);
  if (needed < 0) return;
  if (needed > cluster.hosts()) {
    reading.fail(node,
                 fmt::format("cluster \"{}\": topo_parameters \"{}\" are of {} hosts and the radical has only {}; name "
                             "as many",
                             cluster.id, text(node, "topo_parameters"), needed, cluster.hosts()));
  }
  cluster.names.radical = cluster.names.radical->first(static_cast<int>(needed));
}

void check_size(const Reading& reading, const pugi::xml_node& node, const Cluster& cluster) {
  if (cluster.has_limiter() && cluster.topology->switches(cluster) > cluster.hosts()) {
    reading.fail(node,
                 fmt::format("cluster \"{}\": limiter_link: it has more switches than hosts, for which SimGrid has "
                             "no names; leave limiter_link out",
                             cluster.id));
  }
  if (cluster.topology->cables(cluster) > kMostLinks || cluster.topology->switches(cluster) > kMostLinks)
    reading.fail(node, fmt::format("cluster \"{}\" has more than {} links", cluster.id, kMostLinks));
}

Cluster cluster_of(Reading& reading, const pugi::xml_node& node) {
  Cluster cluster;
  cluster.id        = text(node, "id");
  cluster.topology  = &topology_of(attribute(node, "topology"));
  cluster.names     = names_of(reading, node);
  cluster.numbers   = reading.at(node, "", [&] { return cluster.topology->read(attribute(node, "topo_parameters")); });
  const bool flat   = cluster.topology->hosts(cluster) < 0;
  cluster.bandwidth = bandwidth_of(reading, node);
  fit_hosts(reading, node, cluster);
  cluster.latency            = time_of(reading, node, "lat");
  cluster.limiter_bandwidth  = bandwidth_of(reading, node, "limiter_link");
  cluster.loopback_bandwidth = bandwidth_of(reading, node, "loopback_bw");
  cluster.loopback_latency   = time_of(reading, node, "loopback_lat");
  if (!cluster.has_loopback() && cluster.loopback_latency > Seconds(0)) {  // SimGrid makes one that carries nothing
    reading.document.ignored.push_back(fmt::format("loopback_lat of cluster {}: without loopback_bw", cluster.id));
  }
  if (flat) {  // SimGrid makes no backbone for others
    cluster.backbone_bandwidth = bandwidth_of(reading, node, "bb_bw");
    cluster.backbone_latency   = time_of(reading, node, "bb_lat");
    if (!cluster.has_backbone() && cluster.backbone_latency > Seconds(0))
      reading.fail(node, "bb_lat stands without bb_bw; give both");
  }
  cluster.fat_backbone = attribute(node, "bb_sharing_policy") == "FATPIPE";
  // SimGrid shares the links of the policy FATPIPE, too.
  const std::string_view policy = attribute(node, "sharing_policy");
  cluster.split                 = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
  check_size(reading, node, cluster);
  return cluster;
}

// The numbers of the links of a cluster, in the order of LinkBlock::kinds.
void add_cluster_links(Reading& reading, const pugi::xml_node& node, Cluster& cluster) {
  Tree& tree         = reading.tree();
  cluster.first_link = tree.link_count;
  if (int64_t{tree.link_count} +
          2 * (cluster.topology->cables(cluster) + cluster.topology->switches(cluster) + cluster.hosts()) >
      2 * kMostLinks)
    reading.fail(node, fmt::format("the platform has more than {} links", 2 * kMostLinks));
  const auto kind = [&](BytesPerSecond bandwidth, Seconds latency, bool fat) {
    Link link;
    link.bandwidth = bandwidth;
    link.latency   = latency;
    link.fat       = fat;
    return reading.link_kinds.of(link);
  };
  LinkBlock block;
  block.first = tree.link_count;
  block.count = cluster.links();
  block.kinds = {0, 0, 0};
  if (cluster.has_backbone())
    block.kinds[0] = kind(cluster.backbone_bandwidth, cluster.backbone_latency, cluster.fat_backbone);
  if (cluster.has_loopback()) block.kinds[1] = kind(cluster.loopback_bandwidth, cluster.loopback_latency, true);
  if (cluster.has_limiter()) block.kinds[2] = kind(cluster.limiter_bandwidth, Seconds(0), false);
  for (int cable = 0; cable < cluster.cables(); ++cable) {
    const int width = cluster.topology->width(cluster, cable);
    if (std::find(block.widths.begin(), block.widths.end(), width) != block.widths.end()) continue;
    block.widths.push_back(width);
    block.kinds.push_back(kind(width * cluster.bandwidth, cluster.latency, false));
  }
  block.cluster = std::make_shared<const Cluster>(cluster);
  for (const int listed : {0, block.count - 1}) {
    if (tree.link_names.contains(link_name(cluster, listed)))
      reading.fail(node, fmt::format("a second link \"{}\"; give every link its own name", link_name(cluster, listed)));
  }
  tree.link_series.push_back(static_cast<int>(tree.links.size()));
  tree.link_count += block.count;
  tree.links.push_back(std::move(block));
}

void count_cables(Reading& reading, Cluster& cluster) {
  if (cluster.topology->name == "FAT_TREE") {
    cluster.before = reading.fat_tree_hosts;
    cluster.made   = reading.fat_tree_cables;
    reading.fat_tree_hosts += cluster.hosts();
    reading.fat_tree_cables += cluster.cables();
  }
  if (cluster.topology->name == "DRAGONFLY") {
    cluster.made = reading.dragonfly_cables;
    reading.dragonfly_cables += cluster.cables();
  }
}

}  // namespace

void read_cluster(Reading& reading, const pugi::xml_node& node, int parent) {
  const int zone                          = add_zone(reading, node, parent);
  nth(reading.tree().zones, zone).routing = find_routing("Cluster");
  Cluster cluster                         = cluster_of(reading, node);
  const auto speeds = reading.at(node, "speed", [&] { return read_speeds(attribute(node, "speed")); });
  add_hosts(reading, node, cluster.names, zone, speeds.front(), core_count(reading, node));
  count_cables(reading, cluster);
  add_cluster_links(reading, node, cluster);
  Tree& tree                    = reading.tree();
  nth(tree.zones, zone).cluster = tree.links.back().cluster;
  if (cluster.topology->hosts(cluster) >= 0) return;
  const std::string router = text(node, "router_id");
  add_member(
      reading, node,
      router.empty() ? fmt::format("{}{}_router{}", cluster.names.prefix, cluster.id, cluster.names.suffix) : router,
      zone);
}

void read_cabinet(Reading& reading, const pugi::xml_node& node, int zone, int backbone) {
  Tree& tree       = reading.tree();
  Series names     = names_of(reading, node);
  const auto speed = reading.at(node, "speed", [&] { return read_speed(attribute(node, "speed")); });
  const int host   = add_hosts(reading, node, names, zone, speed, 1);
  const int member = place_of_host(tree, host).member;
  Link numbers;
  numbers.bandwidth = bandwidth_of(reading, node);
  numbers.latency   = time_of(reading, node, "lat");
  const int count   = names.size();
  names.prefix      = "link_" + names.prefix;
  const int first   = add_links(reading, node, std::move(names), true, numbers);
  for (int i = 0; i < count; ++i) {
    StarEnd end{{first + 2 * i}, {first + 2 * i + 1}, {}};
    if (backbone >= 0) {
      end.up.push_back(backbone);
      end.down.insert(end.down.begin(), backbone);
    }
    nth(tree.zones, zone).ends[member + i] = std::move(end);
  }
}

}  // namespace foreflow::platform::zones
