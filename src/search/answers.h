// What is known of the points that a search has looked at. Each is predicted once, many side by side.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/bounds.h"
#include "search/question.h"

namespace foreflow::search {

struct Answer {
  ReadPoint point;
  Prediction prediction;
  // What a search makes small: the logarithm of the seconds for a sample, more where it does not fit, infinite where it
  // does not work at all.
  double energy;
};

class Answers {
 public:
  Answers(const Question& question, const Options& options)
      : question_(question),
        options_(options),
        predictor_(question.platform()),
        bounds_(*question.platform(), options.jobs) {}

  // Looks at these, in this order, until the budget of predictions is spent. What is not legal costs nothing.
  void ask(const std::vector<Json>& points);
  // At most the energies of these, without predicting them.
  std::vector<double> least_energies(const std::vector<Json>& points);
  // Null: not looked at.
  const Answer* find(const Json& point) const;
  double energy(const Json& point) const;  // infinite: not looked at
  size_t predicted() const { return predicted_; }
  bool spent() const { return predicted_ >= options_.budget; }
  // Null: none works.
  const Answer* best() const;

  void add_to(Result& result) const;

 private:
  const Question& question_;
  const Options& options_;
  Predictor predictor_;
  Bounds bounds_;
  std::map<std::string, Answer> known_;  // by the text of the point
  size_t predicted_ = 0;
};

}  // namespace foreflow::search
