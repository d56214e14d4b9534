#include "simulate/footprint/footprint_maker.h"

#include <utility>

namespace foreflow::simulate {

int32_t FootprintMaker::add(const stream::Communication& communication, const std::vector<int>& places,
                            int32_t example) {
  const auto first                          = static_cast<int32_t>(result_.phases.size());
  const collective::AlgorithmDef* algorithm = add_phases(communication, places);
  const auto last                           = static_cast<int32_t>(result_.phases.size());
  result_.distinct.push_back({first, last - first, example, communication.bytes, algorithm});
  return static_cast<int32_t>(result_.distinct.size() - 1);
}

const collective::AlgorithmDef* FootprintMaker::add_phases(const stream::Communication& communication,
                                                           const std::vector<int>& places) {
  std::vector<Phase>& phases = result_.phases;
  if (communication.fixed) {
    const bool shared =
        communication.name == stream::kHostWork && host_.share_cores() && *communication.fixed > Seconds(0);
    phases.push_back(shared ? host_.work(*communication.fixed, communication.bytes)
                            : Phase{*communication.fixed, Seconds(0), -1});
    return nullptr;
  }
  const stream::HostCopy copy = stream::host_copy(communication);
  if (copy != stream::HostCopy::none) {
    phases.push_back(host_.copy(copy, communication.bytes, places[0]));
    return nullptr;
  }
  const size_t group = groups_.number_of(places);
  if (const collective::AlgorithmDef* algorithm = copied_.add(group, communication)) return algorithm;
  const size_t first                        = phases.size();
  const collective::AlgorithmDef* algorithm = network_.add(group, places, communication);
  copied_.keep(group, communication, first, algorithm);
  return algorithm;
}

void FootprintMaker::reserve(size_t count) {
  result_.distinct.reserve(count);
  result_.phases.reserve(count);
}

Footprints FootprintMaker::take() && {
  result_.loads = std::move(loads_).take();
  return std::move(result_);
}

}  // namespace foreflow::simulate
