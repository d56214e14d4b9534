#include "report/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::report {
namespace {

// One execution, in half a cache line: there are millions, and each stream goes through them with long steps.
struct Execution {
  Seconds time;
  Seconds waited;              // by its members, each until the last of them came; by all of its equals if folded
  Seconds latest;              // when the last came
  int32_t late          = -1;  // the stream that did; the lowest of several
  bool all_came_at_once = true;
};

std::vector<Execution> executions_of(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<Execution> executions(program.instances.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const auto& items      = program.streams[s].items;
    const auto represented = static_cast<double>(nth(program.devices, program.streams[s].device).count());
    Seconds free           = program.streams[s].begins;
    for (size_t i = 0; i < items.size(); ++i) {
      const stream::Record& record = timeline.records[s][i];
      const Seconds came           = free;
      free                         = record.end;
      if (items[i].instance < 0) continue;
      Execution& execution = nth(executions, items[i].instance);
      const bool first     = execution.late < 0;
      execution.time       = record.end - record.start;
      execution.waited += represented * (record.start - came);
      execution.all_came_at_once = first || (execution.all_came_at_once && came == execution.latest);
      if (first || came > execution.latest) {
        execution.latest = came;
        execution.late   = static_cast<int32_t>(s);
      }
    }
  }
  return executions;
}

// Executions of one communication among groups of one size.
struct Group {
  int64_t count                   = 0;
  const stream::Instance* example = nullptr;
  std::vector<const collective::AlgorithmDef*> algorithms;  // those that ran
  Seconds time, contention, waiting;
  std::vector<Seconds> waited_for;  // by stream; empty: for none
};

std::string_view most_waited_for(const stream::Program& program, const Group& group) {
  if (group.waited_for.empty()) return "";
  const auto longest = std::max_element(group.waited_for.begin(), group.waited_for.end());
  return nth(program.streams, longest - group.waited_for.begin()).name;
}

// "ring", or "double_tree, ring" where groups differ.
std::string names(const std::vector<const collective::AlgorithmDef*>& algorithms) {
  std::string text;
  for (const collective::AlgorithmDef* algorithm : algorithms)
    text += (text.empty() ? "" : ", ") + std::string(algorithm->name);
  return text;
}

CollectiveSummary summary_of(const stream::Program& program, const Group& group) {
  const auto& communication = nth(program.communications, group.example->communication);
  const auto ranks          = static_cast<int>(group.example->members.ranks());
  CollectiveSummary summary;
  summary.name          = name_of(program, *group.example);
  summary.kind          = collective::name(communication.kind);
  summary.algorithm     = names(group.algorithms);
  summary.by_library    = std::any_of(group.algorithms.begin(), group.algorithms.end(),
                                      [](const auto* algorithm) { return algorithm->is_of_libraries; });
  summary.ranks         = ranks;
  summary.bytes         = communication.bytes;
  summary.count         = group.count;
  summary.time          = group.time;
  summary.algbw         = static_cast<double>(group.count) * communication.bytes / group.time;
  summary.busbw         = collective::bus_factor(communication.kind, ranks) * summary.algbw;
  summary.contention    = group.contention;
  summary.waiting       = group.waiting;
  summary.late          = most_waited_for(program, group);
  summary.provenance    = communication.priced_by.empty() ? "simulated" : communication.priced_by;
  summary.communication = group.example->communication;
  return summary;
}

}  // namespace

std::string measured_elsewhere(const stream::Program& program) {
  std::set<std::string> ops;
  std::set<int> nodes;
  for (const stream::Instance& instance : program.instances) {
    const stream::Communication& what = nth(program.communications, instance.communication);
    if (what.measured.empty()) continue;
    ops.insert(what.name);
    for (const stream::TimeOnNodes& one : what.measured) nodes.insert(one.nodes);
  }
  if (ops.empty()) return "";
  return fmt::format("messages are simulated on other numbers of nodes than they were measured on ({}): {}",
                     fmt::join(nodes, ", "), fmt::join(ops, ", "));
}

std::vector<Seconds> contention_by_instance(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<Seconds> lost(program.instances.size());
  const auto& flows = timeline.flows;
  for (size_t f = 0; f < flows.size();) {
    Seconds start = flows[f].start, end = flows[f].end;
    const stream::Flow& phase = flows[f];
    while (++f < flows.size() && flows[f].instance == phase.instance && flows[f].phase == phase.phase) {
      start = std::min(start, flows[f].start);
      end   = std::max(end, flows[f].end);
    }
    constexpr double kRounding = 1e-9;
    const Seconds more         = end - start - phase.alone;
    if (more > kRounding * phase.alone) nth(lost, phase.instance) += more;
  }
  return lost;
}

std::string name_of(const stream::Program& program, const stream::Instance& instance) {
  const std::string& name = nth(program.communications, instance.communication).name;
  if (program.jobs.empty()) return name;
  const stream::Stream& stream = nth(program.streams, instance.members.front());
  const int32_t job            = nth(program.devices, stream.device).job;
  return nth(program.jobs, job) + "/" + name;
}

std::vector<CollectiveSummary> summarise_collectives(const stream::Program& program, const stream::Timeline& timeline,
                                                     const std::vector<Seconds>& contention) {
  const std::vector<Execution> executions = executions_of(program, timeline);
  std::map<std::pair<int32_t, size_t>, Group> groups;  // by communication and number of members
  for (size_t i = 0; i < executions.size(); ++i) {
    const stream::Instance& instance = program.instances[i];
    if (stream::is_hand_over(program, instance)) continue;
    Group& group          = groups[{instance.communication, instance.members.ranks()}];
    const auto times      = static_cast<double>(instance.members.executions());
    const Seconds waited  = executions[i].waited / static_cast<double>(instance.members.ranks());
    const auto* algorithm = timeline.algorithms.empty() ? nullptr : timeline.algorithms[i];
    auto& known           = group.algorithms;
    if (algorithm != nullptr && std::find(known.begin(), known.end(), algorithm) == known.end())
      known.push_back(algorithm);
    group.count += instance.members.executions();
    group.example = &instance;
    group.time += times * executions[i].time;
    group.contention += times * contention[i];
    group.waiting += waited;
    if (executions[i].all_came_at_once) continue;
    group.waited_for.resize(program.streams.size());
    nth(group.waited_for, executions[i].late) += waited / times;
  }
  std::vector<CollectiveSummary> all;
  for (const auto& [key, group] : groups) {
    if (group.time <= Seconds(0)) continue;
    all.push_back(summary_of(program, group));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const CollectiveSummary& a, const CollectiveSummary& b) { return a.time > b.time; });
  return all;
}

}  // namespace foreflow::report
