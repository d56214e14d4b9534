#include "onnx/order.h"

#include <functional>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/cycle.h"
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

// A cycle in the direction of the data: node 4 "back" (Relu) -> node 7 (Add) -> node 4 "back" (Relu).
std::string describe_cycle(const std::vector<std::vector<int>>& users, const onnx_proto::GraphProto& graph) {
  constexpr size_t kShown      = 8;
  const std::vector<int> cycle = ir::find_cycle(users);
  const auto described         = [&](int n) {
    const std::string& name = graph.node(n).name();
    return "node " + std::to_string(n) + (name.empty() ? "" : " " + quote(name)) + " (" + graph.node(n).op_type() + ")";
  };
  std::string text;
  for (size_t i = 0; i < std::min(cycle.size(), kShown); ++i) text += described(cycle[i]) + " -> ";
  if (cycle.size() > kShown) text += "... (" + std::to_string(cycle.size()) + " nodes) -> ";
  return text + described(cycle.front());
}

}  // namespace

std::vector<int> execution_order(const onnx_proto::GraphProto& graph, const std::string& file,
                                 const IsOuter& is_outer) {
  std::set<int> replaced;
  const Producers producers = find_producers(graph, file, replaced);
  const auto count          = static_cast<size_t>(graph.node_size());
  std::vector<std::vector<int>> users(count);
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
      nth(users, producer->second).push_back(n);
      ++nth(waiting, n);
    }
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int n = 0; n < graph.node_size(); ++n) {
    if (nth(waiting, n) == 0 && !replaced.contains(n)) ready.push(n);
  }
  std::vector<int> order;
  order.reserve(count);
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int user : nth(users, node)) {
      if (--nth(waiting, user) == 0) ready.push(user);
    }
  }
  if (order.size() + replaced.size() < count)
    throw Error(file, "the graph has a cycle: " + describe_cycle(users, graph));
  return order;
}

}  // namespace foreflow::onnx
