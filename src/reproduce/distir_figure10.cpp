// Predicted against measured throughput. The measurements of the figure itself were not published; the authors did
// publish those of an MLP on 4 GPUs, which are compared here.
#include <fmt/core.h>

#include "reproduce/distir.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions {
namespace {

Row predict(const Published& line, const Question& question) {
  Json source = question.source;
  Json& strategy = source.member("strategy");
  for (const auto& [column, key] : {std::pair{"d", "dp"}, std::pair{"t", "tp"}, std::pair{"p", "pp"},
                                    std::pair{"k", "microbatches"}, std::pair{"batch", "global_batch"}})
    strategy.set(key, line.whole(column));
  const auto outcome = scenario::run(scenario::load(source, question.file));
  return compare(fmt::format("{}, batch {}", words_of(strategy), line.whole("batch")), line.number("measured"),
                 outcome.summary.samples_per_second, Json::object().set("distir_samples_per_s", line.number("theirs")));
}

Result run(const Options& options) {
  const auto lines         = read_published(distir::published(options, "figure10.csv"));
  const Question scenario  = question(options, "reproductions/distir_figure10");
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(predict(line, scenario));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  std::vector<Row> theirs = result.rows;
  for (Row& row : theirs)
    row = compare(row.name, *row.published.if_double(), *row.more.find("distir_samples_per_s")->if_double());
  const Agreement other = agreement({theirs, {}});
  result.notes.push_back(fmt::format("the authors' own predictions of these rows: mean error {:.1f} %, Spearman {:.3f}",
                                     100 * other.mape.value_or(0), other.spearman.value_or(0)));
  return result;
}

}  // namespace

ReproductionDef distir_figure10() {
  return {"distir_figure10", "predicted against measured throughput of MLP training on 4 V100", distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions
