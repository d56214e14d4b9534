#include "execute/assemble.h"

#include <algorithm>
#include <map>

#include "foreflow/cost/signature.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute {
namespace {

Seconds median_of(const std::vector<IterationTimes>& iterations, Seconds IterationTimes::*figure) {
  std::vector<Seconds> times;
  for (const IterationTimes& iteration : iterations) times.push_back(iteration.*figure);
  return cost::median(std::move(times));
}

// Every execution of a message, its time that of the slowest member; equal messages share a row.
std::vector<cost::Measurement> messages(const Programs& programs, const std::vector<Answer>& answers) {
  std::map<int, std::pair<const CommunicationRun*, std::vector<Seconds>>> slowest;  // by the communication's number
  for (size_t rank = 0; rank < programs.size(); ++rank) {
    for (size_t m = 0; m < programs[rank].communications.size(); ++m) {
      auto& [communication, times] = slowest[programs[rank].communications[m].number];
      communication                = &programs[rank].communications[m];
      const auto& mine             = answers[rank].communications[m];
      times.resize(mine.size());
      for (size_t i = 0; i < mine.size(); ++i) times[i] = std::max(times[i], mine[i]);
    }
  }
  std::map<std::pair<int, std::string>, std::pair<cost::Measurement, std::vector<Seconds>>> rows;
  for (const auto& [number, entry] : slowest) {
    const auto& [communication, times] = entry;
    if (communication->members().size() < 2 || times.empty()) continue;
    const cost::Measurement row = message_of(*communication);
    auto& [kept, all] =
        rows.try_emplace({row.rank, row.dtype + row.signature}, row, std::vector<Seconds>{}).first->second;
    all.insert(all.end(), times.begin(), times.end());
  }
  std::vector<cost::Measurement> result;
  for (auto& [key, row] : rows) {
    auto& [measurement, times] = row;
    measurement.count          = static_cast<int64_t>(times.size());
    measurement.fastest        = *std::min_element(times.begin(), times.end());
    measurement.time           = cost::median(std::move(times));
    result.push_back(std::move(measurement));
  }
  return result;
}

}  // namespace

cost::Measurement message_of(const CommunicationRun& communication) {
  const std::vector<int> members = communication.members();
  cost::Measurement row;
  row.kind  = cost::Measurement::Kind::message;
  row.rank  = members.front();
  row.op    = communication.op;
  row.dtype = cost::dtype_of(std::span(&communication.operand, 1), {});
  row.ranks = static_cast<int>(members.size());
  row.message =
      cost::message_bytes(ops::table().get(communication.op, "messages"), communication.operand, communication.result);
  row.signature = cost::message_signature(row.op, row.message, row.ranks);
  return row;
}

Execution assemble(const Task& task, const Programs& programs, const std::vector<Answer>& answers) {
  Execution execution;
  execution.results.resize(task.module.entry().results.size());
  execution.iterations.resize(answers[0].iterations.size());
  for (size_t rank = programs.size(); rank-- > 0;) {  // a result that all have is that of the first
    for (size_t i = 0; i < answers[rank].results.size(); ++i)
      execution.results[programs[rank].results[i]] = answers[rank].results[i];
  }
  for (size_t rank = 0; rank < programs.size(); ++rank) {
    const auto& iterations = answers[rank].iterations;
    for (size_t i = 0; i < iterations.size(); ++i)
      execution.iterations[i] = std::max(execution.iterations[i], iterations[i].total);
    execution.ranks.push_back({"D" + (programs[rank].device.placed() ? ir::to_string(programs[rank].device) : "1"),
                               median_of(iterations, &IterationTimes::compute),
                               median_of(iterations, &IterationTimes::communication),
                               median_of(iterations, &IterationTimes::wait)});
    const auto& ops = answers[rank].ops;
    execution.measurements.insert(execution.measurements.end(), ops.begin(), ops.end());
  }
  const auto sent = messages(programs, answers);
  execution.measurements.insert(execution.measurements.end(), sent.begin(), sent.end());
  return execution;
}

}  // namespace foreflow::execute
