// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, 1983): several chains, each with its own random numbers, advance in
// lockstep, so that the steps do not depend on the number of workers. The energy of a point is the logarithm of its
// time per sample. A step that raises it by dE is accepted with probability exp(-dE / temperature), and the temperature
// falls geometrically.
#include <algorithm>
#include <cmath>
#include <random>

#include "search/sampling/answers.h"
#include "search/space/moves.h"

namespace foreflow::search::definitions::annealing {
namespace {

constexpr size_t kChains = 8;
constexpr double kHot = 0.3, kCold = 0.003;  // temperatures: dE of a third slower, and of a third of a percent
constexpr int kDraws        = 50;            // most attempts to draw a legal point
constexpr size_t kFewRounds = 16;
constexpr double kWalking   = 0.7;  // share of the budget for the chains; the rest goes to neighbours of the best point

class Chain {
 public:
  Chain(const Space& space, uint64_t seed) : space_(space), random_(seed) {}

  // A random point of the space, every choice as likely as the others.
  Json draw() {
    region_    = &space_.regions()[below(space_.regions().size())];
    Json point = Json::object();
    for (size_t d = 0; d < region_->size(); ++d) {
      const std::vector<Json> choices = space_.choices(*region_, d, point);
      if (!choices.empty()) point = with(point, choices[below(choices.size())]);
    }
    return point;
  }

  void start(Json point) { at_ = std::move(point); }
  const Json& at() const { return at_; }

  // Changes one dimension, half of the time to the next choice up or down, or changes the partition into stages.
  Json propose() {
    std::vector<size_t> varying;
    for (size_t d = 0; d < region_->size(); ++d) {
      if (alternatives(space_, *region_, d, at_).choices.size() > 1) varying.push_back(d);
    }
    const std::vector<Json> shares = partitions(space_, *region_, at_);
    if (varying.empty() && shares.empty()) return at_;
    const size_t move = below(varying.size() + (shares.empty() ? 0 : 1));
    if (move == varying.size()) return shares[below(shares.size())];
    const Alternatives all = alternatives(space_, *region_, varying[move], at_);
    size_t to              = below(all.choices.size());
    if (below(2) == 0 && all.own < all.choices.size())
      to = below(2) == 0 ? std::min(all.own + 1, all.choices.size() - 1) : all.own - std::min<size_t>(all.own, 1);
    return changed(space_, *region_, at_, all.choices[to]);
  }

  // The highest energy that is accepted from here: accepting dE with probability exp(-dE / temperature).
  double accepted(double here, double temperature) {
    const double chance = (static_cast<double>(random_() >> 11) + 1) * 0x1p-53;  // above 0
    return here - temperature * std::log(chance);
  }

 private:
  size_t below(size_t count) { return static_cast<size_t>(random_() % count); }

  const Space& space_;
  std::mt19937_64 random_;
  const Region* region_ = nullptr;
  Json at_;
};

// Chains begin at random legal points, if they find any.
void begin(std::vector<Chain>& chains, const Question& question, Answers& answers) {
  std::vector<Json> starts;
  for (Chain& chain : chains) {
    Json point = chain.draw();
    for (int i = 1; i < kDraws && !question.read(point).scenario; ++i) point = chain.draw();
    chain.start(point);
    starts.push_back(std::move(point));
  }
  answers.ask(starts);
}

// One step of every chain. A point whose bound shows that it will not be accepted is not predicted.
void step(std::vector<Chain>& chains, double temperature, Answers& answers) {
  std::vector<Json> proposals, worth;
  std::vector<double> accepted;
  for (Chain& chain : chains) {
    proposals.push_back(chain.propose());
    accepted.push_back(chain.accepted(answers.energy(chain.at()), temperature));
  }
  const std::vector<double> least = answers.least_energies(proposals);
  for (size_t i = 0; i < proposals.size(); ++i) {
    if (least[i] <= accepted[i]) worth.push_back(proposals[i]);
  }
  answers.ask(worth);
  for (size_t i = 0; i < proposals.size(); ++i) {
    const double there = answers.energy(proposals[i]);
    if (!std::isinf(there) && there <= accepted[i]) chains[i].start(proposals[i]);
  }
}

// Descent: moves from the best point to its best neighbour while that is better.
void settle(const Question& question, Answers& answers) {
  const Answer* best = answers.best();
  while (best != nullptr && !answers.spent()) {
    std::vector<Json> around;
    for (const Region& region : question.space().regions()) {
      if (!contains(question.space(), region, best->point.point)) continue;
      for (Json& point : neighbours(question.space(), region, best->point.point)) around.push_back(std::move(point));
    }
    answers.ask_below(best->energy, around);
    const Answer* better = answers.best();
    if (better == best) return;
    best = better;
  }
}

Result run(const Question& question, const Options& options) {
  std::vector<Chain> chains;
  for (size_t i = 0; i < kChains; ++i) chains.emplace_back(question.space(), options.seed * kChains + i);
  Answers answers(question, options);
  begin(chains, question, answers);
  // Steps to known points, and steps that bounds reject, cost no prediction. The temperature follows the steps or the
  // predictions, whichever are further advanced.
  const double most   = kWalking * static_cast<double>(options.budget);
  const size_t rounds = std::max(kFewRounds, options.budget / 2);
  for (size_t round = 0; round < rounds; ++round) {
    const double walked = std::max(static_cast<double>(answers.predicted()) / most,
                                   static_cast<double>(round) / static_cast<double>(rounds));
    if (walked >= 1 || answers.is_stopped()) break;
    step(chains, kHot * std::pow(kCold / kHot, walked), answers);
  }
  settle(question, answers);
  Result result;
  answers.add_to(result);
  return result;
}

}  // namespace

MethodDef row() {
  return {"annealing", "random steps that become more careful; stages of unequal size, too", run, true};
}

}  // namespace foreflow::search::definitions::annealing
