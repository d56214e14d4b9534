// Asks workers about points only once where several do the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/exhaustive/branch_worker.h"
#include "search/space/placement_forms.h"

namespace foreflow::search {

class DistinctPoints {
 public:
  // Both must outlive it.
  DistinctPoints(const Question& question, const Branches& branches)
      : question_(question), branches_(branches), same_(question.worlds().count > 0) {}

  // The predictions of points, compact JSON each, in their order.
  Later<std::vector<Prediction>> predictions(const std::vector<std::string>& points, Round& round);
  // The refined bounds of branches, in their order. Those whose fastest points do the same have the same.
  Later<std::vector<Refined>> bounds(const std::vector<const Prospect*>& branches, Round& round) {
    return bounds(branches, kShareModel, round);
  }
  // Likewise, of points in the first disturbed worlds.
  Later<std::vector<Refined>> attempts(const std::vector<const Prospect*>& points, Round& round) {
    return bounds(points, 1, round);
  }

 private:
  // A model of stages serves so many branches at most before a second worker makes it, too.
  static constexpr size_t kShareModel = 32;

  // As above; a worker is asked about `together` branches at most.
  Later<std::vector<Refined>> bounds(const std::vector<const Prospect*>& branches, size_t together, Round& round);

  const Question& question_;
  const Branches& branches_;
  SamePredictions same_;
  std::map<std::string, Prediction> predicted_;  // by their names
};

}  // namespace foreflow::search
