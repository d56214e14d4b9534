#include "foreflow/reproduce/reproduce.h"

#include <algorithm>
#include <cmath>

#include "reproduce/statistics.h"

namespace foreflow::reproduce {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { ReproductionDef row(); }
#include "reproduce/reproductions.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<ReproductionDef>& reproductions() {
  // clang-format off
  static const Registry<ReproductionDef> rows("reproduction", "reproductions", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "reproduce/reproductions.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

Row compare(std::string name, double published, double ours, Json more) {
  return {std::move(name), published, ours, ours / published - 1, std::move(more)};
}

Agreement agreement(const Result& result) {
  Agreement found;
  double sum = 0, errors = 0;
  std::vector<double> published, ours;
  for (const Row& row : result.rows) {
    if (row.relative_error) {
      const double error = std::abs(*row.relative_error);
      sum += error;
      ++errors;
      found.worst = std::max(found.worst.value_or(0), error);
    }
    if (row.published.if_double() == nullptr || row.ours.if_double() == nullptr) continue;
    published.push_back(*row.published.if_double());
    ours.push_back(*row.ours.if_double());
  }
  if (errors > 0) found.mape = sum / errors;
  constexpr size_t kFewest = 3;
  if (ours.size() >= kFewest) found.spearman = spearman(published, ours);
  return found;
}

}  // namespace foreflow::reproduce
