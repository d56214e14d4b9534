// A survey of a space: which of its points are legal, and how good each can be at most, by bounds that take
// microseconds. Points are not stored but for the most promising, so a space may have any number of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/bounds.h"
#include "search/question.h"

namespace foreflow::search {

// A legal point that is not evaluated yet.
struct Prospect {
  double fastest;     // samples per second that it cannot exceed; infinite where no bound is known
  Bytes memory;       // that it needs at least
  size_t number;      // of the point, in the order of Space::visit
  std::string point;  // as compact JSON

  // The most promising first.
  bool operator<(const Prospect& other) const {
    return fastest != other.fastest ? fastest > other.fastest : number < other.number;
  }
};

// What a survey found.
struct Survey {
  size_t points = 0;  // legal or not
  // The infeasible points: how many, for which reasons, and the first kMostListed of them with their numbers.
  size_t refused = 0;
  std::map<std::string, size_t> reasons;
  std::vector<std::pair<size_t, Infeasible>> infeasible;
  // The most promising points, best first.
  std::vector<Prospect> prospects;
  bool complete = true;   // no legal point is missing in `prospects`; false: there are others, none more promising
  bool stopped  = false;  // by Options::stop, so that nothing else is complete
};

class Surveyor {
 public:
  // `most` is the number of prospects that a survey may return.
  Surveyor(const Question& question, const Options& options, size_t most);

  // The most promising points that follow `after` (null: all). The points are divided over Options::jobs processes; the
  // result is the same for any number of them.
  Survey survey(const Prospect* after);

  // The refusal of a point that needs so much memory at least; nothing when the largest device has as much.
  std::optional<Refusal> too_large(Bytes least) const;

 private:
  void learn_families();
  Survey survey_share(size_t share, const Prospect* after);
  void look_at(const Json& point, size_t number, const Prospect* after, Survey& survey);

  const Question& question_;
  const Options& options_;
  const size_t most_;
  const Bytes memory_;  // of the largest device
  Bounds bounds_;
};

}  // namespace foreflow::search
