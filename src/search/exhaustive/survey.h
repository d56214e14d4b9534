// A survey of a space: bounds the points of each branch, in microseconds. Only the most promising branches are stored,
// so a space may have any number of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "search/bounds/bounds.h"
#include "search/exhaustive/branch_refusals.h"
#include "search/question.h"
#include "search/score.h"
#include "search/space/branches.h"

namespace foreflow::search {

// How the figures of a branch are bounded. Each bound is tighter than those before it, and takes longer to find.
enum class BoundedBy : uint8_t {
  demand,      // by Bounds
  microbatch,  // by Bounds, with the time of Refiner::microbatch
  stages,      // by Refiner::sketch
  step,        // by Refiner::refine
  worlds,      // by that and what a point takes in the first disturbed worlds
};

// A branch that may have points that are good enough.
struct Prospect {
  Figures most;   // none of its points is better in any of these
  Score score;    // of these
  size_t number;  // of the branch in the order of Branches::visit; children have that of their parent
  size_t region, depth;
  std::string point;                         // as compact JSON
  BoundedBy bounded_by = BoundedBy::demand;  // how `most` is bounded
  bool is_uncut        = false;              // Refined::is_uncut of its refined bound

  Branch branch() const { return {region, depth, parse_json(point, "point")}; }

  // The most promising first.
  bool operator<(const Prospect& other) const {
    if (score != other.score) return score < other.score;
    return std::tie(number, point) < std::tie(other.number, other.point);
  }
};

Json to_json(const Prospect& prospect);
Prospect read_prospect(const JsonView& json);

// A branch without a legal point that fits in memory and is fast enough.
struct Refused {
  Branch branch;
  Refusal refusal;
};

// The result of a survey.
struct Survey {
  size_t points = 0;  // legal or not
  // The infeasible points: how many, for which reasons, and the branches that have the first kMostListed of them, by
  // their numbers.
  size_t refused = 0;
  std::map<std::string, size_t> reasons;
  std::vector<std::pair<size_t, Refused>> infeasible;
  // The most promising branches, best first.
  std::vector<Prospect> prospects;
  bool complete = true;   // false: `prospects` lacks some branches, none of them more promising than those in it
  bool stopped  = false;  // by Options::stop, so that nothing else is complete
};

class Surveyor {
 public:
  // `most` is the number of prospects that a survey may return.
  Surveyor(const Question& question, const Options& options, size_t most);

  const Branches& branches() const { return branches_; }

  // The most promising branches that follow `after` (null: all). They are divided over Options::jobs processes; the
  // result is the same for any number of them.
  Survey survey(const Prospect* after);

  // Judges the branch by bounds of all its points: it is either refused or a prospect. `parent` and `microbatch` may be
  // null.
  std::variant<Refused, Prospect> judge(const Branch& branch, size_t number, const Prospect* parent,
                                        const MicrobatchOf& microbatch = nullptr);
  // The bound of the legal point `fastest` of the branch, as Branches::fastest. `microbatch` may be null.
  Bound bound_of(const Branch& branch, const ReadPoint& fastest, const MicrobatchOf& microbatch);

  // The refusal of points of a cluster that are no better than this: they need more memory than the largest device has,
  // or are too slow. Nothing where they may work.
  std::optional<Refusal> hopeless(const Figures& most, const Cluster& cluster) const;

 private:
  // Calls `see` with the branches of one of several shares, and their numbers, until it returns false; for branches of
  // which all points are refused it calls `refuse`.
  void visit_share(size_t share, size_t shares,
                   const std::function<void(const Refused& refused, size_t number)>& refuse,
                   const std::function<bool(const Branch& branch, size_t number)>& see) const;
  void learn_families();
  Survey survey_share(size_t share, const Prospect* after);
  void look_at(const Branch& branch, size_t number, const Prospect* after, Survey& survey);
  const std::vector<scenario::Placement>& placements(const Branch& branch);

  const Question& question_;
  const Options& options_;
  const size_t most_;
  const Branches branches_;
  const BranchRefusals refusals_;
  Bounds bounds_;
  std::map<std::string, std::vector<scenario::Placement>> placements_;  // by their text
};

// Counts the points of a branch among those that are infeasible.
void count_refused(Result& result, const Branches& branches, const Refused& refused);

}  // namespace foreflow::search
