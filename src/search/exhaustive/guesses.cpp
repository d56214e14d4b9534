#include "search/exhaustive/guesses.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "search/exhaustive/branch_refusals.h"

namespace foreflow::search {
namespace {

constexpr size_t kRead  = 20'000;  // points at most
constexpr size_t kTried = 64;      // legal points of the same degrees

struct Guess {
  Branch point;
  int microbatches = 0;
  size_t legal     = 0;  // points that were looked at
};

using Degrees = std::tuple<int, int, int, int, int>;  // fewest stages first, then most replicas

Degrees degrees_of(const scenario::Strategy& strategy) {
  return {strategy.pp, -strategy.dp, strategy.tp, strategy.cp, strategy.ep};
}

}  // namespace

std::vector<Branch> first_guesses(const Question& question, const Branches& branches, size_t most) {
  const BranchRefusals refusals(question);
  std::map<Degrees, Guess> guesses;
  size_t read      = 0;
  const auto enter = [&](const Branch& branch) { return !refusals.of(branch); };
  branches.visit(enter, [&](const Branch& branch) {
    const Json point    = branches.leanest(branch);
    const ReadPoint own = question.read(point);
    if (++read > kRead) return false;
    if (!own.scenario) return true;
    const scenario::Strategy& strategy = own.scenario->strategy;
    Guess& guess                       = guesses[degrees_of(strategy)];
    if (guess.legal++ < kTried && strategy.microbatches > guess.microbatches) {
      guess.point        = {branch.region, question.space().regions()[branch.region].size(), point};
      guess.microbatches = strategy.microbatches;
    }
    return true;
  });
  std::vector<Branch> points;
  for (auto& [degrees, guess] : guesses) {
    if (points.size() < most) points.push_back(std::move(guess.point));
  }
  return points;
}

}  // namespace foreflow::search
