#include "cost/fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

constexpr size_t kMostUsed = 500;  // samples of a fit, evenly taken
constexpr size_t kFolds    = 5;

// Four significant digits, which is what a file has.
double rounded(double value) { return parse_number<double>(fmt::format("{:.3e}", value)).value_or(value); }

// Returns true if a fit changes a constant.
using Moves = bool (*)(const Constant& constant);

bool is_fitted(const Constant& constant) { return constant.use != Use::given; }
bool is_refining(const Constant& constant) { return constant.use == Use::refining; }
bool is_of_the_rest(const Constant& constant) { return is_fitted(constant) && !is_refining(constant); }

class Descent {
 public:
  Descent(const LawDef& law, const Hardware& hardware, std::vector<Sample> samples, std::vector<double> start,
          Moves moves)
      : law_(law), hardware_(hardware), samples_(std::move(samples)), at_(std::move(start)), moves_(moves) {
    loss_ = loss(at_);
  }

  void run(int rounds, double first_step) {
    constexpr double kGrow = 1.3, kShrink = 0.5, kShortest = 1e-3, kBetter = 1e-7;
    std::vector<double> steps;
    for (const Constant& constant : law_.constants) steps.push_back(moves_(constant) ? first_step : 0);
    for (int round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < at_.size(); ++i) {
        if (!moves_(law_.constants[i])) continue;
        const bool better = move(i, std::exp(steps[i]), kBetter) || move(i, std::exp(-steps[i]), kBetter);
        steps[i] *= better ? kGrow : kShrink;
      }
      if (*std::max_element(steps.begin(), steps.end()) < kShortest) return;
    }
  }

  // Returns true if the loss depends on constant `i`: it changes with it, or is another one at `start`.
  bool determines(size_t i, double start) const {
    for (const double value : {0.7 * at_[i], 1.4 * at_[i], start}) {
      std::vector<double> other = at_;
      other[i]                  = value;
      if (std::abs(loss(other) - loss_) > 1e-9) return true;
    }
    return false;
  }
  const std::vector<double>& constants() const { return at_; }
  double loss() const { return loss_; }

 private:
  bool move(size_t i, double factor, double least) {
    const double before = at_[i];
    if (before * factor > law_.constants[i].most) return false;
    at_[i] *= factor;
    const double now = loss(at_);
    if (now < loss_ - least) {
      loss_ = now;
      return true;
    }
    at_[i] = before;
    return false;
  }

  double loss(const std::vector<double>& constants) const {
    double sum = 0;
    for (const Sample& sample : samples_)
      sum += std::abs(std::log(law_.seconds(constants, sample.sizes, hardware_) / sample.seconds));
    return sum / static_cast<double>(samples_.size());
  }

  const LawDef& law_;
  const Hardware& hardware_;
  const std::vector<Sample> samples_;
  std::vector<double> at_;
  const Moves moves_;
  double loss_ = 0;
};

// Evenly spaced, at most kMostUsed.
std::vector<Sample> some_of(const std::vector<Sample>& samples) {
  const size_t step = (samples.size() + kMostUsed - 1) / kMostUsed;
  std::vector<Sample> some;
  for (size_t i = 0; i < samples.size(); i += step) some.push_back(samples[i]);
  return some;
}

// Returns the points at which descents begin: the start of every constant, and the other start of those constants that
// have one.
std::vector<std::vector<double>> starts_of(const LawDef& law) {
  std::vector<double> start, other;
  for (const Constant& constant : law.constants) {
    start.push_back(constant.start);
    other.push_back(constant.other_start > 0 ? constant.other_start : constant.start);
  }
  if (start == other) return {start};
  return {start, other};
}

// After several descents with longer steps again, out of the corner in which one along single constants may end.
Descent descended(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples,
                  const std::vector<double>& start, Moves moves) {
  Descent descent(law, hardware, some_of(samples), start, moves);
  for (const double step : {0.3, 0.1, 0.3}) descent.run(40, step);
  return descent;
}

// The best of the descents from all starts; of equal ones the first.
Descent descended(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples, Moves moves) {
  std::vector<Descent> found;
  for (const std::vector<double>& start : starts_of(law))
    found.push_back(descended(law, hardware, samples, start, moves));
  return *std::min_element(found.begin(), found.end(),
                           [](const Descent& a, const Descent& b) { return a.loss() < b.loss(); });
}

// The constants that refine a law come last and leave the others as they are: with them, those on which the samples
// hardly depend would move, and prices of other sizes with these.
Descent refined(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples) {
  const Descent rest = descended(law, hardware, samples, is_of_the_rest);
  return descended(law, hardware, samples, rest.constants(), is_refining);
}

double held_out(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples,
                const std::vector<double>& start, Moves moves) {
  double sum = 0;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Sample> rest, left_out;
    for (size_t i = 0; i < samples.size(); ++i) (i % kFolds == fold ? left_out : rest).push_back(samples[i]);
    if (rest.empty() || left_out.empty()) continue;
    Descent descent(law, hardware, some_of(rest), start, moves);
    descent.run(15, 0.1);
    sum += mean_error(law, hardware, descent.constants(), left_out) * static_cast<double>(left_out.size());
  }
  return sum / static_cast<double>(samples.size());
}

}  // namespace

double mean_error(const LawDef& law, const Hardware& hardware, const std::vector<double>& constants,
                  const std::vector<Sample>& samples) {
  double sum = 0;
  for (const Sample& sample : samples)
    sum += std::abs(law.seconds(constants, sample.sizes, hardware) / sample.seconds - 1);
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

Fit fit(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples) {
  const Descent descent = refined(law, hardware, samples);
  Fit result;
  for (size_t i = 0; i < law.constants.size(); ++i) {
    result.determined.push_back(is_fitted(law.constants[i]) && descent.determines(i, law.constants[i].start));
    result.constants.push_back(result.determined[i] ? rounded(descent.constants()[i]) : law.constants[i].start);
  }
  result.error    = mean_error(law, hardware, result.constants, samples);
  result.held_out = held_out(law, hardware, samples, result.constants, is_fitted);
  return result;
}

Fit fit_clock(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples, const Fit& rest) {
  const Moves moves     = [](const Constant& constant) { return constant.use == Use::clock; };
  const Descent descent = descended(law, hardware, samples, rest.constants, moves);
  Fit result            = rest;
  for (size_t i = 0; i < law.constants.size(); ++i) {
    if (moves(law.constants[i])) result.constants[i] = rounded(descent.constants()[i]);
  }
  result.error    = mean_error(law, hardware, result.constants, samples);
  result.held_out = held_out(law, hardware, samples, result.constants, moves);
  return result;
}

}  // namespace foreflow::cost
