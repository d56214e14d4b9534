// Output formats of a result. Each writer is a pure function that returns the text; equal inputs give identical bytes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/report/summary.h"

namespace foreflow::report {

struct WriterDef {
  std::string_view name;  // "trace"; also the name of the option
  std::string_view doc;
  std::string (*write)(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform& platform);
  // Help text of `foreflow simulate --NAME FILE`; empty: `simulate` has no such option, because it offers the report in
  // another way.
  std::string_view option = {};
  int option_place        = 1;  // position in the help, ascending; ties in table order
};

const Registry<WriterDef>& writers();

}  // namespace foreflow::report
