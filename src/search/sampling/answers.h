// The results of the points that a search has evaluated. Each point is predicted once; many are predicted in parallel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/bounds/bounds.h"
#include "search/question.h"

namespace foreflow::search {

struct Answer {
  ReadPoint point;
  Prediction prediction;
  // The quantity that a search minimises: that of the objective, increased when the point does not fit in memory or is
  // too slow; infinite when it is refused otherwise.
  double energy;
};

class Answers {
 public:
  Answers(const Question& question, const Options& options)
      : question_(question), options_(options), predictor_(question.worlds()), bounds_(options.jobs, options.stop) {}

  // Evaluates the points in order, until the budget of predictions is spent or the search is asked to stop. Illegal
  // points cost nothing.
  void ask(const std::vector<Json>& points);
  // The same for those of the points that bounds allow an energy below this, which are returned.
  std::vector<Json> ask_below(double energy, const std::vector<Json>& points);
  // Lower bounds of the energies of the points, without predicting them.
  std::vector<double> least_energies(const std::vector<Json>& points);
  // Null: not evaluated.
  const Answer* find(const Json& point) const;
  double energy(const Json& point) const;  // infinite: not evaluated
  size_t predicted() const { return predicted_; }
  // Returns true once Options::stop has asked the search to end.
  bool is_stopped() {
    stopped_ = stopped_ || (options_.stop && options_.stop());
    return stopped_;
  }
  bool spent() { return predicted_ >= options_.budget || is_stopped(); }
  // Null: no point works.
  const Answer* best() const;

  void add_to(Result& result) const;

 private:
  struct New {
    std::string text;
    ReadPoint point;
  };

  // The points that have no answer yet, as far as the budget goes. Those that are not legal get theirs.
  std::vector<New> not_known(const std::vector<Json>& points);
  void predict(std::vector<New> news);
  void report() const;
  // The energy of a point with these figures whose memory exceeds that of its devices by this fraction.
  double energy_of(const Figures& figures, double overflow) const;

  const Question& question_;
  const Options& options_;
  Predictor predictor_ = Predictor({}, true);  // used by worker processes
  Bounds bounds_;
  std::map<std::string, Answer> known_;  // by the point as text
  size_t predicted_ = 0;
  bool stopped_     = false;
};

}  // namespace foreflow::search
