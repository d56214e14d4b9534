#include "foreflow/report/writer.h"

namespace foreflow::report {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { WriterDef row(); }
#include "report/reports.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<WriterDef>& writers() {
  // clang-format off
  static const Registry<WriterDef> rows("report", "reports", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "report/reports.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::report
