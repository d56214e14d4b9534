// Why whole branches are refused: from the keys that are decided, before any of their points is read.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/question.h"
#include "search/space/branches.h"

namespace foreflow::search {

// Example: where dp 3 does not divide the batch, all points with dp 3 are refused when dp and the batch are decided,
// whatever microbatches, recomputation and the other keys are.
class BranchRefusals {
 public:
  // `question` is kept by reference.
  explicit BranchRefusals(const Question& question);

  // Why all points of the branch are refused; nothing where some may be legal, or where its parent was asked the same.
  // If a point is refused for several reasons, the refusal is the one that is known first.
  std::optional<Refusal> of(const Branch& branch) const;

 private:
  struct Known {
    scenario::KnownKeys keys;
    bool placement = false;  // whether it is known
    bool more      = false;  // whether more is known than of the parent
    Json fixed;              // members of later dimensions that have a single choice
  };
  // The keys of the strategy that a dimension decides; several where it has members for all degrees.
  using Keys = std::set<std::string, std::less<>>;
  // `keys`: those of each dimension of the region.
  Known known(const Region& region, const std::vector<Keys>& keys, size_t depth) const;

  const Question& question_;
  std::vector<std::vector<Known>> known_;  // by region and depth
};

}  // namespace foreflow::search
