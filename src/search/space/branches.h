// The space of a search as a tree. A branch is a set of points that agree in the first dimensions of a region and take
// all choices for the others, which are open.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "foreflow/search/space.h"

namespace foreflow::search {

struct Branch {
  size_t region = 0;  // of Space::regions
  size_t depth  = 0;  // the number of dimensions of the region that are decided
  Json point;         // by these choices
};

// Example: on 8 devices, with tp and the recomputation open to search, one branch is {"dp": 2, "tp": 2, "pp": 2,
// "schedule": "1f1b"}, whose children add "recompute": "none", "selective" and "full".
class Branches {
 public:
  explicit Branches(const Space& space);

  using See = std::function<bool(const Branch& branch)>;
  // Calls `see` with branches that together have every point of the space once, until it returns false. In these
  // branches, all dimensions that bounds must know are decided. A larger branch on the way is left out, with all of its
  // points, if `enter` returns false for it.
  void visit(const See& enter, const See& see) const;
  // The branches that decide the next open dimension, too.
  std::vector<Branch> children(const Branch& branch) const;
  // The number of points.
  size_t points(const Branch& branch) const;
  // The first points, `most` at most.
  std::vector<Json> first_points(const Branch& branch, size_t most) const;

  // Returns true if the branch is a single point.
  bool is_point(const Branch& branch) const { return branch.depth >= space_.regions()[branch.region].size(); }
  // Returns true if refined bounds hold for all of its points.
  bool can_be_refined(const Branch& branch) const;

  // Returns true if bounds hold for all of its points that know its stages, but no exchange between replicas.
  bool can_be_sketched(const Branch& branch) const;

  // The point of the space that differs from a point only in `key`, which has this value; nothing where there is none,
  // or the point says nothing of the key, or has the value itself.
  std::optional<Json> sibling(const Branch& point, const std::string& key, const Json& value) const;

  // The point that does the same as a point with a key that has no effect there; nothing where there is none.
  struct Plain {
    Json point;
    std::string key;
  };
  std::optional<Plain> plain(const Branch& point) const;

  // The points of the branch of which no other has a lower bound of time, or of memory, but for dimensions of which
  // all choices count: these have their first choice.
  Json fastest(const Branch& branch) const;
  Json leanest(const Branch& branch) const;
  // The choices of the open dimension of which all count; empty: there is none. Each is an object of keys and values.
  std::vector<Json> counted(const Branch& branch) const;
  // The fastest point, and what becomes of it with other choices of the open dimensions that move the ends of stages.
  std::vector<Json> differently_cut(const Branch& branch) const;
  // For every program of one replica that points of the branch have, one point.
  std::vector<Json> families(const Branch& branch) const;

 private:
  bool visit_from(Branch& branch, const See& enter, const See& see) const;
  size_t points_from(Branch& branch) const;
  Json completed(const Branch& branch, scenario::Open scenario::SearchRule::*which) const;

  const Space& space_;
  std::vector<size_t> decided_;  // per region: how many dimensions are decided in all branches that are visited
  std::vector<size_t> free_;     // per region: later dimensions have the same choices whatever is decided before
};

}  // namespace foreflow::search
