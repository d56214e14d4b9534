#include "simulate/fold/fold_compact.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "simulate/fold/compact_colours.h"
#include "simulate/fold/device_ranges.h"
#include "simulate/fold/merger.h"
#include "simulate/fold/number_instances.h"
#include "simulate/network/external_events.h"

namespace foreflow::simulate {
namespace {

// Returns true if hops of a ring may have to move by themselves (footprint/coupling.h).
bool may_decouple(const Footprints& footprints, const Options& options) {
  if (options.coupling == Coupling::credit || options.coupling == Coupling::stepwise) return true;
  if (options.coupling == Coupling::coupled) return false;
  const std::vector<int> list = changing_links(options.disturbances);
  const std::set<int> changing(list.begin(), list.end());
  return std::any_of(footprints.phases.begin(), footprints.phases.end(), [&](const Phase& phase) {
    if (phase.load < 0) return false;
    if (phase.uneven) return true;
    const auto& crossings = nth(footprints.loads, phase.load).crossings;
    return !changing.empty() && std::any_of(crossings.begin(), crossings.end(), [&](const stream::Crossing& crossing) {
      return changing.contains(crossing.link);
    });
  });
}

// Writes the streams of the first device of each class.
class Folder {
 public:
  Folder(const stream::CompactProgram& compact, const Courses& courses, const Orbits& orbits, const RealGroups& groups,
         const CompactColours& colours, FoldedFor purpose)
      : compact_(compact),
        courses_(courses),
        orbits_(orbits),
        groups_(groups),
        classes_(colours.devices),
        kinds_(colours.groups),
        purpose_(purpose),
        members_of_(kinds_.first().size()) {}

  bool worth() const { return 8 * classes_.first().size() <= 7 * classes_.all().size() * images(); }

  // False if the folded program would be invalid, because a stream would take part twice in one communication.
  bool run() {
    program_.computes       = compact_.computes;
    program_.communications = groups_.communications;
    program_.memory_effects = compact_.memory_effects;
    program_.places         = compact_.places;
    program_.first_device   = compact_.first_device;
    find_positions();
    for (size_t c = 0; c < classes_.first().size(); ++c) add_device(c);
    collect_members_of_classes();
    find_members();
    for (size_t stream = 0; stream < written_.size(); ++stream) {
      if (!write(stream)) return false;
    }
    auto numbered = number_instances(program_, members_of_);
    if (!numbered) return false;
    kind_of_instance_ = *std::move(numbered);
    return true;
  }

  stream::Program take() { return std::move(program_); }
  // Per instance: its class of groups.
  std::vector<int32_t> take_kinds() { return std::move(kind_of_instance_); }
  std::vector<std::vector<Courses::Depth>> take_depths() { return std::move(depths_); }
  // The footprints of each class of groups.
  std::vector<std::vector<Merger::Part>> parts_of_kinds() const {
    std::vector<std::vector<Merger::Part>> parts(kinds_.first().size());
    for (size_t i = 0; i < groups_.rows.size(); ++i) {
      const RealGroups::Row& row = groups_.rows[i];
      nth(parts, kinds_.of(i)).push_back({row.footprint, row.replica < 0});
    }
    return parts;
  }

 private:
  size_t images() const { return static_cast<size_t>(orbits_.images); }

  struct Written {
    int32_t stream, replica;  // of the compact program
  };

  // The position of each stream among the streams of its device.
  void find_positions() {
    std::map<int32_t, int32_t> devices;
    for (const auto& device : compact_.devices) devices.emplace(device.index, static_cast<int32_t>(devices.size()));
    streams_of_.resize(compact_.devices.size());
    for (size_t s = 0; s < compact_.streams.size(); ++s) {
      const int32_t device = devices.at(compact_.streams[s].device);
      device_of_.push_back(device);
      auto& own = nth(streams_of_, device);
      position_.push_back(static_cast<int32_t>(own.size()));
      own.push_back(static_cast<int32_t>(s));
    }
  }

