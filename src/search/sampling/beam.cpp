// Dimension by dimension: of all choices for one, with what is assumed for those after it, the best few go on. Then
// from the best point to its best neighbour, as long as that is better.
#include <algorithm>
#include <tuple>

#include "search/sampling/answers.h"
#include "search/space/moves.h"

namespace foreflow::search::definitions::beam {
namespace {

constexpr size_t kWidth = 8;

// The best of `points`, each once; of equal energy, in the order of their texts.
void keep_best(std::vector<Json>& points, const Answers& answers) {
  std::vector<std::tuple<double, std::string, const Json*>> sorted;
  for (const Json& point : points) sorted.emplace_back(answers.energy(point), point.dump_compact(), &point);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end(),
                           [](const auto& a, const auto& b) { return std::get<1>(a) == std::get<1>(b); }),
               sorted.end());
  std::vector<Json> best;
  for (size_t i = 0; i < std::min(kWidth, sorted.size()); ++i) best.push_back(*std::get<2>(sorted[i]));
  points = std::move(best);
}

std::vector<Json> descend(const Space& space, const Region& region, Answers& answers) {
  std::vector<Json> beam = {completed(space, region, Json::object(), 0)};
  for (size_t d = 0; d < region.size() && !answers.is_stopped(); ++d) {
    std::vector<Json> wider;
    for (const Json& point : beam) {
      const Alternatives all = alternatives(space, region, d, point);
      if (all.choices.empty()) wider.push_back(point);
      for (const Json& choice : all.choices) wider.push_back(completed(space, region, with(point, choice), d + 1));
    }
    answers.ask(wider);
    keep_best(wider, answers);
    beam = std::move(wider);
  }
  return beam;
}

void climb(const Space& space, const Region& region, Json point, Answers& answers) {
  while (!answers.spent()) {
    std::vector<Json> around = answers.ask_below(answers.energy(point), neighbours(space, region, point));
    keep_best(around, answers);
    if (around.empty() || !(answers.energy(around.front()) < answers.energy(point))) return;
    point = around.front();
  }
}

Result run(const Question& question, const Options& options) {
  Answers answers(question, options);
  const Space& space = question.space();
  for (const Region& region : space.regions()) {
    if (answers.is_stopped()) break;
    const std::vector<Json> beam = descend(space, region, answers);
    for (const Json& point : beam) climb(space, region, point, answers);
  }
  Result result;
  answers.add_to(result);
  return result;
}

}  // namespace

MethodDef row() {
  return {"beam", "key by key, keeping the best few, then to better neighbours; stages of unequal size, too", run,
          true};
}

}  // namespace foreflow::search::definitions::beam
