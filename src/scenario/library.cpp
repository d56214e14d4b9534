#include "scenario/library.h"

#include "foreflow/cost/device_calibration.h"

namespace foreflow::scenario {
namespace {

constexpr std::string_view kMeasured = ", measured";

std::optional<Seconds> measured(const collective::Task& task) {
  const collective::Group& group = task.group;
  return cost::measured_collective({.device      = group.device,
                                    .kind        = collective::name(task.kind),
                                    .ranks       = group.ranks,
                                    .bytes       = task.bytes,
                                    .switch_adds = group.nvls,
                                    .bus_factor  = collective::bus_factor(task.kind, group.ranks)});
}

const Registry<collective::AlgorithmDef>& measured_libraries() {
  static const Registry<collective::AlgorithmDef> rows(
      "communication library", "libraries", collective::library_algorithms(std::string(kMeasured), measured));
  return rows;
}

}  // namespace

const collective::AlgorithmDef& library_named(std::string_view name, const std::string& where,
                                              const cost::CostModel& cost) {
  const collective::LibraryDef& library = collective::library_called(name, where);
  if (!cost.measures_collectives) return collective::library_algorithms().get(library.name, where);
  return measured_libraries().get(std::string(library.name) + std::string(kMeasured), where);
}

const collective::AlgorithmDef& algorithm_named(std::string_view name, const std::string& where) {
  const collective::AlgorithmDef* found = name.ends_with(kMeasured) ? measured_libraries().find(name) : nullptr;
  return found != nullptr ? *found : collective::algorithm_named(name, where);
}

}  // namespace foreflow::scenario
