// Exhaustive search: visits all points, best bound of throughput first, and prunes those whose bounds show that they
// cannot be in the result.
//
//   points by bound:   e e e e p e p p p p ...      e: evaluated, p: pruned
//                      |-------| ^
//                      what decides about this one: all but the few before it, which may still be in the works
#include <algorithm>
#include <limits>

#include "foreflow/base/process.h"
#include "search/bounds.h"
#include "search/question.h"

namespace foreflow::search::definitions::exhaustive {
namespace {

// Number of points directly before point i whose answers are not used to decide whether i is pruned; this many points
// can be predicted in parallel. Small at first, when every answer changes the ranking. A function of i only, so that
// the same points are evaluated with any number of workers.
size_t window(size_t i) { return std::min<size_t>(64, 4 + i / 4); }

struct Legal {
  ReadPoint point;
  Bound bound;
  double throughput = 0;  // upper bound; infinite when there is none
};

Refusal too_large(Bytes least, Bytes most) {
  return {Cause::memory, "", "does not fit in memory: needs " + format(least) + " of " + format(most) + " or more"};
}

// The answers of the first points, which decide whether later ones are pruned.
class Standing {
 public:
  Standing(size_t top, Pruning pruning) : top_(top), pruning_(pruning) {}

  void add(const Prediction& prediction) {
    if (prediction.refusal) return;
    best_.push_back(prediction.samples_per_second);
    std::sort(best_.begin(), best_.end(), std::greater<>());
    if (best_.size() > top_) best_.resize(top_);
    if (pruning_ == Pruning::front) seen_.emplace_back(prediction.samples_per_second, prediction.memory);
  }

  bool rules_out(const Legal& point) const {
    if (pruning_ == Pruning::none) return false;
    if (best_.size() < top_ || point.throughput >= best_.back()) return false;
    if (pruning_ == Pruning::top) return true;
    return std::any_of(seen_.begin(), seen_.end(), [&](const auto& other) {
      return other.first >= point.throughput && other.second <= point.bound.memory;
    });
  }

 private:
  const size_t top_;
  const Pruning pruning_;
  std::vector<double> best_;                    // throughputs, best first
  std::vector<std::pair<double, Bytes>> seen_;  // throughput and memory
};

class Walk {
 public:
  Walk(std::vector<Legal> points, const scenario::PlatformRef& platform, const Options& options)
      : points_(std::move(points)),
        predictions_(points_.size()),
        states_(points_.size(), State::waiting),
        standing_(options.top, options.pruning),
        predictor_(platform),
        options_(options) {}

  void run() {
    Service service;
    service.work     = [this](size_t i) { return print(predictor_.predict(*points_[i].point.scenario)); };
    service.next     = [this](size_t) { return next(); };
    service.finished = [this](size_t i, const std::string& answer) {
      predictions_[i] = read_prediction(answer);
      states_[i]      = State::evaluated;
      ++evaluated_;
      if (options_.finished) options_.finished(evaluated_ + pruned_, points_.size());
    };
    service.failed = [](size_t, const std::exception& why) { throw Error("search", why.what()); };
    serve(static_cast<size_t>(options_.jobs), service);
  }

  void add_to(Result& result) const {
    for (size_t i = 0; i < points_.size(); ++i) {
      const Legal& point = points_[i];
      if (states_[i] == State::evaluated) {
        add(result, point.point, predictions_[i]);
      } else {
        const Json& json = point.point.point;
        result.pruned.push_back({strategy_of(json), placement_of(json), point.bound.time, point.bound.memory});
      }
    }
  }

 private:
  enum class State : uint8_t { waiting, running, evaluated, pruned };

  // The next point to predict; nothing when all points are decided, or when the decision about the next one needs a
  // pending answer.
  std::optional<size_t> next() {
    for (; cursor_ < points_.size(); ++cursor_) {
      const size_t needed = cursor_ + 1 > window(cursor_) ? cursor_ + 1 - window(cursor_) : 0;
      for (; counted_ < needed; ++counted_) {
        if (states_[counted_] == State::running) return std::nullopt;
        if (states_[counted_] == State::evaluated) standing_.add(predictions_[counted_]);
      }
      if (standing_.rules_out(points_[cursor_])) {
        states_[cursor_] = State::pruned;
        ++pruned_;
        continue;
      }
      states_[cursor_] = State::running;
      return cursor_++;
    }
    return std::nullopt;
  }

  const std::vector<Legal> points_;
  std::vector<Prediction> predictions_;
  std::vector<State> states_;
  Standing standing_;
  Predictor predictor_;
  const Options& options_;
  size_t cursor_    = 0;  // points before it are evaluated, running or pruned
  size_t counted_   = 0;  // points before it are included in standing_
  size_t evaluated_ = 0, pruned_ = 0;
};

// Returns the legal points with their bounds; adds the others to `result`.
std::vector<Legal> legal_points(const Question& question, const Options& options, Result& result) {
  std::vector<Legal> legal;
  for (const Json& point : question.space().points()) {
    ++result.points;
    ReadPoint read = question.read(point);
    if (read.scenario) {
      legal.push_back({std::move(read), {}, std::numeric_limits<double>::infinity()});
    } else {
      result.infeasible.push_back(infeasible(read.point, read.scenario.refusal()));
    }
  }
  if (options.pruning == Pruning::none) return legal;
  std::vector<const scenario::Scenario*> scenarios;
  for (const Legal& point : legal) scenarios.push_back(&*point.point.scenario);
  const std::vector<Bound> bounds = Bounds(*question.platform(), options.jobs).of(scenarios);
  for (size_t i = 0; i < legal.size(); ++i) {
    legal[i].bound = bounds[i];
    if (legal[i].bound.time <= Seconds(0)) continue;
    const auto samples  = static_cast<double>(scenarios[i]->strategy.global_batch);
    legal[i].throughput = samples / legal[i].bound.time.value();
  }
  return legal;
}

Result run(const Question& question, const Options& options) {
  Result result;
  std::vector<Legal> legal = legal_points(question, options, result);
  const Bytes most         = largest_memory(*question.platform());
  std::vector<Legal> possible;
  for (Legal& point : legal) {
    if (point.bound.memory > most) {
      result.infeasible.push_back(infeasible(point.point.point, too_large(point.bound.memory, most)));
    } else {
      possible.push_back(std::move(point));
    }
  }
  std::stable_sort(possible.begin(), possible.end(),
                   [](const Legal& a, const Legal& b) { return a.throughput > b.throughput; });
  Walk walk(std::move(possible), question.platform(), options);
  walk.run();
  walk.add_to(result);
  result.exact = options.pruning == Pruning::none ? result.ranked.size() : options.top;
  return result;
}

}  // namespace

MethodDef row() {
  return {"exhaustive", "every point whose bound does not rule it out: the first of the ranking are exact", run};
}

}  // namespace foreflow::search::definitions::exhaustive
