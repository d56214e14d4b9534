// Exhaustive search: every point of the space counts, but only those are predicted that bounds do not rule out.
//
//   survey            every point, by a bound that takes microseconds: the most promising ones are kept
//   refine            the most promising point, by a bound that takes milliseconds
//   predict           the most promising point that is refined already
//
// It ends when no point that is left can be part of the result. When all points that a survey kept are decided and
// others are not ruled out, the next survey keeps the most promising of those.
#include <algorithm>
#include <cmath>

#include "foreflow/base/worker_pool.h"
#include "search/refine.h"
#include "search/standing.h"
#include "search/survey.h"

namespace foreflow::search::definitions::exhaustive {
namespace {

constexpr size_t kProspects = 30'000;  // that a survey keeps

// So many points are refined, or predicted, at the same time. Which ones are is decided by the answers to all before
// them, so the same points are predicted with any number of workers.
constexpr size_t kRefined = 1024, kPredicted = 8;
// So many of them are refined by one request: they have much in common.
constexpr size_t kTogether = 64;

// At what it is bounded to be, in the order of the search.
struct Entry {
  Prospect prospect;
  bool refined = false;

  // The most promising first.
  bool operator<(const Entry& other) const { return prospect < other.prospect; }
};

class Search {
 public:
  Search(const Question& question, const Options& options)
      : question_(question),
        options_(options),
        surveyor_(question, options, kProspects),
        standing_(options.top, options.pruning),
        predictor_(question.platform(), question.worlds()),
        refiner_(*question.platform(), predictor_) {}

  Result run() {
    Survey survey   = surveyor_.survey(nullptr);
    result_.points  = survey.points;
    result_.refused = survey.refused;
    result_.reasons = survey.reasons;
    for (auto& [number, point] : survey.infeasible) result_.infeasible.push_back(std::move(point));
    result_.interrupted = survey.stopped;
    result_.estimated   = survey.stopped;  // as many as were met
    while (!result_.interrupted) {
      const std::optional<Prospect> last = survey.complete ? std::nullopt : std::optional(survey.prospects.back());
      beyond_                            = last ? last->fastest : 0;
      decide(std::move(survey.prospects));
      if (!last || result_.interrupted || standing_.rules_out(last->fastest)) break;
      survey              = surveyor_.survey(&*last);
      result_.interrupted = survey.stopped;
    }
    result_.proven = !result_.interrupted;
    result_.gap    = result_.proven ? 0 : gap_;
    result_.exact  = result_.interrupted ? 0 : options_.pruning == Pruning::none ? result_.ranked.size() : options_.top;
    return std::move(result_);
  }

 private:
  // Refines and predicts the points, as far as they are not ruled out.
  void decide(std::vector<Prospect> prospects) {
    waiting_.clear();
    for (Prospect& prospect : prospects) waiting_.push_back({std::move(prospect), options_.pruning == Pruning::none});
    // Best first is a heap whose largest is at the front: compare the other way round.
    std::make_heap(waiting_.begin(), waiting_.end(), later);
    WorkerPool workers(static_cast<size_t>(options_.jobs),
                       [this](const std::string& request) { return answer(request); });
    for (;;) {
      result_.interrupted       = options_.stop && options_.stop();
      std::vector<Entry> chosen = result_.interrupted ? std::vector<Entry>() : choose();
      report();
      if (chosen.empty()) return;
      chosen.front().refined ? predict(chosen, workers) : refine(std::move(chosen), workers);
    }
  }

  void predict(const std::vector<Entry>& chosen, WorkerPool& workers) {
    std::vector<std::string> points;
    for (const Entry& entry : chosen) points.push_back(entry.prospect.point);
    const std::vector<Prediction> predictions = question_.kept().predictions(points, workers, "p");
    for (size_t i = 0; i < chosen.size(); ++i) {
      add(result_, question_.read(parse_json(points[i], "point")), predictions[i]);
      standing_.add(predictions[i]);
    }
  }

