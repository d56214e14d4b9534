#include "search/distinct_points.h"

#include <algorithm>
#include <utility>

namespace foreflow::search {

std::vector<Prediction> DistinctPoints::predictions(const std::vector<std::string>& points, WorkerPool& workers) {
  std::vector<std::string> names, new_points, new_names;
  for (const std::string& point : points) {
    names.push_back(same_.key(question_.read(parse_json(point, "point")), point));
    if (!predicted_.emplace(names.back(), Prediction()).second) continue;
    new_points.push_back(point);
    new_names.push_back(names.back());
  }
  const std::vector<Prediction> answers = question_.kept().predictions(new_points, workers, kPredictRequest);
  for (size_t i = 0; i < answers.size(); ++i) predicted_[new_names[i]] = answers[i];
  std::vector<Prediction> all;
  for (const std::string& name : names) all.push_back(predicted_.at(name));
  return all;
}

std::vector<Refined> DistinctPoints::bounds(const std::vector<const Prospect*>& branches, WorkerPool& workers) {
  std::vector<std::pair<std::string, size_t>> distinct;  // by what they have in common with others
  std::map<std::string, size_t> known;                   // the first branch of each name
  std::vector<size_t> first;                             // per branch: the first of its name
  for (size_t i = 0; i < branches.size(); ++i) {
    const Branch branch    = branches[i]->branch();
    const Json fastest     = branches_.fastest(branch);
    const ReadPoint read   = question_.read(fastest);
    const bool refines     = branches_.can_be_refined(branch);
    const std::string name = refines ? same_.key(read, fastest.dump_compact()) : std::to_string(i);
    first.push_back(known.emplace(name, i).first->second);
    if (first[i] == i) distinct.emplace_back(read.scenario ? Refiner::key(*read.scenario) : "", i);
  }
  // Neighbours in the order of their keys share a model of stages more often than not.
  std::sort(distinct.begin(), distinct.end());
  std::vector<const Prospect*> asked;
  for (const auto& [key, i] : distinct) asked.push_back(branches[i]);
  const std::vector<Refined> answers = ask_refined(asked, workers);
  std::vector<Refined> all(branches.size());
  for (size_t k = 0; k < answers.size(); ++k) all[distinct[k].second] = answers[k];
  for (size_t i = 0; i < all.size(); ++i) all[i] = all[first[i]];
  return all;
}

}  // namespace foreflow::search
