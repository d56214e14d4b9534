// The forms in which a result is written. Every writer is a pure function to text: the same values, the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/report/summary.h"

namespace foreflow::report {

struct WriterDef {
  std::string_view name;  // "trace"; of the option too
  std::string_view doc;
  std::string (*write)(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform& platform);
  // What the help of `foreflow simulate --NAME FILE` says; empty: simulate has no such option, because it writes the
  // report in another way.
  std::string_view option = {};
  int option_place        = 1;  // in the help, ascending; equal ones in the order of the table
};

const Registry<WriterDef>& writers();

}  // namespace foreflow::report
