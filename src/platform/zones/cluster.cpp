#include "platform/zones/cluster.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "platform/zones/topologies.h"

namespace foreflow::platform::zones {
namespace {

// "_link_5_limiter" is that of the host "5" of a flat cluster, else of the host or switch with this number.
int limiter_number(const Cluster& cluster, int index) {
  if (index >= cluster.hosts()) return 2 * cluster.hosts() - 1 - (index - cluster.hosts());
  return cluster.topology->hosts(cluster) < 0 ? cluster.names.radical->number(index) : index;
}

std::optional<int> find_limiter(const Cluster& cluster, int number) {
  const int all = cluster.hosts() + cluster.switches();
  if (cluster.topology->hosts(cluster) < 0) return cluster.names.radical->index(number);
  if (number < cluster.hosts()) return number;
  const int index = 3 * cluster.hosts() - 1 - number;
  return index >= cluster.hosts() && index < all ? std::optional(index) : std::nullopt;
}

// The number between `stem` and `tail`.
std::optional<int> number_in(std::string_view name, const std::string& stem, std::string_view tail) {
  if (name.size() <= stem.size() + tail.size() || !name.starts_with(stem) || !name.ends_with(tail)) return std::nullopt;
  return plain_number(name.substr(stem.size(), name.size() - stem.size() - tail.size()));
}

}  // namespace

const std::vector<ClusterTopology>& cluster_topologies() {
  static const std::vector<ClusterTopology> rows = {flat_cluster(), torus_cluster(), fat_tree_cluster(),
                                                    dragonfly_cluster()};
  return rows;
}

std::string link_name(const Cluster& cluster, int link) {
  const int number = link + cluster.first_link;
  if (cluster.has_backbone() && link == 0) return cluster.id + "_backbone";
  if (number < cluster.limiters_at())
    return fmt::format("{}_link_{}_loopback", cluster.id,
                       cluster.names.radical->number(number - cluster.loopbacks_at()));
  if (number < cluster.cables_at())
    return fmt::format("{}_link_{}_limiter", cluster.id, limiter_number(cluster, number - cluster.limiters_at()));
  const int of_cables = number - cluster.cables_at();
  if (!cluster.split) return cluster.topology->cable_name(cluster, of_cables);
  return cluster.topology->cable_name(cluster, of_cables / 2) + (of_cables % 2 == 0 ? "_UP" : "_DOWN");
}

std::optional<int> find_link(const Cluster& cluster, std::string_view name) {
  const std::string stem = cluster.id + "_link_";
  if (cluster.has_backbone() && name == cluster.id + "_backbone") return 0;
  if (const auto number = number_in(name, stem, "_loopback"); number && cluster.has_loopback()) {
    const auto index = cluster.names.radical->index(*number);
    return index ? std::optional(cluster.loopbacks_at() - cluster.first_link + *index) : std::nullopt;
  }
  if (const auto number = number_in(name, stem, "_limiter"); number && cluster.has_limiter()) {
    const auto index = find_limiter(cluster, *number);
    return index ? std::optional(cluster.limiters_at() - cluster.first_link + *index) : std::nullopt;
  }
  const bool up = name.ends_with("_UP"), down = name.ends_with("_DOWN");
  std::string_view undirected = name;
  if (cluster.split) {
    if (!up && !down) return std::nullopt;
    undirected = name.substr(0, name.rfind('_'));
  }
  for (const int cable : cluster.topology->cables_like(cluster, undirected)) {
    if (cable < 0 || cable >= cluster.cables() || cluster.topology->cable_name(cluster, cable) != undirected) continue;
    return (down && cluster.split ? cluster.down(cable) : cluster.up(cable)) - cluster.first_link;
  }
  return std::nullopt;
}

std::vector<std::vector<int>> read_number_lists(std::string_view text, int lists, std::string_view example) {
  constexpr int kLargest = 1'000'000;
  std::vector<std::vector<int>> result(1);
  std::string word;
  const auto end_word = [&] {
    std::erase(word, ' ');
    const auto number = parse_number<int>(word);
    if (!number || *number < 1 || *number > kLargest) {
      throw Error("", fmt::format("topo_parameters: \"{}\" is no whole number of 1 to {}; write them like \"{}\"", word,
                                  kLargest, example));
    }
    result.back().push_back(*number);
    word.clear();
  };
  for (const char c : text) {
    if (c != ',' && c != ';') {
      word += c;
      continue;
    }
    end_word();
    if (c == ';') result.emplace_back();
  }
  end_word();
  if (lists >= 0 && static_cast<int>(result.size()) != lists) {
    throw Error("", fmt::format("topo_parameters: \"{}\" has {} parts between semicolons and needs {}, like \"{}\"",
                                text, result.size(), lists, example));
  }
  return result;
}

}  // namespace foreflow::platform::zones
