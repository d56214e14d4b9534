// The forms in which a result is written. Every writer is a pure function to text: the same values, the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/report/summary.h"

namespace foreflow::report {

struct WriterDef {
  std::string_view name;  // "text", "json", "csv", "trace", "html", "svg"
  std::string_view doc;
  std::string (*write)(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform& platform);
};

const Registry<WriterDef>& writers();

}  // namespace foreflow::report