  void add_device(size_t number) {
    const auto real       = static_cast<size_t>(classes_.first()[number]);
    const auto replica    = static_cast<int32_t>(real / compact_.devices.size());
    const auto& device    = compact_.devices[real % compact_.devices.size()];
    const int32_t index   = device.index + replica * compact_.of_replica;
    const auto use        = static_cast<int32_t>(program_.devices.size());
    const std::string own = "D" + std::to_string(index);
    first_stream_.push_back(static_cast<int32_t>(written_.size()));
    program_.devices.push_back(
        {index, compact_.place_of_rank(index - compact_.first_device), device.initial, 0, compact_.storage, {}});
    for (const int32_t stream : streams_of_[real % compact_.devices.size()]) {
      const std::string& name = nth(compact_.streams, stream).stream;
      program_.streams.push_back({own, use, {}});
      if (!name.empty()) program_.streams.back().name.append(".").append(name);
      written_.push_back({stream, replica});
    }
  }

  void collect_members_of_classes() {
    std::vector<std::vector<int32_t>> numbers(program_.devices.size());
    const size_t of_replica = compact_.devices.size();
    for (size_t real = 0; real < classes_.all().size(); ++real) {
      const int32_t index = compact_.devices[real % of_replica].index;
      for (auto r = static_cast<int32_t>(real / of_replica); r < compact_.replicas; r += orbits_.replicas)
        nth(numbers, classes_.of(real)).push_back(index + r * compact_.of_replica);
    }
    for (size_t c = 0; c < numbers.size(); ++c) {
      std::sort(numbers[c].begin(), numbers[c].end());
      if (numbers[c].size() > 1) program_.devices[c].members = ranges(numbers[c]);
    }
  }

  // The written stream that represents stream `stream` of a replica.
  int32_t stands_for(int32_t stream, int32_t replica) const {
    const auto s      = static_cast<size_t>(stream);
    const size_t real = static_cast<size_t>(replica) * compact_.devices.size() + static_cast<size_t>(device_of_[s]);
    return nth(first_stream_, classes_.of(real)) + position_[s];
  }

  void find_members() {
    std::vector<int64_t> executions(kinds_.first().size(), 0);
    for (size_t row = 0; row < groups_.rows.size(); ++row)
      nth(executions, kinds_.of(row)) += groups_.rows[row].replica < 0 ? 1 : orbits_.images;
    for (size_t kind = 0; kind < executions.size(); ++kind) {
      const RealGroups::Row& row = nth(groups_.rows, kinds_.first()[kind]);
      const Group& group         = nth(courses_.groups(), row.group);
      const int32_t first        = row.replica < 0 ? 0 : row.replica,
                    last         = row.replica < 0 ? orbits_.replicas - 1 : row.replica;
      std::vector<int32_t> members;
      std::set<int32_t> seen;
      for (int32_t replica = first; replica <= last; ++replica) {
        for (const int32_t member : group.members) {
          const int32_t stream = stands_for(member, replica);
          if (seen.insert(stream).second) members.push_back(stream);
        }
      }
      const auto ranks  = static_cast<int32_t>(group.members.size()) * (row.replica < 0 ? compact_.replicas : 1);
      members_of_[kind] = stream::Members(std::move(members), ranks, executions[kind]);
    }
  }

  bool write(size_t number) {
    const auto [stream, replica] = written_[number];
    const auto& own              = courses_.groups_of(stream);
    std::vector<int32_t> kinds, communications;
    for (const int32_t group : own) {
      const int32_t row = groups_.row_of(nth(courses_.groups(), group), group, replica);
      kinds.push_back(kinds_.of(static_cast<size_t>(row)));
      communications.push_back(nth(groups_.rows, row).communication);
    }
    if (std::set<int32_t>(kinds.begin(), kinds.end()).size() != kinds.size()) return false;
    auto& items = program_.streams[number].items;
    items.reserve(courses_.items_of(stream));
    const bool is_of_rounds = purpose_ == FoldedFor::rounds;
    if (is_of_rounds) depths_.emplace_back().reserve(courses_.items_of(stream));
    courses_.visit(stream, [&](int32_t event, int32_t memory, int32_t group, Courses::Depth depth) {
      if (is_of_rounds) depths_.back().push_back(depth);
      if (group < 0) {
        items.push_back({event, -1, memory});
        return;
      }
      const auto local = static_cast<size_t>(group);
      items.push_back({communications[local], kinds[local], memory});
    });
    return true;
  }

