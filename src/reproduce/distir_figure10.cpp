// Predicted against measured throughput. The measurements of the figure itself were not published; the authors did
// publish those of an MLP on 4 GPUs, which are compared here. The rows of one batch were used to calibrate the cost
// model (calibration/distir_v100_pcie_4.json), all others are predictions.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reproduce/distir.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distir_figure10 {
namespace {

constexpr int kCalibratedBatch = 1024;

bool is_calibrated(const Row& row) { return *row.more.find("calibrated")->if_bool(); }

Result rows_where(const std::vector<Row>& rows, bool calibrated) {
  Result some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some.rows),
               [&](const Row& row) { return is_calibrated(row) == calibrated; });
  return some;
}

double median_error(const std::vector<Row>& rows) {
  std::vector<double> errors;
  for (const Row& row : rows) errors.push_back(std::abs(row.relative_error.value_or(0)));
  if (errors.empty()) return 0;
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

std::string words_of(const Result& some, std::string_view what) {
  const Agreement found = agreement(some);
  return fmt::format("{} {}: mean error {:.1f} %, median {:.1f} %, worst {:.1f} %, Spearman {:.3f}", some.rows.size(),
                     what, 100 * found.mape.value_or(0), 100 * median_error(some.rows), 100 * found.worst.value_or(0),
                     found.spearman.value_or(0));
}

Row predict(const Published& line, const Question& question) {
  Json source    = question.source;
  Json& strategy = source.member("strategy");
  for (const auto& [column, key] : {std::pair{"d", "dp"}, std::pair{"t", "tp"}, std::pair{"p", "pp"},
                                    std::pair{"k", "microbatches"}, std::pair{"batch", "global_batch"}})
    strategy.set(key, line.whole(column));
  const auto outcome = scenario::run(scenario::load(source, question.file));
  const int batch    = line.whole("batch");
  Json more          = Json::object().set("calibrated", batch == kCalibratedBatch);
  return compare(fmt::format("{}, batch {}", reproduce::words_of(strategy), batch), line.number("measured"),
                 outcome.summary.samples_per_second,
                 std::move(more.set("distir_samples_per_s", line.number("theirs"))));
}

Result run(const Options& options) {
  const auto lines        = read_published(distir::published(options, "figure10.csv"));
  const Question scenario = question(options, "reproductions/distir_figure10");
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(predict(line, scenario));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes.push_back(words_of(rows_where(result.rows, true),
                                  fmt::format("rows of batch {}, on which it was calibrated", kCalibratedBatch)));
  result.notes.push_back(words_of(rows_where(result.rows, false), "other rows, held out"));
  result.notes.push_back("that batch, and the form of the model, were chosen with all rows in view");
  std::vector<Row> theirs = result.rows;
  for (Row& row : theirs)
    row = compare(row.name, *row.published.if_double(), *row.more.find("distir_samples_per_s")->if_double());
  const Agreement other = agreement({theirs, {}});
  result.notes.push_back(fmt::format("the authors' own predictions of these rows: mean error {:.1f} %, Spearman {:.3f}",
                                     100 * other.mape.value_or(0), other.spearman.value_or(0)));
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_figure10", "predicted against measured throughput of MLP training on 4 V100", distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_figure10
