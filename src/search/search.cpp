#include "foreflow/search/search.h"

#include <algorithm>

#include "search/question.h"

namespace foreflow::search {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { MethodDef row(); }
#include "search/methods.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

std::vector<Candidate> pareto_of(const std::vector<Candidate>& ranked) {
  std::vector<Candidate> front;
  for (const Candidate& candidate : ranked) {
    if (front.empty() || candidate.peak_memory < front.back().peak_memory) front.push_back(candidate);
  }
  return front;
}

// How many points there are: counted where that is quick.
void measure(const Space& space, Result& result) {
  constexpr double kCountable = 20'000;
  const double many           = space.estimate();
  result.estimated            = many > kCountable;
  result.points               = static_cast<size_t>(many);
  if (result.estimated) return;
  result.points = 0;
  space.visit([&](const Json&) { return ++result.points > 0; });
}

// Ties in speed are ordered by memory, then by text: any order of evaluation gives the same ranking.
void rank(std::vector<Candidate>& candidates) {
  std::vector<std::pair<std::string, const Candidate*>> texts;
  for (const Candidate& candidate : candidates)
    texts.emplace_back(candidate.strategy.dump_compact() + candidate.placement.dump_compact(), &candidate);
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
    if (a.second->samples_per_second != b.second->samples_per_second)
      return a.second->samples_per_second > b.second->samples_per_second;
    if (a.second->peak_memory != b.second->peak_memory) return a.second->peak_memory < b.second->peak_memory;
    return a.first < b.first;
  });
  std::vector<Candidate> ranked;
  for (const auto& [text, candidate] : texts) ranked.push_back(*candidate);
  candidates = std::move(ranked);
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
  if (result.points == 0) measure(question.space(), result);
  rank(result.ranked);
  result.pareto = pareto_of(result.ranked);
  result.exact  = std::min(result.exact, result.ranked.size());
  return result;
}

double behind(const Result& result) {
  if (result.ranked.size() < 2) return 0;
  return result.ranked[0].samples_per_second / result.ranked[1].samples_per_second - 1;
}

}  // namespace foreflow::search