  const stream::CompactProgram& compact_;
  const Courses& courses_;
  const Orbits& orbits_;
  const RealGroups& groups_;
  const Numbering classes_, kinds_;  // of devices, of groups
  const FoldedFor purpose_;
  stream::Program program_;
  std::vector<std::vector<int32_t>> streams_of_;  // by device of the compact program
  std::vector<int32_t> device_of_, position_;     // by stream of the compact program
  std::vector<int32_t> first_stream_;             // by class
  std::vector<Written> written_;                  // by stream
  std::vector<stream::Members> members_of_;
  std::vector<int32_t> kind_of_instance_;
  std::vector<std::vector<Courses::Depth>> depths_;  // by stream and item
};

}  // namespace

std::optional<FoldedProgram> fold(const stream::CompactProgram& compact, const platform::Platform& platform,
                                  const Options& options, FoldedFor purpose, const Known& known) {
  if (options.disturbances.jitter.amplitude > 0 || options.observe || !options.fold) return {};
  const auto kept        = known.courses != nullptr ? known.courses : courses_of(compact);
  const Courses& courses = *kept;
  FoldedProgram result;
  const auto groups_for = [&](const Orbits& orbits) {
    return real_groups(compact, courses, orbits, platform, options.disturbances.links, known.routes.get(), result.each);
  };
  Orbits orbits     = orbits_of(compact, platform, options.disturbances);
  RealGroups groups = groups_for(orbits);
  if (!are_kept(groups, orbits, result.each)) {
    orbits = each_alone(compact, platform);
    groups = groups_for(orbits);
  }
  if (may_decouple(result.each, options)) {
    if (orbits.images > 1) {
      orbits = each_alone(compact, platform);
      groups = groups_for(orbits);
    }
    const auto execution_of_row = [&](int32_t row) { return execution_of(compact, courses, groups, row); };
    decouple_rings(result.each, execution_of_row, platform, options.coupling, options.disturbances.links);
  }
  sources(options.disturbances, platform, result.each);  // its loads
  const CompactColours colours =
      compact_colours(compact, courses, orbits, groups, result.each, platform, options.disturbances);
  Folder folder(compact, courses, orbits, groups, colours, purpose);
  if ((purpose == FoldedFor::one_run && !folder.worth()) || !folder.run()) return {};
  result.program = folder.take();

  const Numbering links(colours.links);
  Merger merger(result.each, platform, orbits.links, links);
  std::vector<int32_t> merged;  // by class of groups
  const std::vector<std::vector<Merger::Part>> parts = folder.parts_of_kinds();
  for (const std::vector<Merger::Part>& of_kind : parts)
    merged.push_back(of_kind.front().footprint < 0 ? -1 : merger.merge(of_kind, -1, result.together));
  std::vector<int32_t> kinds = folder.take_kinds();
  result.together.of_instance.reserve(kinds.size());
  result.each.of_instance.reserve(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    const auto kind         = static_cast<size_t>(kinds[i]);
    const int32_t footprint = merged[kind];
    result.together.of_instance.push_back(footprint);
    result.each.of_instance.push_back(parts[kind].front().footprint);
    if (footprint < 0) continue;
    int32_t& example = nth(result.together.distinct, footprint).example;
    if (example < 0) example = static_cast<int32_t>(i);
  }
  for (size_t i = result.each.loads.size() - options.disturbances.background.size(); i < result.each.loads.size(); ++i)
    result.together.loads.push_back(merger.kept(result.each.loads[i]));
  if (purpose == FoldedFor::rounds) {
    result.kind_of_instance = std::move(kinds);
    result.depths           = folder.take_depths();
  }
  for (size_t link = 0; link < platform.links().size(); ++link)
    result.like_link.push_back(merger.first_like(static_cast<int32_t>(link)));
  return result;
}

}  // namespace foreflow::simulate
