#include "onnx/order.h"

#include <functional>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "onnx/message.h"
#include "onnx/node.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx {
namespace {

constexpr int kGiven = -1;  // a graph input or initializer, not a node

using Producers = std::unordered_map<std::string_view, int>;

bool is_constant(const onnx_proto::NodeProto& node) { return node.op_type() == "Constant" && node.output_size() == 1; }

// Tools that edit graphs replace a Constant by appending another one for the same value; then the later one counts, and
// the earlier one is added to `replaced`. Any other second definition is an error.
Producers find_producers(const onnx_proto::GraphProto& graph, const std::string& file, std::set<int>& replaced) {
  Producers producers;
  for (const auto& input : graph.input()) {
    if (!producers.emplace(input.name(), kGiven).second)
      throw Error(file, "two graph inputs are called " + quote(input.name()));
  }
  for (const auto& tensor : graph.initializer()) producers.emplace(tensor.name(), kGiven);
  for (const auto& sparse : graph.sparse_initializer()) producers.emplace(sparse.values().name(), kGiven);
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& output : graph.node(n).output()) {
      if (output.empty()) continue;
      const auto [earlier, fresh] = producers.emplace(output, n);
      if (fresh) continue;
      const int other = earlier->second;
      if (other != kGiven && is_constant(graph.node(other)) && is_constant(graph.node(n))) {
        replaced.insert(other);
        earlier->second = n;
        continue;
      }
      throw Error(
          where_of(file, graph.node(n), n),
          "defines " + quote(output) + ", which " +
              (other == kGiven ? "is a graph input or initializer" : "node " + std::to_string(other) + " defines too"));
    }
  }
  return producers;
}

// Some cycle among the nodes that still wait, in the direction of the data.
std::string describe_cycle(const std::vector<std::vector<int>>& sources, const std::vector<int>& waiting,
                           const onnx_proto::GraphProto& graph) {
  const auto waiting_source = [&](int node) {
    for (const int source : sources[static_cast<size_t>(node)]) {
      if (waiting[static_cast<size_t>(source)] > 0) return source;
    }
    FOREFLOW_CHECK(false, "a node waits for another one that waits");
    return node;
  };
  int node = 0;
  while (waiting[static_cast<size_t>(node)] == 0) ++node;
  for (int step = 0; step < graph.node_size(); ++step) node = waiting_source(node);  // surely inside a cycle now
  std::vector<int> cycle = {node};
  for (int next = waiting_source(node); next != node; next = waiting_source(next)) cycle.push_back(next);

  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    const int n = cycle[cycle.size() - 1 - i];
    text += (i > 0 ? " -> " : "") + std::string("node ") + std::to_string(n);
    if (!graph.node(n).name().empty()) text += " " + quote(graph.node(n).name());
  }
  return text + (cycle.size() > kShown ? " -> ... (" + std::to_string(cycle.size()) + " nodes)" : "");
}

}  // namespace

std::vector<int> execution_order(const onnx_proto::GraphProto& graph, const std::string& file,
                                 const IsOuter& is_outer) {
  std::set<int> replaced;
  const Producers producers = find_producers(graph, file, replaced);
  const auto count          = static_cast<size_t>(graph.node_size());
  std::vector<std::vector<int>> sources(count), users(count);
  std::vector<int> waiting(count, 0);
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string_view input : reads_of(graph.node(n))) {
      const auto producer = producers.find(input);
      if (producer == producers.end() && is_outer(input)) continue;
      if (producer == producers.end()) {
        throw Error(where_of(file, graph.node(n), n),
                    "reads " + quote(input) + ", which no node, graph input or initializer defines");
      }
      if (producer->second == kGiven) continue;
      sources[static_cast<size_t>(n)].push_back(producer->second);
      users[static_cast<size_t>(producer->second)].push_back(n);
      ++waiting[static_cast<size_t>(n)];
    }
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int n = 0; n < graph.node_size(); ++n) {
    if (waiting[static_cast<size_t>(n)] == 0 && !replaced.contains(n)) ready.push(n);
  }
  std::vector<int> order;
  order.reserve(count);
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int user : users[static_cast<size_t>(node)]) {
      if (--waiting[static_cast<size_t>(user)] == 0) ready.push(user);
    }
  }
  if (order.size() + replaced.size() < count)
    throw Error(file, "the graph has a cycle: " + describe_cycle(sources, waiting, graph));
  return order;
}

}  // namespace foreflow::onnx
