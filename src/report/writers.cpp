#include "foreflow/report/writer.h"

namespace foreflow::report {
namespace definitions {
#define FOREFLOW_X(name) WriterDef name();
#include "report/reports.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<WriterDef>& writers() {
  static const Registry<WriterDef> table("report", {
#define FOREFLOW_X(name) definitions::name(),
#include "report/reports.def"
#undef FOREFLOW_X
                                                   });
  return table;
}

}  // namespace foreflow::report
