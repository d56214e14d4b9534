// The six models and their whole search: how many strategies there are, and the best of them.
#include <algorithm>
#include <chrono>

#include "reproduce/distir.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distir_table1 {
namespace {

// A strategy counts where its microbatches divide the samples of a replica.
size_t possible(const search::Result& found) {
  size_t indivisible = 0;
  for (const auto& [why, count] : found.reasons) indivisible += why.starts_with("microbatches: ") ? count : 0;
  return found.points - indivisible;
}

Row search_model(const Published& line, const Options& options) {
  const std::string& model = line.word("model");
  const auto start         = std::chrono::steady_clock::now();
  const search::Result found =
      distir::searched(distir::space_of(options, model, "distir_table1"), options, search::Pruning::top);
  Row row = compare(model + ": strategies", line.number("strategies"), static_cast<double>(possible(found)));
  row.more.set("best", words_of(found.ranked.front().strategy));
  row.more.set("best_samples_per_s", found.ranked.front().samples_per_second);
  row.more.set("evaluated", found.evaluated).set("pruned", found.pruned());
  row.more.set("infeasible", found.refused);
  if (options.timing) {
    row.more.set("published_minutes_at_most", line.number("simulated_minutes"));
    row.more.set("wall_time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return row;
}

Result run(const Options& options) {
  const auto lines = read_published(distir::published(options, "table1.csv"));
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(search_model(line, options));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes.push_back(
      "a strategy counts where its microbatches divide the samples of a replica; --timing adds what each search took");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_table1", "how many strategies the search has for each of six models, and the best of them",
          distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_table1
