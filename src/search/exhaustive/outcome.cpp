#include "search/exhaustive/outcome.h"

#include <algorithm>

namespace foreflow::search {

void Outcome::begin(const Survey& survey) {
  result_.points    = survey.points;
  result_.refused   = survey.refused;
  result_.reasons   = survey.reasons;
  result_.estimated = survey.stopped;  // `points` are those that it met
  for (const auto& [number, refused] : survey.infeasible) refused_.add(refused);
}

void Outcome::add(const Branch& branch, const std::string& point, const Prediction& prediction) {
  if (prediction.refusal) {
    if (prediction.predicted) ++result_.evaluated;
    refusals_.emplace(point, *prediction.refusal);
    return refuse({branch, *prediction.refusal});
  }
  const ReadPoint read = question_.read(branch.point);
  places_.emplace(point, result_.ranked.size());
  search::add(result_, read, prediction);
  standing_.add(figures_of(prediction, read));
}

void Outcome::refuse(const Refused& refused) {
  count_refused(result_, branches_, refused);
  refused_.add(refused);
}

Result Outcome::finish(bool interrupted, std::optional<double> gap) && {
  refused_.list(result_);
  add_same();
  result_.interrupted = interrupted;
  result_.proven      = !interrupted;
  result_.gap         = interrupted ? gap : 0;
  result_.exact       = interrupted ? 0 : options_.pruning == Pruning::none ? result_.ranked.size() : options_.top;
  result_.exact_front = result_.proven && options_.pruning != Pruning::top;
  return std::move(result_);
}

// Points that do the same as one of the ranking stand there with it, the others with their refusal.
void Outcome::add_same() {
  for (const auto& [point, said] : twins_.all()) {
    if (const auto place = places_.find(point); place != places_.end()) {
      std::vector<Json>& same = result_.ranked[place->second].same;
      const auto before       = [](const Json& a, const Json& b) { return a.dump_compact() < b.dump_compact(); };
      same.insert(std::upper_bound(same.begin(), same.end(), said, before), said);
      ++result_.same;
    } else if (const auto refusal = refusals_.find(point); refusal != refusals_.end()) {
      Json twin = parse_json(point, "point");
      for (const auto& [key, value] : *said.if_object()) twin.set(key, value);
      add_infeasible(result_, twin, refusal->second);
    }
  }
}

}  // namespace foreflow::search
