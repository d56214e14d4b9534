#include "support/simgrid_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::test {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); }
const std::string& any_of(Random& random, const std::vector<std::string>& all) {
  return nth(all, pick(random, static_cast<int>(all.size())));
}

std::string platform(const std::string& body) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\">\n" +
         body + "</platform>\n";
}

std::string cluster(const std::string& id, int first, int hosts, const std::string& more) {
  return fmt::format(
      "<cluster id=\"{0}\" prefix=\"{0}-\" suffix=\".x\" radical=\"{1}-{2}\" speed=\"1Gf\" bw=\"1MBps\" lat=\"1us\" "
      "{3}/>\n",
      id, first, first + hosts - 1, more);
}

std::string link(const std::string& id, int megabytes, int microseconds, const std::string& policy) {
  return fmt::format("<link id=\"{}\" bandwidth=\"{}MBps\" latency=\"{}us\" sharing_policy=\"{}\"/>\n", id, megabytes,
                     microseconds, policy);
}

std::string zone_route(const std::string& kind, const std::string& from, const std::string& to,
                       const std::string& from_gate, const std::string& to_gate, const std::string& crossed) {
  return fmt::format("<{0} src=\"{1}\" dst=\"{2}\" gw_src=\"{3}\" gw_dst=\"{4}\"><link_ctn id=\"{5}\"/></{0}>\n", kind,
                     from, to, from_gate, to_gate, crossed);
}

struct Topology {
  std::string name, parameters;
  int hosts;
};

std::string two_clusters(const Topology& topology, const std::string& more) {
  const std::string what =
      fmt::format("topology=\"{}\" topo_parameters=\"{}\" {}", topology.name, topology.parameters, more);
  return platform("<zone id=\"w\" routing=\"Full\">\n" + cluster("t", 2, topology.hosts, what) +
                  cluster("u", 0, topology.hosts, what) + link("l", 1000, 7, "SHARED") +
                  zone_route("zoneRoute", "t", "u", "t-2.x", "u-0.x", "l") + "</zone>\n");
}

// What a zone of zones needs to know of one of them.
struct Made {
  std::string id, xml;
  std::vector<std::string> points;                                      // hosts and routers in it
  std::vector<std::pair<std::string, std::vector<std::string>>> zones;  // itself and those in it, with their points
};

class Zones {
 public:
  explicit Zones(uint64_t seed) : random_(seed) {}

  Made make(int depth) {
    const std::string id = fmt::format("z{}", ++zones_);
    if (depth == 0 || (depth < 2 && pick(random_, 2) == 0)) return inner(id, depth);
    switch (pick(random_, 6)) {
      case 0: return flat(id);
      case 1: return torus(id);
      case 2: return star(id);
      case 3: return peers(id);
      case 4: return leaf(id, "Full");
      default: return leaf(id, pick(random_, 2) == 0 ? "Floyd" : "Dijkstra");
    }
  }

 private:
  Made inner(const std::string& id, int depth) {
    // SimGrid crashes where a way over several zones of a Dijkstra zone leaves one by another gateway than it enters.
    const std::string routing = any_of(random_, {"Full", "Floyd", "Dijkstra"});
    std::vector<Made> children;
    const int count = 2 + pick(random_, 3);
    for (int i = 0; i < count; ++i) children.push_back(make(depth + 1));
    Made made{id, fmt::format("<zone id=\"{}\" routing=\"{}\">\n", id, routing), {}, {}};
    std::string routes;
    const auto gate = [&](const Made& of) {
      return routing == "Dijkstra" ? of.points.front() : any_of(random_, of.points);
    };
    for (size_t i = 0; i < children.size(); ++i) {
      made.xml += children[i].xml;
      for (size_t j = i + 1; j < children.size(); ++j) {
        if (routing != "Full" && j != i + 1 && pick(random_, 10) < 7) continue;
        routes +=
            zone_route("zoneRoute", children[i].id, children[j].id, gate(children[i]), gate(children[j]), new_link());
      }
    }
    if (pick(random_, 2) == 0) {
      const auto& from = one_zone(children.front());
      const auto& to   = one_zone(children.back());
      routes += zone_route("bypassZoneRoute", from.first, to.first, any_of(random_, from.second),
                           any_of(random_, to.second), new_link());
    }
    made.xml += links_ + routes + "</zone>\n";
    links_.clear();
    for (const Made& child : children) {
      made.points.insert(made.points.end(), child.points.begin(), child.points.end());
      made.zones.insert(made.zones.end(), child.zones.begin(), child.zones.end());
    }
    made.zones.emplace_back(id, made.points);
    return made;
  }

  const std::pair<std::string, std::vector<std::string>>& one_zone(const Made& of) {
    return nth(of.zones, pick(random_, static_cast<int>(of.zones.size())));
  }

  std::string new_link() {
    const std::string id = fmt::format("L{}", ++made_links_);
    links_ += link(id, 1000, made_links_, "SHARED");
    return id;
  }

