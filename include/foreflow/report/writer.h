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
  // Tells chosen devices one by one: `program` and `timeline` have these only (simulate/chosen.h), `summary` is of all.
  // Null: the report tells devices in no such way.
  Write write_devices = nullptr;
  // `write` tells each device of its own, so it needs a program that has them all.
  bool every_device = false;
};

const Registry<WriterDef>& writers();

}  // namespace foreflow::report
