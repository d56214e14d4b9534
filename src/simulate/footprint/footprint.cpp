#include "simulate/footprint/footprint.h"

#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/base/sequence_table.h"
#include "foreflow/stream/task.h"
#include "simulate/footprint/footprint_maker.h"

namespace foreflow::simulate {

std::vector<int> places_of(const stream::Program& program, const stream::Instance& instance) {
  std::vector<int> places;
  places.reserve(instance.members.size());
  for (const int32_t member : instance.members) {
    const auto& stream = nth(program.streams, member);
    places.push_back(nth(program.devices, stream.device).place);
  }
  return places;
}

Footprints footprints(const stream::Program& program, const platform::Platform& platform,
                      const std::vector<LinkTrace>& traces) {
  FootprintMaker maker(platform, traces);
  SequenceTable seen;  // of a communication and its members
  std::vector<int32_t> of_instance;
  std::vector<uint64_t> words;
  of_instance.reserve(program.instances.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const stream::Instance& instance = program.instances[i];
    if (stream::is_hand_over(program, instance)) {
      of_instance.push_back(-1);
      continue;
    }
    words = {static_cast<uint64_t>(instance.communication)};
    words.insert(words.end(), instance.members.begin(), instance.members.end());
    const size_t known    = seen.size();
    const uint32_t number = seen.number(words);
    if (number == known) {
      maker.add(nth(program.communications, instance.communication), places_of(program, instance),
                static_cast<int32_t>(i));
    }
    of_instance.push_back(static_cast<int32_t>(number));
  }
  Footprints result  = std::move(maker).take();
  result.of_instance = std::move(of_instance);
  return result;
}

std::vector<const collective::AlgorithmDef*> algorithms(const Footprints& footprints) {
  std::vector<const collective::AlgorithmDef*> result;
  result.reserve(footprints.of_instance.size());
  for (const int32_t number : footprints.of_instance)
    result.push_back(number < 0 ? nullptr : nth(footprints.distinct, number).algorithm);
  return result;
}

std::vector<std::vector<stream::Crossing>> crossings(const Footprints& footprints) {
  std::vector<std::vector<stream::Crossing>> result;
  result.reserve(footprints.loads.size());
  for (const Load& load : footprints.loads) result.push_back(load.crossings);
  return result;
}

}  // namespace foreflow::simulate