  static Made finished(const std::string& id, std::string xml, std::vector<std::string> points) {
    return {id, std::move(xml), points, {{id, points}}};
  }

  static Made flat(const std::string& id) {
    return finished(id, cluster(id, 0, 3, "bb_bw=\"1GBps\" bb_lat=\"3us\""),
                    {id + "-0.x", id + "-1.x", id + "-2.x", fmt::format("{0}-{0}_router.x", id)});
  }

  static Made torus(const std::string& id) {
    std::vector<std::string> points;
    for (int i = 0; i < 6; ++i) points.push_back(fmt::format("{}-{}.x", id, i));
    return finished(id, cluster(id, 0, 6, "topology=\"TORUS\" topo_parameters=\"3,2\""), points);
  }

  Made star(const std::string& id) {
    std::string xml = fmt::format("<zone id=\"{}\" routing=\"Cluster\">\n<router id=\"{}r\"/>\n", id, id);
    std::vector<std::string> points = {id + "r"};
    for (int i = 0; i < 3; ++i) {
      const std::string host = fmt::format("{}h{}", id, i);
      xml += fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", host) + link(host + "l", 1, 2, "SPLITDUPLEX") +
             fmt::format("<host_link id=\"{0}\" up=\"{0}l_UP\" down=\"{0}l_DOWN\"/>\n", host);
      points.push_back(host);
    }
    if (pick(random_, 2) == 0) xml += fmt::format("<backbone id=\"{}bb\" bandwidth=\"1GBps\" latency=\"5us\"/>\n", id);
    if (pick(random_, 2) == 0) {
      xml += fmt::format(
          "<cabinet id=\"{0}c\" prefix=\"{0}c\" suffix=\"\" radical=\"1-2\" speed=\"2Gf\" bw=\"1MBps\" lat=\"2us\"/>\n",
          id);
    }
    return finished(id, xml + "</zone>\n", points);
  }

  Made peers(const std::string& id) {
    std::string xml = fmt::format("<zone id=\"{}\" routing=\"Vivaldi\">\n", id);
    std::vector<std::string> points;
    for (int i = 0; i < 3; ++i) {
      points.push_back(fmt::format("{}h{}", id, i));
      xml += fmt::format(
          "<peer id=\"{}\" speed=\"1Gf\" bw_in=\"1MBps\" bw_out=\"2MBps\" coordinates=\"{}.5 -{}.25 {}\"/>\n",
          points.back(), pick(random_, 90), pick(random_, 90), pick(random_, 9));
    }
    return finished(id, xml + "</zone>\n", points);
  }

  static Made leaf(const std::string& id, const std::string& routing) {
    std::string xml = fmt::format("<zone id=\"{}\" routing=\"{}\">\n", id, routing), links, routes;
    std::vector<std::string> points;
    for (int i = 0; i < 3; ++i) {
      points.push_back(fmt::format("{}h{}", id, i));
      xml += fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", points.back());
      links += link(fmt::format("{}l{}", id, i), 1, 1, "SHARED");
    }
    for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
      routes += fmt::format("<route src=\"{0}h{1}\" dst=\"{0}h{2}\"><link_ctn id=\"{0}l{3}\"/></route>\n", id, a, b,
                            a + b - 1);
    }
    return finished(id, xml + links + routes + "</zone>\n", points);
  }

  Random random_;
  int zones_ = 0, made_links_ = 0;
  std::string links_;  // of the zone at hand
};

}  // namespace

std::vector<SimgridFile> cluster_files() {
  const std::string limiter = "limiter_link=\"5MBps\"", loopback = "loopback_bw=\"1GBps\" loopback_lat=\"0\"";
  const std::vector<std::string> links   = {"", limiter, loopback, limiter + " " + loopback,
                                            "sharing_policy=\"SHARED\" " + limiter};
  const std::vector<Topology> topologies = {
      {"TORUS", "4", 4},
      {"TORUS", "3,4", 12},
      {"TORUS", "5,3,2", 30},
      {"TORUS", "4,4,4", 64},
      {"TORUS", "7,1,2", 14},
      {"FAT_TREE", "2;4,4;1,2;1,2", 16},
      {"FAT_TREE", "3;2,2,2;1,2,2;1,1,1", 8},
      {"FAT_TREE", "2;2,3;2,2;2,3", 6},
      {"FAT_TREE", "3;4,2,2;1,2,2;2,1,3", 16},
      {"FAT_TREE", "3;3,3,2;1,3,2;1,2,2", 18},
      {"DRAGONFLY", "3,4;4,3;5,1;2", 120},
      {"DRAGONFLY", "2,1;1,1;3,2;1", 6},
      {"DRAGONFLY", "4,1;3,1;4,1;3", 144},
      {"FLAT", "", 5},
  };
  std::vector<SimgridFile> files;
  for (size_t t = 0; t < topologies.size(); ++t) {
    for (size_t l = 0; l < links.size(); ++l) {
      const bool limited = links[l].find(limiter) != std::string::npos;
      if (limited && (t == 6 || t == 7)) continue;  // more switches than hosts: SimGrid names limiters twice
      files.push_back({fmt::format("{}{}{}", topologies[t].name, t, l), two_clusters(topologies[t], links[l])});
    }
  }
  files.push_back({"backbone", two_clusters(topologies.back(), "bb_bw=\"1GBps\" bb_lat=\"2us\"")});
  files.push_back(
      {"fat_backbone",
       two_clusters(topologies.back(), "sharing_policy=\"FATPIPE\" bb_bw=\"1GBps\" bb_sharing_policy=\"FATPIPE\"")});
  return files;
}

