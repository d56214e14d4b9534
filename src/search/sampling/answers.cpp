#include "search/sampling/answers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/worker_pool.h"

namespace foreflow::search {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// A point that does not fit may lead to one that does: it counts as three times as bad, and more the less it fits. So
// does one that is too slow.
double excess_energy(double excess) { return excess <= 0 ? 0 : std::log(3) + 3 * std::log1p(excess); }

}  // namespace

double Answers::energy_of(const Figures& figures, double overflow) const {
  const Terms& terms = question_.goal().terms;
  if (figures.samples_per_second <= 0) return kNever;
  return question_.goal().objective->energy(figures, terms) + excess_energy(overflow) +
         excess_energy(terms.at_least / figures.samples_per_second - 1);
}

void Answers::ask(const std::vector<Json>& points) {
  predict(not_known(points));
  if (options_.report) report();
}

std::vector<Json> Answers::ask_below(double energy, const std::vector<Json>& points) {
  const std::vector<double> least = least_energies(points);
  std::vector<Json> worth;
  for (size_t i = 0; i < points.size(); ++i) {
    if (least[i] < energy) worth.push_back(points[i]);
  }
  ask(worth);
  return worth;
}

std::vector<Answers::New> Answers::not_known(const std::vector<Json>& points) {
  std::vector<New> news;
  for (const Json& point : points) {
    if (is_stopped()) break;
    std::string text = point.dump_compact();
    if (known_.contains(text)) continue;
    ReadPoint read = question_.read(point);
    if (!read.scenario) {
      const Prediction prediction = unpredicted(read.scenario.refusal());
      known_.emplace(std::move(text), Answer{std::move(read), prediction, kNever});
      continue;
    }
    const bool twice = std::any_of(news.begin(), news.end(), [&](const New& other) { return other.text == text; });
    if (twice || predicted_ + news.size() >= options_.budget) continue;
    if (!question_.kept().has(text)) predictor_.prepare(*read.scenario);
    news.push_back({std::move(text), std::move(read)});
  }
  return news;
}

void Answers::predict(std::vector<New> news) {
  // Forked now, the workers share the programs that are prepared.
  WorkerPool workers(static_cast<size_t>(options_.jobs), [this](const std::string& point) {
    return print(predictor_.predict(question_.read(parse_json(point, "point"))));
  });
  std::vector<std::string> texts;
  for (const New& one : news) texts.push_back(one.text);
  Round round;
  const auto later = question_.kept().predictions(texts, round);
  round.ask(workers, [this] { return is_stopped(); });
  auto predictions = later();
  for (size_t i = 0; i < news.size(); ++i) {
    if (!predictions[i]) continue;
    ++predicted_;
    Prediction prediction = admitted(*std::move(predictions[i]), question_.goal().terms);
    const Figures figures = figures_of(prediction, news[i].point);
    const double energy   = prediction.predicted ? energy_of(figures, prediction.overflow) : kNever;
    known_.emplace(texts[i], Answer{std::move(news[i].point), std::move(prediction), energy});
  }
}

void Answers::report() const {
  const Goal& goal   = question_.goal();
  const Answer* best = this->best();
  double value       = 0;
  if (best != nullptr) value = goal.objective->value(figures_of(best->prediction, best->point), goal.terms);
  options_.report({.points    = options_.budget,
                   .decided   = predicted_,
                   .evaluated = predicted_,
                   .reused    = question_.kept().reused(),
                   .best      = value,
                   .goal      = goal});
}

std::vector<double> Answers::least_energies(const std::vector<Json>& points) {
  std::vector<double> energies(points.size(), -kNever);
  std::vector<ReadPoint> read;
  std::vector<size_t> number;
  for (size_t i = 0; i < points.size(); ++i) {
    ReadPoint point = question_.read(points[i]);
    if (!point.scenario) continue;
    read.push_back(std::move(point));
    number.push_back(i);
  }
  std::vector<const ReadPoint*> legal;
  for (const ReadPoint& point : read) legal.push_back(&point);
  const std::vector<Bound> bounds = bounds_.of(legal);
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].time <= Seconds(0)) continue;
    const double rate     = question_.most_samples_per_second(read[i], bounds[i].time);
    const double overflow = bounds[i].memory / largest_memory(read[i].platform()) - 1;
    energies[number[i]]   = energy_of({rate, bounds[i].memory, read[i].scenario->strategy.devices()}, overflow);
  }
  return energies;
}

const Answer* Answers::find(const Json& point) const {
  const auto found = known_.find(point.dump_compact());
  return found == known_.end() ? nullptr : &found->second;
}

double Answers::energy(const Json& point) const {
  const Answer* answer = find(point);
  if (answer == nullptr) return kNever;
  return answer->energy;
}

const Answer* Answers::best() const {
  const Answer* best = nullptr;
  for (const auto& [text, answer] : known_) {
    if (!answer.prediction.refusal && (best == nullptr || answer.energy < best->energy)) best = &answer;
  }
  return best;
}

void Answers::add_to(Result& result) const {
  result.interrupted = stopped_;
  for (const auto& [text, answer] : known_) {
    if (answer.point.scenario) {
      add(result, answer.point, answer.prediction);
    } else {
      add_infeasible(result, answer.point.point, answer.point.scenario.refusal());
    }
  }
}

}  // namespace foreflow::search
