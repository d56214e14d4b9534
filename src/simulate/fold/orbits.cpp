#include "simulate/fold/orbits.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

// Returns true if the first `devices` ranks stand on the first devices of the machine, and the others as these, so many
// devices further.
bool stand_part_by_part(const stream::CompactProgram& program, int devices) {
  const auto each = static_cast<size_t>(devices);
  for (size_t rank = 0; rank < program.places.size(); ++rank) {
    const int place = program.places[rank % each];
    if (place >= devices || program.places[rank] != place + static_cast<int>(rank / each) * devices) return false;
  }
  return true;
}

// Communications of a dimension of the devices have an algorithm of their own. Ranks that are `ranks` further differ in
// the same dimension.
bool keep_dimensions(const stream::CompactProgram& program, int32_t ranks) {
  const int64_t all = int64_t{program.of_replica} * program.replicas;
  return std::all_of(program.groups.begin(), program.groups.end(), [&](const stream::GroupAlgorithms& group) {
    const int64_t period = int64_t{group.stride} * group.size;
    return ranks % period == 0 || period % all == 0;
  });
}

}  // namespace

Orbits each_alone(const stream::CompactProgram& program, const platform::Platform& platform) {
  return {program.replicas, 1, platform::Rotation(static_cast<int>(platform.links().size()))};
}

Orbits orbits_of(const stream::CompactProgram& program, const platform::Platform& platform,
                 const Disturbances& disturbances) {
  const platform::Rotation& rotation = platform.rotation();
  const auto devices                 = static_cast<int>(platform.devices().size());
  const bool disturbed =
      !disturbances.slowdowns.empty() || !disturbances.links.empty() || !disturbances.background.empty();
  const int64_t ranks = int64_t{program.of_replica} * program.replicas;
  if (!disturbed && ranks == devices) {
    for (int step = 1; step < rotation.parts(); ++step) {
      if (rotation.parts() % step != 0) continue;
      const int each = devices / rotation.parts() * step;
      if (each % program.of_replica == 0 && stand_part_by_part(program, each) && keep_dimensions(program, each))
        return {each / program.of_replica, rotation.parts() / step, rotation.by(step)};
    }
  }
  return each_alone(program, platform);
}

bool is_kept(const Load& load, const platform::Rotation& rotation) {
  const auto& crossings = load.crossings;
  // In the order of links, the crossings of a range are those of its parts, one after another.
  for (size_t begin = 0, end = 0; begin < crossings.size(); begin = end) {
    const int range = rotation.range(crossings[begin].link);
    while (end < crossings.size() && rotation.range(crossings[end].link) == range) ++end;
    const size_t parts = static_cast<size_t>(rotation.parts()), each = (end - begin) / parts;
    if (each * parts != end - begin) return false;
    for (size_t i = begin; i + each < end; ++i) {
      if (crossings[i + each].link != rotation.next(crossings[i].link) ||
          crossings[i + each].weight != crossings[i].weight)
        return false;
    }
  }
  return true;
}

}  // namespace foreflow::simulate