std::vector<SimgridFile> odd_files() {
  std::vector<SimgridFile> files;
  for (const Topology& topology : {Topology{"TORUS", "3,4", 15}, Topology{"FAT_TREE", "2;4,4;1,2;1,2", 20},
                                   Topology{"DRAGONFLY", "2,2;2,1;2,1;4", 40}, Topology{"FLAT", "", 5}}) {
    files.push_back({topology.name, two_clusters(topology,
                                                 "bb_bw=\"0\" bb_lat=\"0\" limiter_link=\"0\" "
                                                 "loopback_bw=\"0\" loopback_lat=\"0\"")});
  }
  const std::string way  = link("l", 1, 2, "SHARED") + "<route src=\"z\" dst=\"r\"><link_ctn id=\"l\"/></route>\n";
  const std::string leaf = "<router id=\"r\"/><host id=\"z\" speed=\"1Gf\" core=\" 4\"/><host id=\"r\" speed=\"1Gf\"/>";
  files.push_back({"names", platform("<zone id=\"z\" routing=\"Full\">\n" + leaf + way + "</zone>\n")});
  files.push_back({"cluster_like_its_host",
                   platform("<cluster id=\"n0\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1MBps\" "
                            "lat=\"1us\"/>\n")});
  files.push_back(
      {"backbones", platform("<zone id=\"x\" routing=\"Cluster\">\n<cabinet id=\"c\" prefix=\"h\" suffix=\"\" "
                             "radical=\"0-3\" speed=\"1Gf\" bw=\"1MBps\" lat=\"2us\"/>\n<backbone id=\"a\" "
                             "bandwidth=\"1GBps\" latency=\"5us\"/><backbone id=\"b\" bandwidth=\"2GBps\" "
                             "latency=\"7us\"/>\n</zone>\n")});
  files.push_back({"trace_of_a_later_host",
                   platform("<trace id=\"t\" periodicity=\"-1\">\n3 0.25 # slow\n</trace><trace_connect trace=\"t\" "
                            "element=\"z\" kind=\"SPEED\"/><zone id=\"w\" routing=\"Full\">\n" +
                            leaf + way + "</zone>\n")});
  return files;
}

SimgridFile random_graph_file(const std::string& routing, uint64_t seed) {
  Random random(seed);
  const int hosts = 3 + pick(random, 10), links = 20;
  std::string xml                = fmt::format("<zone id=\"z\" routing=\"{}\">\n", routing);
  std::vector<std::string> names = {"r0", "r1"};
  for (int i = 0; i < hosts; ++i) {
    names.push_back(fmt::format("h{}", i));
    xml += fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", names.back());
  }
  xml += "<router id=\"r0\"/>\n<router id=\"r1\"/>\n";
  const auto split = [](int number) { return number % 3 == 0; };
  for (int l = 0; l < links; ++l)
    xml += link(fmt::format("l{}", l), 1 + pick(random, 9), pick(random, 6), split(l) ? "SPLITDUPLEX" : "SHARED");
  std::shuffle(names.begin(), names.end(), random);
  std::set<std::pair<std::string, std::string>> joined;
  const auto join = [&](const std::string& a, const std::string& b) {
    if (a == b || !joined.insert(std::minmax(a, b)).second) return;
    xml += fmt::format("<route src=\"{}\" dst=\"{}\">", a, b);
    for (int i = 0; i <= pick(random, 3); ++i) {
      const int number = pick(random, links);
      xml += fmt::format("<link_ctn id=\"l{}\"{}/>", number,
                         split(number) ? (pick(random, 2) == 0 ? " direction=\"UP\"" : " direction=\"DOWN\"") : "");
    }
    xml += "</route>\n";
  };
  for (size_t i = 0; i + 1 < names.size(); ++i) join(names[i], names[i + 1]);
  for (int i = 0; i < hosts; ++i) join(any_of(random, names), any_of(random, names));
  return {fmt::format("{}{}", routing, seed), platform(xml + "</zone>\n")};
}

SimgridFile random_zones_file(uint64_t seed) {
  return {fmt::format("zones{}", seed), platform(Zones(seed).make(0).xml)};
}

}  // namespace foreflow::test
