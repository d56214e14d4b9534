#include <algorithm>
#include <cmath>

#include "cost/laws/law.h"

namespace foreflow::cost {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { LawDef row(); }
#include "cost/laws/laws.def"
#undef FOREFLOW_ROW
}  // namespace definitions

const Registry<LawDef>& laws() {
  static const Registry<LawDef> rows("law", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "cost/laws/laws.def"
#undef FOREFLOW_ROW
  });
  return rows;
}
// clang-format on

double joined(double a, double b, double n) {
  const double longer = std::max(a, b), shorter = std::min(a, b);
  return longer <= 0 ? longer : longer * std::pow(1 + std::pow(shorter / longer, n), 1 / n);
}

}  // namespace foreflow::cost
