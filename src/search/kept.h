// Predictions that outlive the search: what a store has is read and not predicted again, what it lacks goes there as
// soon as it is known.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/search/search.h"
#include "foreflow/store/store.h"
#include "search/evaluate.h"
#include "search/round.h"

namespace foreflow::search {

class Kept {
 public:
  // Without Options::store nothing is kept. A store belongs to a scenario without its strategy, an engine, the worlds
  // and the contents of the files that the scenario names. Throws Error as store::Store does, and at a damaged record.
  Kept(const Json& source, const std::string& file, const Worlds& worlds, const Options& options);

  // The predictions of the points, compact JSON each, in their order, judged by Options::risk; nothing for those that
  // the round did not get to. Adds requests for those that are not kept: `prefix` and the text of the point.
  Later<std::vector<std::optional<Prediction>>> predictions(const std::vector<std::string>& points, Round& round,
                                                            const std::string& prefix = "");

  bool has(const std::string& point) const;
  // The number of predictions of the engine that were read and not made.
  size_t reused() const { return reused_; }

 private:
  void put(const std::string& point, const Prediction& prediction, const std::string& answer);

  Risk risk_;
  std::unique_ptr<store::Store> store_;                // null: nothing is kept
  std::unordered_map<std::string, Prediction> found_;  // by the names of their points
  size_t reused_ = 0;
};

}  // namespace foreflow::search
