// Tasks for all rows of the table of algorithms: every way in which 2 to 17 ranks lie in nodes.
#pragma once

#include <string>
#include <vector>

#include "foreflow/stream/task.h"
#include "support/cluster.h"

namespace foreflow::test {

struct Layout {
  std::string name;
  std::vector<int> node;  // of each rank
  int devices_per_nic;
};

// One node, one rank a node, two halves, nodes of four, unequal nodes, ranks dealt out to two nodes in turn; with a NIC
// for each device, for two, and for the node.
inline std::vector<Layout> layouts(int ranks) {
  std::vector<Layout> result;
  for (const int devices_per_nic : {1, 2, 99}) {
    const std::string nics = ", a NIC for " + std::to_string(devices_per_nic);
    if (devices_per_nic == 1) {
      result.push_back({"one node", in_nodes_of(ranks, ranks), 1});
      result.push_back({"one rank a node", in_nodes_of(1, ranks), 1});
    }
    if (ranks < 4) continue;
    result.push_back({"two halves" + nics, in_nodes_of((ranks + 1) / 2, ranks), devices_per_nic});
    result.push_back({"nodes of four" + nics, in_nodes_of(4, ranks), devices_per_nic});
    std::vector<int> unequal, dealt;
    for (int rank = 0; rank < ranks; ++rank) {
      unequal.push_back(rank == 0 ? 0 : rank < ranks / 2 ? 1 : 2);
      dealt.push_back(rank % 2);
    }
    result.push_back({"unequal nodes" + nics, unequal, devices_per_nic});
    result.push_back({"dealt out" + nics, dealt, devices_per_nic});
  }
  return result;
}

inline std::vector<int> first_places(int ranks) {
  std::vector<int> places;
  for (int rank = 0; rank < ranks; ++rank) places.push_back(rank);
  return places;
}

// A send goes from the first device to the last one.
inline stream::Placed placed_on(const platform::Platform& platform, const collective::AlgorithmDef& algorithm,
                                collective::Kind kind, Bytes bytes) {
  const auto devices = static_cast<int>(platform.devices().size());
  const bool send    = kind == collective::Kind::send;
  return stream::place(platform, algorithm, kind, bytes, send ? std::vector{0, devices - 1} : first_places(devices));
}

// "ring_all_reduce": the rows of the table with each of their kinds.
struct Row {
  const collective::AlgorithmDef* algorithm;
  collective::Kind kind;
  std::string name() const { return std::string(algorithm->name) + "_" + std::string(collective::name(kind)); }
};

inline std::vector<Row> rows() {
  std::vector<Row> result;
  for (const auto& algorithm : collective::algorithms()) {
    for (const auto kind : algorithm.kinds) result.push_back({&algorithm, kind});
  }
  return result;
}

inline std::vector<std::string> row_names() {
  std::vector<std::string> result;
  for (const Row& row : rows()) result.push_back(row.name());
  return result;
}

inline Row row_named(const std::string& name) {
  for (const Row& row : rows()) {
    if (row.name() == name) return row;
  }
  throw InternalError("no row " + name);
}

}  // namespace foreflow::test
