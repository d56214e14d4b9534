#include "search/exhaustive/distinct_points.h"

#include <algorithm>
#include <utility>

namespace foreflow::search {

Later<std::vector<Prediction>> DistinctPoints::predictions(const std::vector<std::string>& points, Round& round) {
  std::vector<std::string> names, new_points, new_names;
  for (const std::string& point : points) {
    names.push_back(same_.key(question_.read(parse_json(point, "point")), point));
    if (!predicted_.emplace(names.back(), Prediction()).second) continue;
    new_points.push_back(point);
    new_names.push_back(names.back());
  }
  return [this, names, new_names, later = question_.kept().predictions(new_points, round, kPredictRequest)] {
    const auto answers = later();
    for (size_t i = 0; i < answers.size(); ++i) predicted_[new_names[i]] = answers[i].value();
    std::vector<Prediction> all;
    for (const std::string& name : names) all.push_back(predicted_.at(name));
    return all;
  };
}

Later<std::vector<Refined>> DistinctPoints::bounds(const std::vector<const Prospect*>& branches, size_t together,
                                                   Round& round) {
  std::vector<std::pair<std::string, size_t>> distinct;  // by what they have in common with others
  std::map<std::string, size_t> known;                   // the first branch of each name
  std::vector<size_t> first;                             // per branch: the first of its name
  for (size_t i = 0; i < branches.size(); ++i) {
    const Branch branch    = branches[i]->branch();
    const Json fastest     = branches_.fastest(branch);
    const ReadPoint read   = question_.read(fastest);
    const bool refines     = branches_.can_be_refined(branch);
    const auto bounded_by  = std::to_string(static_cast<int>(branches[i]->bounded_by));  // so far
    const std::string name = refines ? bounded_by + same_.key(read, fastest.dump_compact()) : std::to_string(i);
    first.push_back(known.emplace(name, i).first->second);
    if (first[i] == i) distinct.emplace_back(read.scenario ? Refiner::key(*read.scenario) : "", i);
  }
  // Branches with equal keys share a model of stages.
  std::sort(distinct.begin(), distinct.end());
  std::vector<std::vector<const Prospect*>> lists;
  for (size_t k = 0; k < distinct.size(); ++k) {
    const bool shares = k > 0 && distinct[k].first == distinct[k - 1].first;
    if (!shares || lists.back().size() == together) lists.emplace_back();
    lists.back().push_back(branches[distinct[k].second]);
  }
  return [distinct, first, later = ask_refined(lists, round)] {
    const std::vector<Refined> answers = later();
    std::vector<Refined> all(first.size());
    for (size_t k = 0; k < answers.size(); ++k) all[distinct[k].second] = answers[k];
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[first[i]];
    return all;
  };
}

}  // namespace foreflow::search
