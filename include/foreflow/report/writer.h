// Output formats of a result. Each writer is a pure function that returns the text; equal inputs give identical bytes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/report/summary.h"

namespace foreflow::report {

using Write = std::string (*)(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                              const platform::Platform& platform);

struct WriterDef {
  std::string_view name;  // "trace"; also the name of the option
  std::string_view doc;
  Write write;
  // Help text of `foreflow simulate --NAME FILE`; empty: `simulate` has no such option, because it offers the report in
  // another way.
  std::string_view option = {};
  int option_place        = 1;  // position in the help, ascending; ties in table order
  // Writes a report of chosen devices. `program` and `timeline` have only these (simulate/chosen.h); `summary`
  // describes all. Null: the report has no such form.
  Write write_devices = nullptr;
  // True: `write` lists every device individually, so it needs a program that is not folded.
  bool every_device = false;
};

const Registry<WriterDef>& writers();

}  // namespace foreflow::report
