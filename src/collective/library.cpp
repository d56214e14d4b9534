#include "foreflow/collective/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "collective/layout.h"

namespace foreflow::collective {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { LibraryDef row(); }
#include "collective/libraries/libraries.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

size_t index(Medium medium) { return static_cast<size_t>(medium); }

// The largest share that any rank sends; with `inside` within its node.
double most_sent(const Phase& phase, const Group& group, bool inside = false) {
  std::vector<double> sent;
  for (const Flow& flow : phase.flows) {
    if (inside && is_far(group, flow.from, flow.to)) continue;
    const auto from = static_cast<size_t>(flow.from);
    if (from >= sent.size()) sent.resize(from + 1, 0);
    sent[from] += flow.share;
  }
  return sent.empty() ? 0 : *std::max_element(sent.begin(), sent.end());
}

// The entry of Most for a number of nodes.
size_t spread(size_t nodes) { return nodes == 1 ? 0 : nodes < 4 ? 1 : 2; }

bool leaves_node(const Task& task, const Phase& phase) {
  return std::any_of(phase.flows.begin(), phase.flows.end(),
                     [&](const Flow& flow) { return is_far(task.group, flow.from, flow.to); });
}

// A library, and its ways as algorithms.
struct Toolbox {
  const LibraryDef* library;
  std::vector<std::string> names;
  std::vector<AlgorithmDef> ways;
  std::vector<AlgorithmDef> measured;  // the same, taking measured times; empty: none were measured
};

bool is_used(const Way& way, const Task& task) {
  const auto count     = nodes(task.group).size();
  const bool inside    = count < static_cast<size_t>(task.group.ranks);  // some ranks share a node
  const auto reaches   = [&](const Wire& wire) { return way.efficiency[index(wire.medium)] > 0; };
  const int generation = task.group.nvlink_generation;
  return generation >= way.nvlink_from && generation <= way.nvlink_to && (!inside || reaches(task.near)) &&
         (count == 1 || reaches(task.far));
}

// The way with the least time; null: there is none for this task.
const AlgorithmDef* fastest(const Toolbox& tools, const Task& task,
                            const std::function<Cost(const AlgorithmDef&)>& cost) {
  const AlgorithmDef* best = nullptr;
  Seconds least;
  for (size_t i = 0; i < tools.ways.size(); ++i) {
    const AlgorithmDef& row = tools.ways[i];
    if (!row.supports_task(task) || !is_used(tools.library->ways[i], task)) continue;
    const Seconds time = cost(row).total();
    if (best == nullptr || time < least) best = tools.measured.empty() ? &row : &tools.measured[i], least = time;
  }
  return best;
}

AlgorithmDef under(const Way& way, std::string_view name) {
  const AlgorithmDef& row = algorithms().get(way.algorithm, "libraries");
  AlgorithmDef result     = row;
  result.name             = name;
  result.flows            = [&way, &row](const Task& task) { return flows_of(way, row, task); };
  result.flows_by_bytes   = true;
  result.all_pairs_steps  = nullptr;  // its flows have factors
  result.is_of_libraries  = true;
  if (!way.kinds.empty()) result.kinds = way.kinds;
  return result;
}

// The plan taking what was measured: latencies of its own first, then the transfer, for as long as is left. Nothing
// where there is no measurement, or several phases.
std::optional<FlowPlan> taking(const MeasuredTime& measured, FlowPlan plan, const Task& task) {
  if (plan.phases.size() != 1 || nodes(task.group).size() != 1) return std::nullopt;
  Task empty       = task;
  empty.bytes      = Bytes(0);
  const auto whole = measured(task), fixed = measured(empty);
  if (!whole || !fixed) return std::nullopt;
  Phase& phase       = plan.phases.front();
  phase.near_latency = 0;
  phase.head         = 0;
  plan.start         = std::min(*fixed, *whole);
  phase.least        = *whole - plan.start;
  // Nothing is faster than the wires: what they need is taken from the latencies.
  const Seconds wires = most_sent(phase, task.group) * task.bytes / task.near.bandwidth;
  if (wires > phase.least) plan.start -= std::min(plan.start, wires - phase.least);
  return plan;
}

AlgorithmDef measured_way(const AlgorithmDef& way, const Way& facts, const MeasuredTime& measured) {
  const AlgorithmDef& row = algorithms().get(facts.algorithm, "libraries");
  AlgorithmDef result     = way;
  result.flows            = [&row, measured, otherwise = way.flows](const Task& task) {
    auto plan = taking(measured, row.flows(task), task);
    return plan ? *std::move(plan) : otherwise(task);
  };
  return result;
}

AlgorithmDef choosing(const std::shared_ptr<const Toolbox>& tools) {
  AlgorithmDef result = {};
  result.name         = tools->names.back();
  result.doc          = tools->library->doc;
  result.source       = tools->library->source;
  for (const KindDef& kind : kinds()) result.kinds.push_back(kind.kind);
  result.supports = any_group;
  result.choose   = [tools](const Task& task,
                          const std::function<Cost(const AlgorithmDef&)>& cost) -> const AlgorithmDef& {
    const AlgorithmDef* best = fastest(*tools, task, cost);
    return best != nullptr ? *best : default_algorithm(task.kind);
  };
  const auto chosen = [choose = result.choose](const Task& task) -> const AlgorithmDef& {
    return choose(task, [&](const AlgorithmDef& row) { return closed_form(row, task); });
  };
  result.plan           = [chosen](const Task& task) { return chosen(task).plan(task); };
  result.flows          = [chosen](const Task& task) { return chosen(task).flows(task); };
  result.flows_by_bytes = true;
  return result;
}

// The last name is the library's own.
std::shared_ptr<const Toolbox> toolbox(const LibraryDef& library, const std::string& suffix,
                                       const MeasuredTime& measured) {
  auto tools     = std::make_shared<Toolbox>();
  tools->library = &library;
  for (const Way& way : library.ways)
    tools->names.push_back(fmt::format("{}{}{}", way.algorithm, way.protocol.empty() ? "" : " ", way.protocol));
  tools->names.push_back(std::string(library.name) + suffix);
  for (size_t i = 0; i < library.ways.size(); ++i) {
    tools->ways.push_back(under(library.ways[i], tools->names[i]));
    if (measured != nullptr && library.is_measured)
      tools->measured.push_back(measured_way(tools->ways[i], library.ways[i], measured));
  }
  return tools;
}

}  // namespace

