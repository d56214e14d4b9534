// Lower bounds of the time that the tasks of a step take.
#pragma once

#include <map>
#include <vector>

#include "search/bounds/staged_step.h"

namespace foreflow::search {

// The tasks alone: computes, and messages inside of a replica.
class TaskTimes {
 public:
  // The step must outlive it. `slow` says by stage how many times as long the computes of one of its devices take, and
  // the times are then those of these devices; empty: no device is slow.
  explicit TaskTimes(const StagedStep& step, const std::vector<double>& slow = {});

  // Per StageDemand::messages: how long its members wait.
  const std::vector<Seconds>& waits() const { return waits_; }
  Seconds of(const transform::StageNeed::Task& task) const;
  // The times of the tasks of a stage of the step, with the sums of terms.
  schedule::StageCosts costs(const transform::StageNeed& need) const;

 private:
  schedule::StageCosts costs_of_slow(const transform::StageNeed& need) const;

  const StagedStep& step_;
  const std::vector<Seconds> waits_;
  std::vector<Seconds> messages_;  // how long a device waits for each: the mean over the group
  const bool sums_once_;
  const std::vector<double> slow_;
  std::map<double, std::vector<Seconds>> waits_of_slow_;  // by these
};

// The tasks with what replicas exchange for each microbatch.
class ExchangingTasks {
 public:
  // Both must outlive it.
  ExchangingTasks(const StagedStep& step, const TaskTimes& tasks);

  const StageExchange& exchange(size_t stage) const { return exchanges_[stage]; }
  // With ZeRO, without overlap, tasks wait for the exchange of what is sharded.
  schedule::StageCosts costs(size_t stage) const;

 private:
  const StagedStep& step_;
  const TaskTimes& tasks_;
  std::vector<StageExchange> exchanges_;         // per stage
  std::vector<ReplicaExchange::Passes> passes_;  // likewise; empty where tasks wait for no gathers
};

}  // namespace foreflow::search
