#include "support/lowering.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::test {

cost::CostModel ideal_roofline() {
  const Json parameters =
      parse_json(R"({"model": "roofline", "compute_efficiency": 1, "memory_efficiency": 1})", "cost");
  return cost::cost_models().get("roofline", "test").make(JsonView(parameters, "cost"));
}

lower::Lowered lowered(const ir::Module& module, const platform::Platform& platform) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  return lower::lower(module, interpretation, ideal_roofline(), platform);
}

lower::Lowered lowered(std::string_view text, const platform::Platform& platform) {
  return lowered(ir::parse(text, "test", ops::table()), platform);
}

std::ostream& operator<<(std::ostream& out, const Level& level) {
  return out << "peak " << level.peak << " B, at last " << level.final << " B";
}

Level memory_of(const stream::Program& program, int device) {
  double level = 0, peak = 0;
  for (const stream::DeviceUse& use : program.devices) {
    if (use.index == device) level = peak = use.initial.value();
  }
  for (const stream::Stream& stream : program.streams) {
    if (nth(program.devices, stream.device).index != device) continue;
    for (const stream::Item& item : stream.items) {
      const stream::MemoryEffect& effect = nth(program.memory_effects, item.memory);
      peak                               = std::max(peak, level + effect.peak.value());
      level += effect.net.value();
    }
  }
  return {peak, level};
}

std::map<std::string, double> busy_seconds(const stream::Program& program) {
  std::map<std::string, double> busy;
  for (const stream::Stream& stream : program.streams) {
    double& seconds = busy[stream.name];
    for (const stream::Item& item : stream.items) {
      if (item.instance < 0) seconds += nth(program.computes, item.event).duration.value();
    }
  }
  return busy;
}

}  // namespace foreflow::test
