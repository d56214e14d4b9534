// The question of a search: the space, and how a point of it becomes a scenario.
#pragma once

#include <optional>

#include "foreflow/scenario/framework.h"
#include "foreflow/search/search.h"
#include "foreflow/search/space.h"
#include "search/evaluate.h"
#include "search/kept.h"
#include "search/read_point.h"

namespace foreflow::search {

class Question {
 public:
  // Throws Error when a part of the scenario other than the strategy is wrong.
  Question(const Json& source, const std::string& file, const Options& options);
  Question(const Question&)            = delete;  // points refer to its clusters
  Question& operator=(const Question&) = delete;

  const Space& space() const { return space_; }
  const std::vector<Cluster>& clusters() const { return clusters_; }

  ReadPoint read(const Json& point) const;

  // The scenario of a candidate.
  Expected<scenario::Scenario> read(const Candidate& candidate) const;

  // The goal of the search, with all terms that it needs.
  const Goal& goal() const { return goal_; }

  // In which strategies are tried; the points are read without disturbances then.
  const Worlds& worlds() const { return worlds_; }
  // A lower bound of the time of an undisturbed point, times this, is one of the time that it is judged by.
  double least_factor() const { return least_factor_; }
  // True where points are tried in the first kFirstWorlds of the worlds before they are in all.
  bool tries_worlds() const { return worlds_.count >= 4 * kFirstWorlds; }
  static constexpr size_t kFirstWorlds = 2;
  // The rate of a point that takes at least this time, undisturbed, is no higher; infinite for a time of 0. Requires:
  // the point is legal.
  double most_samples_per_second(const ReadPoint& point, Seconds least_time) const;
  // The predictions of earlier searches; new ones are added there.
  Kept& kept() const { return *kept_; }

 private:
  std::optional<scenario::Framework> framework_;
  std::vector<Cluster> clusters_;
  Worlds worlds_;
  double least_factor_;
  Goal goal_;
  Space space_;
  std::shared_ptr<Kept> kept_;
};

// Memory of the device that has most.
Bytes largest_memory(const platform::Platform& platform);

// Adds an infeasible point to a result.
void add_infeasible(Result& result, const Json& point, Refusal refusal);
// Adds it to the list only, if that has room.
void list_infeasible(Result& result, const Json& point, Refusal refusal);
// The reason of a refusal in words, as Result::reasons has it: all points that do not fit in memory are one kind,
// regardless of device and unit.
std::string reason_of(const Refusal& refusal);

// The refusal of a strategy that has at most this rate; nothing if that is enough.
std::optional<Refusal> too_slow(const Terms& terms, double samples_per_second);
// The prediction, refused where the strategy is too slow.
Prediction admitted(Prediction prediction, const Terms& terms);
Figures figures_of(const Prediction& prediction, const ReadPoint& point);

Candidate candidate(const ReadPoint& point, const Prediction& prediction);

// Adds the prediction of a point to a result.
void add(Result& result, const ReadPoint& point, const Prediction& prediction);

}  // namespace foreflow::search