  // Neighbours in the order of their text share a model of stages more often than not.
  void refine(std::vector<Entry> chosen, WorkerPool& workers) {
    std::vector<std::pair<std::string, size_t>> order;
    for (size_t i = 0; i < chosen.size(); ++i)
      order.emplace_back(refiner_.key(*question_.read(parse_json(chosen[i].prospect.point, "point")).scenario), i);
    std::sort(order.begin(), order.end());
    std::vector<std::string> requests;
    for (size_t i = 0; i < order.size(); ++i) {
      const bool first = i % kTogether == 0;
      if (first) requests.emplace_back("r[");
      requests.back() += (first ? "" : ",") + chosen[order[i].second].prospect.point;
      if (i + 1 == order.size() || (i + 1) % kTogether == 0) requests.back() += "]";
    }
    const std::vector<std::string> answers = workers.ask(requests);
    std::vector<Bound> bounds(chosen.size());
    for (size_t r = 0; r < answers.size(); ++r) {
      const std::vector<Bound> some = read_bounds(answers[r]);
      for (size_t i = 0; i < some.size(); ++i) bounds[order[r * kTogether + i].second] = some[i];
    }
    for (size_t i = 0; i < chosen.size(); ++i) refined(std::move(chosen[i]), bounds[i]);
  }

  // In a worker: the prediction of a point, or the refined bounds of several.
  std::string answer(const std::string& request) {
    const Json asked = parse_json(request.substr(1), "point");
    if (request[0] == 'p') return print(predictor_.predict(*question_.read(asked).scenario));
    std::vector<Bound> bounds;
    for (const Json& point : *asked.if_array()) bounds.push_back(refiner_.refine(*question_.read(point).scenario));
    return print(bounds);
  }

  static bool later(const Entry& a, const Entry& b) { return b < a; }

  // The next points that are not ruled out: as many of one kind as the most promising of all is.
  std::vector<Entry> choose() {
    std::vector<Entry> chosen;
    while (!waiting_.empty()) {
      const Entry& first = waiting_.front();
      const bool out     = standing_.rules_out(first.prospect.fastest, first.prospect.memory);
      if (!out && !chosen.empty() &&
          (first.refined != chosen.front().refined || chosen.size() == (first.refined ? kPredicted : kRefined)))
        break;
      std::pop_heap(waiting_.begin(), waiting_.end(), later);
      if (!out) chosen.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
    }
    return chosen;
  }

  void refined(Entry entry, const Bound& bound) {
    Prospect& prospect = entry.prospect;
    const Json point   = parse_json(prospect.point, "point");
    prospect.memory    = std::max(prospect.memory, bound.memory);
    if (auto refusal = surveyor_.too_large(prospect.memory)) return add_infeasible(result_, point, *std::move(refusal));
    const auto samples = static_cast<double>(question_.read(point).scenario->strategy.global_batch);
    const Seconds time = question_.least_factor() * bound.time;
    if (time > Seconds(0)) prospect.fastest = std::min(prospect.fastest, samples / time.value());
    entry.refined = true;
    waiting_.push_back(std::move(entry));
    std::push_heap(waiting_.begin(), waiting_.end(), later);
  }

  void report() {
    gap_.reset();
    if (standing_.best() > 0) {
      const double rest = std::max(beyond_, waiting_.empty() ? 0 : waiting_.front().prospect.fastest);
      gap_              = std::max(0.0, rest / standing_.best() - 1);
      if (std::isinf(*gap_)) gap_.reset();
    }
    if (!options_.report) return;
    options_.report({.points    = result_.points,
                     .decided   = result_.points - std::min(result_.points, waiting_.size()),
                     .evaluated = result_.evaluated,
                     .reused    = question_.kept().reused(),
                     .best      = standing_.best(),
                     .gap       = gap_});
  }

  const Question& question_;
  const Options& options_;
  Surveyor surveyor_;
  Standing standing_;
  Predictor predictor_;  // used in the workers
  Refiner refiner_;      // likewise
  Result result_;
  std::vector<Entry> waiting_;  // a heap, the most promising at the front
  double beyond_ = 0;           // no point that the survey left out is faster
  std::optional<double> gap_;
};

Result run(const Question& question, const Options& options) { return Search(question, options).run(); }

}  // namespace

MethodDef row() {
  return {"exhaustive",
          "every strategy, of any number: predicted unless a lower bound rules it out, so the first of the ranking are "
          "proven",
          run};
}

}  // namespace foreflow::search::definitions::exhaustive
