// The requests of an exhaustive search to its workers about branches, and their answers.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "search/bounds/refine.h"
#include "search/exhaustive/survey.h"
#include "search/round.h"

namespace foreflow::search {

// Requests for predictions begin with this, before the point.
constexpr auto kPredictRequest = "p";

// Answers requests.
class BranchWorker {
 public:
  // Both must outlive it.
  BranchWorker(const Question& question, Surveyor& surveyor)
      : question_(question),
        surveyor_(surveyor),
        predictor_(question.worlds(), true),
        refiner_(predictor_),
        microbatch_([this](const auto& point, const auto& places) { return refiner_.microbatch(point, places); }) {}
  BranchWorker(const BranchWorker&) = delete;

  std::string answer(const std::string& request);

 private:
  std::string children_of(const JsonView& prospects);
  std::string bounds_of(const JsonView& prospects);
  Json judged(const Branch& child, const Prospect& parent);
  // The next tighter bound of the prospect, as BoundedBy lists them.
  Refined tighter_bound(const Prospect& prospect);
  // The bound of a point by what it takes in the first worlds; zero where it has no times.
  Bound attempt(const ReadPoint& point);
  // The point with each of these placements; with its own where there are none.
  std::vector<ReadPoint> with_placements(const Json& point, const std::vector<Json>& placements) const;

  const Question& question_;
  Surveyor& surveyor_;
  Predictor predictor_;
  Refiner refiner_;
  const MicrobatchOf microbatch_;  // of `refiner_`
};

// The children of these branches, in their order. `workers` answer as BranchWorker does.
Later<std::vector<std::variant<Refused, Prospect>>> ask_children(const std::vector<const Prospect*>& branches,
                                                                 Round& round);

// The next tighter bounds of these branches, list by list in their order. The branches of a list have much in common
// (Refiner::key): one worker is asked about them.
Later<std::vector<Refined>> ask_refined(const std::vector<std::vector<const Prospect*>>& lists, Round& round);

}  // namespace foreflow::search
