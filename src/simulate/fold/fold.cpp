#include "simulate/fold/fold.h"

#include "foreflow/base/nth.h"
#include "simulate/fold/colours.h"
#include "simulate/fold/merger.h"
#include "simulate/fold/numbering.h"

namespace foreflow::simulate {
namespace {

Participants cast_of(const stream::Program& program, const Footprints& footprints, const Numbering& streams,
                     const Numbering& instances) {
  Participants participants{streams.first(), {}, instances.all()};
  for (const int32_t example : instances.first()) {
    const auto index     = static_cast<size_t>(example);
    const bool hand_over = footprints.of_instance[index] < 0;
    const int32_t source = program.instances[index].members.front();
    participants.meetings.push_back(
        {example, 0, hand_over ? nth(streams.first(), streams.of(static_cast<size_t>(source))) : -1});
  }
  for (const int32_t stream : participants.streams) {
    for (const stream::Item& item : nth(program.streams, stream).items) {
      if (item.instance >= 0) ++nth(participants.meetings, instances.of(static_cast<size_t>(item.instance))).members;
    }
  }
  return participants;
}

}  // namespace

std::optional<Folded> fold(const stream::Program& program, const Footprints& footprints,
                           const platform::Platform& platform, const Disturbances& disturbances) {
  if (disturbances.jitter.amplitude > 0 || !footprints.relays.empty()) return {};
  const size_t most  = program.streams.size() / 2;
  const auto colours = refined_colours(program, footprints, platform, disturbances, most);
  if (!colours) return {};
  const Numbering streams(colours->streams);
  if (streams.first().size() > most) return {};
  const Numbering instances(colours->instances), links(colours->links);
  Folded result{cast_of(program, footprints, streams, instances), {}};

  std::vector<std::vector<Merger::Part>> parts(result.participants.meetings.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    if (footprints.of_instance[i] >= 0) nth(parts, instances.of(i)).push_back({footprints.of_instance[i]});
  }
  Merger merger(footprints, platform, platform::Rotation(static_cast<int>(platform.links().size())), links);
  result.footprints.of_instance.resize(program.instances.size(), -1);
  for (size_t meeting = 0; meeting < parts.size(); ++meeting) {
    if (parts[meeting].empty()) continue;
    const int32_t example                       = result.participants.meetings[meeting].example;
    nth(result.footprints.of_instance, example) = merger.merge(parts[meeting], example, result.footprints);
  }
  for (size_t i = footprints.loads.size() - disturbances.background.size(); i < footprints.loads.size(); ++i)
    result.footprints.loads.push_back(merger.kept(footprints.loads[i]));
  return result;
}

}  // namespace foreflow::simulate