const Registry<LibraryDef>& libraries() {
  // clang-format off
  static const Registry<LibraryDef> rows("communication library", "libraries", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "collective/libraries/libraries.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

namespace {

// "nccl" of "nccl@2.23"; all of a name that has no version.
std::string_view without_version(std::string_view name) { return name.substr(0, name.find('@')); }

}  // namespace

const LibraryDef& library_called(std::string_view name, const std::string& where) {
  if (const LibraryDef* row = libraries().find(name)) return *row;
  const LibraryDef* newest = nullptr;
  for (const LibraryDef& row : libraries()) {
    if (without_version(row.name) == name) newest = &row;
  }
  return newest != nullptr ? *newest : libraries().get(name, where);
}

std::vector<std::string> library_names() {
  std::vector<std::string> names = libraries().names();
  for (const LibraryDef& row : libraries()) {
    const std::string_view plain = without_version(row.name);
    if (std::find(names.begin(), names.end(), plain) == names.end()) names.emplace_back(plain);
  }
  return names;
}

FlowPlan flows_of(const Way& way, const AlgorithmDef& algorithm, const Task& task) {
  FlowPlan plan       = algorithm.flows(task);
  const auto slowdown = [&](const Wire& wire) { return way.step[index(wire.medium)] / kUsualStep[index(wire.medium)]; };
  const BytesPerSecond most = way.most[spread(nodes(task.group).size())];
  plan.start += way.start;
  for (Phase& phase : plan.phases) {
    phase.near_latency *= slowdown(task.near);
    phase.far_latency *= slowdown(task.far);
    if (most > BytesPerSecond(0)) phase.least = std::max(phase.least, most_sent(phase, task.group) * task.bytes / most);
    const bool leaves = leaves_node(task, phase);
    // Shares of one phase have one factor, that of the network. What is left of the ports inside is a limit.
    const double near = way.efficiency[index(task.near.medium)];
    if (leaves && near > 0)
      phase.least =
          std::max(phase.least, most_sent(phase, task.group, true) * task.bytes / (near * task.near.bandwidth));
    const double efficiency = leaves ? way.efficiency[index(task.far.medium)] : near;
    for (Flow& flow : phase.flows) flow.share /= efficiency;
  }
  return plan;
}

std::vector<AlgorithmDef> library_algorithms(const std::string& suffix, const MeasuredTime& measured) {
  std::vector<AlgorithmDef> rows;
  for (const LibraryDef& library : libraries()) rows.push_back(choosing(toolbox(library, suffix, measured)));
  return rows;
}

const Registry<AlgorithmDef>& library_algorithms() {
  static const Registry<AlgorithmDef> rows("communication library", "libraries", library_algorithms("", nullptr));
  return rows;
}

const AlgorithmDef& algorithm_named(std::string_view name, const std::string& where) {
  const AlgorithmDef* library = library_algorithms().find(name);
  return library != nullptr ? *library : algorithms().get(name, where);
}

}  // namespace foreflow::collective
