// The result of an exhaustive search while it grows.
#pragma once

#include <map>
#include <string>

#include "search/exhaustive/refused_list.h"
#include "search/exhaustive/standing.h"
#include "search/exhaustive/twins.h"

namespace foreflow::search {

class Outcome {
 public:
  // All must outlive it.
  Outcome(const Question& question, const Options& options, const Branches& branches)
      : question_(question),
        options_(options),
        branches_(branches),
        standing_(question.goal(), options.top, options.pruning),
        refused_(branches) {}

  const Standing& standing() const { return standing_; }
  size_t points() const { return result_.points; }
  size_t evaluated() const { return result_.evaluated; }
  size_t ranked() const { return result_.ranked.size(); }

  // Takes the figures of a survey about the whole space.
  void begin(const Survey& survey);
  // Adds a prediction. `point` is the text of the branch.
  void add(const Branch& branch, const std::string& point, const Prediction& prediction);
  // Adds the points of a branch of which none works.
  void refuse(const Refused& refused);
  // A point that does the same as `plain`, from which it differs only in `key`.
  void add_twin(const Json& twin, const Json& plain, const std::string& key) { twins_.add(twin, plain, key); }

  // The result of a search that ended, or was interrupted with this gap (Result::gap).
  Result finish(bool interrupted, std::optional<double> gap) &&;

 private:
  void add_same();

  const Question& question_;
  const Options& options_;
  const Branches& branches_;
  Standing standing_;
  RefusedList refused_;
  Twins twins_;
  // By the text of a point that was predicted: its place in the ranking, or its refusal.
  std::map<std::string, size_t> places_;
  std::map<std::string, Refusal> refusals_;
  Result result_;
};

}  // namespace foreflow::search
