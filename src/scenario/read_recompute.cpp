#include "scenario/read.h"

namespace foreflow::scenario {

transform::Recompute read_recompute(const JsonView& json, const Workload& workload) {
  if (!json.has("recompute")) return {};
  const JsonView text            = json.at("recompute");
  const transform::Recompute how = transform::read_recompute(text.as_string(), text.where());
  if (how != transform::Recompute() && workload.mode == workload::Mode::inference)
    text.fail(text.as_string() + " needs a backward pass, which inference does not have; use none");
  return how;
}

bool read_offload(const JsonView& json, const Workload& workload) {
  const bool offload = json.bool_or("offload", false);
  if (offload && workload.mode == workload::Mode::inference)
    json.at("offload").fail("true needs a backward pass, which inference does not have; use false");
  return offload;
}

}  // namespace foreflow::scenario
