#include "foreflow/search/search.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "search/framework_keys.h"
#include "search/question.h"
#include "search/score.h"

namespace foreflow::search {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { MethodDef row(); }
#include "search/methods.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

std::vector<Candidate> pareto_of(const std::vector<Candidate>& ranked, const Goal& goal) {
  std::vector<std::pair<FrontScore, const Candidate*>> all;
  for (const Candidate& candidate : ranked) all.emplace_back(front_score_of(goal, candidate.figures()), &candidate);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [score, candidate] : all) {
    if (!(score[1] < least)) continue;
    least = score[1];
    front.push_back(*candidate);
  }
  return front;
}

// How many points there are: counted where that is quick. An estimate is no lower than the number of points that the
// method has met.
void measure(const Space& space, Result& result) {
  constexpr double kCountable = 20'000;
  const double many           = space.estimate();
  result.estimated            = many > kCountable;
  if (result.estimated) {
    const size_t decided = result.ranked.size() + result.same + result.refused;
    result.points        = std::max({result.points, decided, static_cast<size_t>(many)});
    return;
  }
  result.points = 0;
  space.visit([&](const Json&) { return ++result.points > 0; });
}

// Equal scores are ordered by text: any order of evaluation gives the same ranking.
void rank(std::vector<Candidate>& candidates, const Goal& goal) {
  std::vector<std::tuple<Score, std::string, const Candidate*>> all;
  for (const Candidate& candidate : candidates) {
    all.emplace_back(
        score_of(goal, candidate.figures()),
        candidate.strategy.dump_compact() + candidate.placement.dump_compact() + candidate.platform.dump_compact(),
        &candidate);
  }
  std::sort(all.begin(), all.end());
  std::vector<Candidate> ranked;
  for (const auto& [score, text, candidate] : all) ranked.push_back(*candidate);
  candidates = std::move(ranked);
}

std::vector<std::string> remarks_on(const Expected<scenario::Scenario>& best) {
  return best ? scenario::remarks_on(*best, scenario::build(*best)) : std::vector<std::string>();
}

}  // namespace

const Registry<MethodDef>& methods() {
  // clang-format off
  static const Registry<MethodDef> rows("search method", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "search/methods.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

Result search(const Json& source, const std::string& file, const Options& options) {
  const Question question(source, file, options);
  const MethodDef& method = options.method != nullptr ? *options.method : methods().get("exhaustive", "--method");
  Result result           = method.run(question, options);
  result.method           = method.name;
  result.reused           = question.kept().reused();
  result.worlds           = options.worlds;
  result.risk             = options.risk;
  result.disturbances     = question.worlds().said;
  result.goal             = question.goal();
  result.by_framework     = keys_of_framework(source, file);
  if (result.points == 0 || result.estimated) measure(question.space(), result);
  rank(result.ranked, result.goal);
  result.pareto      = pareto_of(result.ranked, result.goal);
  result.exact_front = result.exact_front || (result.left_out() == 0 && !result.estimated);
  result.exact       = std::min(result.exact, result.ranked.size());
  if (!result.ranked.empty()) result.remarks = remarks_on(question.read(result.ranked.front()));
  return result;
}

double behind(const Result& result) {
  if (result.ranked.size() < 2) return 0;
  const ObjectiveDef& objective = *result.goal.objective;
  const auto value = [&](size_t i) { return objective.value(result.ranked[i].figures(), result.goal.terms); };
  return objective.is_maximised ? value(0) / value(1) - 1 : value(1) / value(0) - 1;
}

}  // namespace foreflow::search
