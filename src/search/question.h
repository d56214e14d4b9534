// What is asked, ready to be answered: the space, and how a point of it becomes a scenario.
#pragma once

#include "foreflow/search/search.h"
#include "foreflow/search/space.h"
#include "search/evaluate.h"

namespace foreflow::search {

struct ReadPoint {
  Json point;
  Expected<scenario::Scenario> scenario;  // refused where it is not legal
};

class Question {
 public:
  Question(const Json& source, const std::string& file, const Options& options);

  const Space& space() const { return space_; }
  const scenario::PlatformRef& platform() const { return platform_; }

  // Throws Error for what is wrong beyond the strategy.
  ReadPoint read(const Json& point) const;

 private:
  scenario::Scenario base_;  // all but strategy and placement, which no point changes
  scenario::PlatformRef platform_;
  Space space_;
};

// Of the device that has most.
Bytes largest_memory(const platform::Platform& platform);

Infeasible infeasible(const Json& point, Refusal refusal);
Candidate candidate(const ReadPoint& point, const Prediction& prediction);

// Adds what was predicted of a point.
void add(Result& result, const ReadPoint& point, const Prediction& prediction);

}  // namespace foreflow::search
