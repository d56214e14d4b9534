#include "foreflow/analyze/dependencies.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <set>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::analyze {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph graph_of(const Dependencies& dependencies) {
  Graph graph(dependencies.readers.size());
  for (size_t from = 0; from < dependencies.readers.size(); ++from) {
    for (const int32_t to : dependencies.readers[from]) boost::add_edge(from, static_cast<size_t>(to), graph);
  }
  return graph;
}

// From an op on the path to the last, always to the first reader that cannot wait.
std::vector<int32_t> follow(const Dependencies& graph, const CriticalPath& timed, int32_t op) {
  std::vector<int32_t> path;
  const auto at     = [&](int32_t o) -> const OpTiming& { return nth(timed.ops, o); };
  const auto urgent = [&](int32_t reader, double end) {
    return at(reader).slack() == 0 && at(reader).earliest_start == end;
  };
  while (op >= 0) {
    if (at(op).weight > 0) path.push_back(op);
    const auto& readers = nth(graph.readers, op);
    const double end    = at(op).earliest_start + at(op).weight;
    const auto next = std::find_if(readers.begin(), readers.end(), [&](int32_t reader) { return urgent(reader, end); });
    op              = next == readers.end() ? -1 : *next;
  }
  return path;
}

}  // namespace

size_t Dependencies::edges() const {
  size_t count = 0;
  for (const auto& list : readers) count += list.size();
  return count;
}

Dependencies dependencies(const ir::Function& function) {
  Dependencies graph;
  graph.readers.resize(function.ops.size());
  const std::vector<int32_t> maker = ir::makers_of(function);
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    std::set<int32_t> sources;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none && maker[ir::index(id)] >= 0) sources.insert(maker[ir::index(id)]);
    }
    for (const int32_t source : sources) nth(graph.readers, source).push_back(static_cast<int32_t>(o));
  }
  return graph;
}

CriticalPath critical_path(const Dependencies& dependencies, const std::vector<double>& weights) {
  std::vector<size_t> order;  // readers first
  Graph graph = graph_of(dependencies);
  boost::topological_sort(graph, std::back_inserter(order));
  CriticalPath result;
  result.ops.resize(weights.size());
  for (size_t o = 0; o < weights.size(); ++o) result.ops[o].weight = weights[o];
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const double end = result.ops[*at].earliest_start + weights[*at];
    result.length    = std::max(result.length, end);
    result.total += weights[*at];
    for (const int32_t reader : dependencies.readers[*at]) {
      double& start = nth(result.ops, reader).earliest_start;
      start         = std::max(start, end);
    }
  }
  // How much is still to do after an op, computed as the starts are, so that the slack on the path is 0 and not nearly
  // 0.
  std::vector<bool> critical(weights.size());
  for (const size_t o : order) {
    OpTiming& op     = result.ops[o];
    const double end = op.earliest_start + op.weight;
    double slack     = result.length - end;
    for (const int32_t reader : dependencies.readers[o]) {
      const OpTiming& next = nth(result.ops, reader);
      slack                = std::min(slack, next.slack() + (next.earliest_start - end));
    }
    op.latest_start = op.earliest_start + slack;
  }
  const auto first = std::find_if(result.ops.begin(), result.ops.end(),
                                  [](const OpTiming& op) { return op.slack() == 0 && op.earliest_start == 0; });
  if (first != result.ops.end())
    result.path = follow(dependencies, result, static_cast<int32_t>(first - result.ops.begin()));
  return result;
}

std::string to_dot(const ir::Function& function, const Dependencies& dependencies, const CriticalPath& path,
                   const std::string& unit) {
  const std::set<int32_t> critical(path.path.begin(), path.path.end());
  std::string out = fmt::format("digraph \"{}\" {{\n", escape::dot(function.name));
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op        = function.ops[o];
    const std::string name  = op.result_count > 0 ? function.value(function.output(op, 0)).name : "";
    const std::string shown = name.empty() ? "v" + std::to_string(op.first_result) : name;
    out += fmt::format("  {} [label=\"%{}\\n{}\\n{:.4g} {}\"{}];\n", o, escape::dot(shown),
                       op.is_call() ? "call" : op.def->name, path.ops[o].weight, unit,
                       critical.contains(static_cast<int32_t>(o)) ? " style=bold" : "");
  }
  for (size_t o = 0; o < function.ops.size(); ++o) {
    for (const int32_t reader : dependencies.readers[o]) out += fmt::format("  {} -> {};\n", o, reader);
  }
  return out + "}\n";
}

}  // namespace foreflow::analyze
