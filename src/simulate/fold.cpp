#include "simulate/fold.h"

#include <algorithm>
#include <map>

#include "simulate/colour_table.h"
#include "simulate/colours.h"

namespace foreflow::simulate {
namespace {

// Numbers colours by first appearance.
class Numbering {
 public:
  explicit Numbering(const std::vector<Colour>& colours) {
    numbers_.reserve(colours.size());
    ColourTable table;
    for (size_t i = 0; i < colours.size(); ++i) {
      numbers_.push_back(table.number_of(colours[i]));
      if (table.size() > first_.size()) first_.push_back(static_cast<int32_t>(i));
    }
  }

  int32_t of(size_t item) const { return numbers_[item]; }
  const std::vector<int32_t>& all() const { return numbers_; }
  // The first item of each number.
  const std::vector<int32_t>& first() const { return first_; }
  bool is_first(size_t item) const { return first_[static_cast<size_t>(numbers_[item])] == static_cast<int32_t>(item); }

 private:
  std::vector<int32_t> numbers_, first_;
};

Participants cast_of(const stream::Program& program, const Footprints& footprints, const Numbering& streams,
                     const Numbering& instances) {
  Participants participants{streams.first(), {}, instances.all()};
  for (const int32_t example : instances.first()) {
    const auto index     = static_cast<size_t>(example);
    const bool hand_over = footprints.of_instance[index] < 0;
    const int32_t source = program.instances[index].members.front();
    participants.meetings.push_back(
        {example, 0, hand_over ? streams.first()[static_cast<size_t>(streams.of(static_cast<size_t>(source)))] : -1});
  }
  for (const int32_t stream : participants.streams) {
    for (const stream::Item& item : program.streams[static_cast<size_t>(stream)].items) {
      if (item.instance >= 0)
        ++participants.meetings[static_cast<size_t>(instances.of(static_cast<size_t>(item.instance)))].members;
    }
  }
  return participants;
}

// Adds up what the instances of one meeting ask of the first link of each colour.
class Merger {
 public:
  Merger(const Footprints& footprints, const platform::Platform& platform, const Numbering& links)
      : footprints_(footprints), platform_(platform), links_(links) {}

  // The footprint of all of `parts`, which are footprints, as one of `result`.
  int32_t merge(const std::vector<int32_t>& parts, int32_t example, Footprints& result) {
    const auto [found, is_new] = known_.emplace(parts, static_cast<int32_t>(result.distinct.size()));
    if (!is_new) return found->second;
    const Footprint& model = footprints_.distinct[static_cast<size_t>(parts.front())];
    result.distinct.push_back({static_cast<int32_t>(result.phases.size()), model.count, example, model.bytes});
    for (int32_t i = 0; i < model.count; ++i) {
      Phase phase = footprints_.phases[static_cast<size_t>(model.first) + static_cast<size_t>(i)];
      if (phase.load >= 0) {
        Load sum = summed(parts, static_cast<size_t>(i));
        sum.unit = footprints_.loads[static_cast<size_t>(phase.load)].unit;
        for (const auto& [link, weight] : sum.crossings) {
          const BytesPerSecond bandwidth = platform_.links().like(static_cast<size_t>(link)).payload();
          phase.alone                    = std::max(phase.alone, weight * model.bytes / bandwidth);
        }
        phase.load = static_cast<int32_t>(result.loads.size());
        result.loads.push_back(std::move(sum));
      }
      result.phases.push_back(phase);
    }
    return found->second;
  }

  // What remains of a load.
  Load kept(const Load& load) const {
    Load result{{}, load.unit};
    for (const auto& crossing : load.crossings) {
      if (links_.is_first(static_cast<size_t>(crossing.link))) result.crossings.push_back(crossing);
    }
    return result;
  }

 private:
  Load summed(const std::vector<int32_t>& parts, size_t number) const {
    std::map<int32_t, double> weights;
    for (const int32_t part : parts) {
      const Phase& phase = footprints_.phases_of(footprints_.distinct[static_cast<size_t>(part)])[number];
      for (const auto& [link, weight] : footprints_.loads[static_cast<size_t>(phase.load)].crossings) {
        if (links_.is_first(static_cast<size_t>(link))) weights[link] += weight;
      }
    }
    Load result{{}, 0};
    for (const auto& [link, weight] : weights) result.crossings.push_back({link, weight});
    return result;
  }

  const Footprints& footprints_;
  const platform::Platform& platform_;
  const Numbering& links_;
  std::map<std::vector<int32_t>, int32_t> known_;
};

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

  std::vector<std::vector<int32_t>> parts(
      result.participants.meetings.size());  // footprints of the instances of each meeting
  for (size_t i = 0; i < program.instances.size(); ++i) {
    if (footprints.of_instance[i] >= 0)
      parts[static_cast<size_t>(instances.of(i))].push_back(footprints.of_instance[i]);
  }
  Merger merger(footprints, platform, links);
  result.footprints.of_instance.resize(program.instances.size(), -1);
  for (size_t meeting = 0; meeting < parts.size(); ++meeting) {
    if (parts[meeting].empty()) continue;
    const int32_t example = result.participants.meetings[meeting].example;
    result.footprints.of_instance[static_cast<size_t>(example)] =
        merger.merge(parts[meeting], example, result.footprints);
  }
  for (size_t i = footprints.loads.size() - disturbances.background.size(); i < footprints.loads.size(); ++i)
    result.footprints.loads.push_back(merger.kept(footprints.loads[i]));
  return result;
}

}  // namespace foreflow::simulate
