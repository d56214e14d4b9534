// The best batch and strategy of each GPT-2 for inference.
#include <fmt/core.h>

#include "reproduce/distir.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distir_table3 {
namespace {

int64_t batch_of(const Json& strategy) {
  const Json* batch = strategy.find("global_batch");
  return batch != nullptr && batch->if_int() != nullptr ? *batch->if_int() : 0;
}

std::string at_its_batch(const Row& row) {
  const double best        = *row.more.find("best_at_its_batch_samples_per_s")->if_double();
  const Json* const theirs = row.more.find("published_samples_per_s");
  return fmt::format(
      "{}: of this batch {} is best by our prediction, {}", row.name, *row.more.find("best_at_its_batch")->if_string(),
      theirs == nullptr ? "theirs does not work"
                        : fmt::format("theirs is {:.1f} % slower", 100 * (1 - *theirs->if_double() / best)));
}

Row best_of(const Published& line, const Options& options) {
  const std::string& model = line.word("model");
  const int64_t batch      = line.whole("batch");
  Question question        = distir::space_of(options, model, "distir_table3");
  const Degrees theirs{line.whole("d"), line.whole("t"), line.whole("p"), line.whole("k")};
  const search::Result found = distir::searched(question, options, search::Pruning::top);
  Row row = compare_choice(fmt::format("{}, batch {}", model, batch), question, found, theirs, batch);
  row.more.set("ours_batch", batch_of(found.ranked.front().strategy));
  set_strategy(question, "global_batch", batch);
  const search::Result at_batch = distir::searched(question, options, search::Pruning::top, distir::kRun);
  add_place(row, at_batch, theirs);
  const search::Candidate& best = at_batch.ranked.front();
  row.more.set("best_at_its_batch", words_of(best.strategy))
      .set("best_at_its_batch_samples_per_s", best.samples_per_second);
  return row;
}

Result run(const Options& options) {
  const auto lines = read_published(distir::published(options, "table3.csv"));
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(best_of(line, options));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes = count_agreement(result.rows);
  result.notes.push_back(count_places(result.rows, distir::kRun));
  for (const Row& row : result.rows) result.notes.push_back(at_its_batch(row));
  result.notes.push_back(
      "the batch is free here; the paper's choice was the fastest of ten that ran on the hardware, whose memory "
      "fragments: their simulator too says that larger batches of GPT-2 1.6B fit and are faster (figure 6); and by "
      "their formulas tensor parallelism alone is the fastest for GPT-2 175B at batch 1024; they measured it, at its "
      "best batch, 1.3 times slower");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_table3", "the best D/T/P/K of each GPT-2 for inference at any batch, by the simulated grid search",
          distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_table3
