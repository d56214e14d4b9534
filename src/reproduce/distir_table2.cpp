// The best strategy of each MLP for each batch.
#include <fmt/core.h>

#include "reproduce/distir.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distir_table2 {
namespace {

Row best_of(const Published& line, const Options& options) {
  const std::string& model = line.word("model");
  const int64_t batch      = line.whole("batch");
  Question question        = distir::space_of(options, model, "distir_table2");
  set_strategy(question, "global_batch", batch);
  const search::Result found = distir::searched(question, options, search::Pruning::top, distir::kRun);
  const Degrees theirs{line.whole("d"), line.whole("t"), line.whole("p"), line.whole("k")};
  Row row = compare_choice(fmt::format("{}, batch {}", model, batch), question, found, theirs, batch);
  add_place(row, found, theirs);
  return row;
}

Result run(const Options& options) {
  const auto lines = read_published(distir::published(options, "table2.csv"));
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(best_of(line, options));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes = count_agreement(result.rows);
  result.notes.push_back(count_places(result.rows, distir::kRun));
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_table2", "the best D/T/P/K of each MLP for each batch, by the simulated grid search", distir::kPaper,
          run};
}

}  // namespace foreflow::reproduce::definitions::distir_table2
