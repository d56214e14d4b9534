// A <cluster>: equal hosts, and links that follow from its topology. Held by rule: names, links and routes are
// arithmetic on the numbers of hosts, as SimGrid 3.32 makes them (src/kernel/routing/*Zone.cpp).
//
// The links of a cluster of n hosts have consecutive numbers:
//   backbone (0 or 1) | loopback of each host | limiter of each host, then of each switch | cables
// where a cable is one link, or two ("_UP", "_DOWN") where they are SPLITDUPLEX.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "platform/zones/names.h"

namespace foreflow::platform::zones {

struct Cluster;
struct Way;

// A topology as functions of a cluster.
struct ClusterTopology {
  std::string_view name;  // of the attribute
  // The numbers of `topo_parameters`, in lists. Throws Error("", ...).
  std::vector<std::vector<int>> (*read)(std::string_view parameters);
  int64_t (*hosts)(const Cluster&);  // that the parameters need; -1: any number
  int64_t (*switches)(const Cluster&);
  int64_t (*cables)(const Cluster&);
  std::string (*cable_name)(const Cluster&, int cable);
  // The cables that may have this name, given without _UP and _DOWN, and without what precedes it in all of them.
  std::vector<int> (*cables_like)(const Cluster&, std::string_view name);
  // How many times the bandwidth of the attribute a cable has.
  int (*width)(const Cluster&, int cable);
  // Appends the links from one member to another: hosts 0 .. n - 1, and n, the router.
  void (*cross)(const Cluster&, int from, int to, Way& way);
};

const std::vector<ClusterTopology>& cluster_topologies();

struct Cluster {
  const ClusterTopology* topology = nullptr;
  std::string id;
  Series names;  // of the hosts
  std::vector<std::vector<int>> numbers;
  BytesPerSecond bandwidth, backbone_bandwidth{}, limiter_bandwidth{}, loopback_bandwidth{};  // 0: there is none
  Seconds latency, backbone_latency{}, loopback_latency{};
  bool split = true, fat_backbone = false;
  int first_link = 0;
  int before     = 0;  // hosts of fat trees declared before this one: SimGrid counts their positions on
  int made       = 0;  // cables of fat trees, or of dragonflies, declared before this one: SimGrid numbers them on

  int hosts() const { return names.size(); }
  bool has_backbone() const { return backbone_bandwidth > BytesPerSecond(0); }
  bool has_loopback() const { return loopback_bandwidth > BytesPerSecond(0); }
  bool has_limiter() const { return limiter_bandwidth > BytesPerSecond(0); }
  int switches() const { return static_cast<int>(topology->switches(*this)); }
  int cables() const { return static_cast<int>(topology->cables(*this)); }

  int loopbacks_at() const { return first_link + (has_backbone() ? 1 : 0); }
  int limiters_at() const { return loopbacks_at() + (has_loopback() ? hosts() : 0); }
  int cables_at() const { return limiters_at() + (has_limiter() ? hosts() + switches() : 0); }
  int links() const { return cables_at() - first_link + cables() * (split ? 2 : 1); }

  int up(int cable) const { return cables_at() + (split ? 2 * cable : cable); }
  int down(int cable) const { return cables_at() + (split ? 2 * cable + 1 : cable); }
};

// How the links are called. find_link() is its inverse.
std::string link_name(const Cluster& cluster, int link);  // counted from 0 within the cluster
std::optional<int> find_link(const Cluster& cluster, std::string_view name);

// The lists of `text`: numbers of at least 1 separated by commas, and lists by semicolons. Throws Error("", ...) when
// it does not have `lists` of them (-1: any number); `example` shows what would be right.
std::vector<std::vector<int>> read_number_lists(std::string_view text, int lists, std::string_view example);

}  // namespace foreflow::platform::zones
