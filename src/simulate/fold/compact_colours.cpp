#include "simulate/fold/compact_colours.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "simulate/fold/colour_table.h"
#include "simulate/fold/colours.h"
#include "simulate/fold/seen_loads.h"

namespace foreflow::simulate {
namespace {

class AlikeRefinement {
 public:
  AlikeRefinement(const stream::CompactProgram& program, const Courses& courses, const Orbits& orbits,
                  const RealGroups& groups, const Footprints& footprints, const platform::Platform& platform)
      : program_(program),
        courses_(courses),
        orbits_(orbits),
        groups_(groups),
        footprints_(footprints),
        platform_(platform),
        seen_(footprints, groups, orbits.links),
        of_replica_(program.devices.size()),
        replicas_(static_cast<size_t>(orbits.replicas)) {
    find_streams();
    find_members();
    for (size_t row = 0; row < groups_.rows.size(); ++row) (is_inside(row) ? inside_ : between_).push_back(row);
  }

  void begin(const Disturbances& disturbances) {
    begin_devices(disturbances);
    begin_links(disturbances);
    colours_.groups.reserve(groups_.rows.size());
    for (const RealGroups::Row& row : groups_.rows) colours_.groups.push_back(describe(row));
    see_inside();
  }

  CompactColours run() && {
    size_t before = 0;
    for (size_t now = count(); now > before; now = count()) {
      before = now;
      for (const size_t row : between_) see_members(row);
      see_links();
      see_groups();
    }
    for (const size_t row : inside_) see_members(row);
    return std::move(colours_);
  }

 private:
  // A stream of the first replica.
  struct Stream {
    int32_t number;
    Colour name;                   // no two streams of a device share it
    std::vector<int32_t> between;  // its groups that are not inside of a device
  };
  // A member of a group.
  struct Member {
    size_t device;  // of a replica
    Colour as;      // its stream, the number of the group among the groups of that stream, and whether it signals
  };

  // Groups inside of a device (hand-overs) tell it nothing new once it has seen how they join its streams.
  bool is_inside(size_t row) const {
    return nth(courses_.groups(), groups_.rows[row].group).hand_over && groups_.rows[row].replica >= 0;
  }

  void find_streams() {
    std::unordered_map<int32_t, size_t> index;
    for (const auto& device : program_.devices) index.emplace(device.index, index.size());
    streams_.resize(of_replica_);
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      const auto& lane = program_.streams[s];
      Stream stream{static_cast<int32_t>(s), std::hash<std::string_view>()(lane.stream), {}};
      for (const int32_t group : courses_.groups_of(stream.number)) {
        const Group& known = nth(courses_.groups(), group);
        if (!known.hand_over || known.of_all_replicas) stream.between.push_back(group);
      }
      streams_[index.at(lane.device)].push_back(std::move(stream));
    }
  }

  void find_members() {
    std::vector<std::pair<size_t, const Stream*>> placed(program_.streams.size());
    std::unordered_map<int64_t, int32_t> numbers;  // by stream and group: its number among the groups of the stream
    const auto groups = static_cast<int64_t>(courses_.groups().size());
    for (size_t device = 0; device < of_replica_; ++device) {
      for (const Stream& stream : streams_[device]) {
        nth(placed, stream.number) = {device, &stream};
        const auto& own            = courses_.groups_of(stream.number);
        for (size_t i = 0; i < own.size(); ++i)
          numbers.emplace(stream.number * groups + own[i], static_cast<int32_t>(i));
      }
    }
    for (int64_t g = 0; g < groups; ++g) {
      const Group& group = nth(courses_.groups(), g);
      auto& members      = members_.emplace_back();
      for (size_t i = 0; i < group.members.size(); ++i) {
        const auto [device, stream] = nth(placed, group.members[i]);
        const Colour known          = mix(stream->name, number(numbers.at(stream->number * groups + g)));
        members.push_back({device, mix(known, number(group.hand_over && i == 0 ? 1 : 0))});
      }
    }
  }

  Colour& device(size_t replica, size_t device) { return colours_.devices[replica * of_replica_ + device]; }

  void begin_devices(const Disturbances& disturbances) {
    std::unordered_map<int, Colour> slowed;  // by place
    for (size_t i = 0; i < disturbances.slowdowns.size(); ++i) {
      Colour& colour = slowed[disturbances.slowdowns[i].device];
      colour         = mix(colour, number(static_cast<int64_t>(i)));
    }
    std::vector<Colour> work(of_replica_, 0);  // of a replica: what its streams do
    for (size_t d = 0; d < of_replica_; ++d) {
      for (const Stream& stream : streams_[d]) work[d] += mix(courses_.pattern(stream.number), stream.name);
    }
    colours_.devices.assign(of_replica_ * replicas_, 0);
    for (size_t r = 0; r < replicas_; ++r) {
      for (size_t d = 0; d < of_replica_; ++d) {
        if (streams_[d].empty()) continue;  // all that do nothing are alike
        const auto& one = program_.devices[d];
        const int place =
            program_.place_of_rank(one.index - program_.first_device + static_cast<int32_t>(r) * program_.of_replica);
        // Kinds of hardware differ in the figures with which a report compares the work and the memory of a device.
        Colour& colour   = device(r, d);
        colour           = mix(mix(work[d], one.initial.value()), number(platform_.device_kind(place)));
        const auto found = slowed.find(place);
        if (found != slowed.end()) colour = mix(colour, found->second);
      }
    }
  }

  void begin_links(const Disturbances& disturbances) {
    for (int orbit = 0; orbit < orbits_.links.orbits(); ++orbit)
      colours_.links.push_back(mix(1, number(platform_.link_kind(orbits_.links.first_link(orbit)))));
    // Each link is an orbit if any is disturbed.
    mix_disturbances(disturbances, footprints_, colours_.links);
  }

  // Everything except the members and the links.
  Colour describe(const RealGroups::Row& row) const {
    const Colour colour = mix(2, number(row.communication));
    if (row.footprint < 0) return colour;
    return colour_of(footprints_, nth(footprints_.distinct, row.footprint), colour);
  }

  // Devices by the groups inside of them.
  void see_inside() {
    for (const size_t i : inside_) {
      const RealGroups::Row& row = groups_.rows[i];
      const auto& members        = nth(members_, row.group);
      Colour joined              = 0;
      for (const Member& member : members) joined += member.as;
      device(static_cast<size_t>(row.replica), members.front().device) += mix(joined, colours_.groups[i]);
    }
  }

  size_t count() const {
    ColourTable groups;
    for (const size_t row : between_) groups.number_of(colours_.groups[row]);
    return count_different(colours_.devices) + count_different(colours_.links) + groups.size();
  }

  // Refines a group by its members.
  void see_members(size_t number) {
    const RealGroups::Row& row = groups_.rows[number];
    const size_t first         = row.replica < 0 ? 0 : static_cast<size_t>(row.replica);
    const size_t last          = row.replica < 0 ? replicas_ - 1 : first;
    Colour sum                 = 0;
    for (size_t r = first; r <= last; ++r) {
      for (const Member& member : nth(members_, row.group)) sum += mix(device(r, member.device), member.as);
    }
    if (row.replica < 0) sum *= static_cast<Colour>(orbits_.images);
    colours_.groups[number] = mix(colours_.groups[number], sum);
  }

  // The groups that cross each link, and the links that each group crosses. Phases share loads, so each load is
  // visited once.
  void see_links() {
    const std::vector<Colour> crossed = colours_of_loads();
    std::vector<Colour> crossing(footprints_.loads.size(), 0);  // by load: the phases that have it
    for (const size_t i : between_) {
      if (groups_.rows[i].footprint < 0) continue;
      Colour all   = 0;
      Colour phase = colours_.groups[i];
      for (const Phase& one : footprints_.phases_of(nth(footprints_.distinct, groups_.rows[i].footprint))) {
        phase = mix(phase, Colour{3});
        if (one.load < 0) continue;
        nth(crossing, one.load) += phase;
        all += mix(phase, nth(crossed, one.load));
        if (one.relay < 0) continue;
        const std::vector<int32_t>& hops = nth(footprints_.relays, one.relay).loads;
        for (size_t h = 0; h < hops.size(); ++h) {
          const Colour hop = mix(phase, number(static_cast<int64_t>(h)));
          nth(crossing, hops[h]) += hop;
          all += mix(hop, nth(crossed, hops[h]));
        }
      }
      colours_.groups[i] = mix(colours_.groups[i], all);
    }
    std::vector<Colour> links(colours_.links.size(), 0);
    for (size_t load = 0; load < crossing.size(); ++load) {
      if (crossing[load] == 0) continue;
      for (const auto& [orbit, weight] : seen_.of(load)) nth(links, orbit) += mix(crossing[load], weight);
    }
    for (size_t link = 0; link < links.size(); ++link) colours_.links[link] = mix(colours_.links[link], links[link]);
  }

  std::vector<Colour> colours_of_loads() const {
    std::vector<Colour> colours;
    colours.reserve(footprints_.loads.size());
    for (size_t load = 0; load < footprints_.loads.size(); ++load) {
      Colour sum = 0;
      for (const auto& [orbit, weight] : seen_.of(load)) sum += mix(nth(colours_.links, orbit), weight);
      colours.push_back(sum);
    }
    return colours;
  }

  // Refines devices by the groups of their streams.
  void see_groups() {
    for (size_t r = 0; r < replicas_; ++r) {
      for (size_t d = 0; d < of_replica_; ++d) {
        Colour sum = 0;
        for (const Stream& stream : streams_[d]) {
          Colour seen = stream.name;
          for (const int32_t group : stream.between) {
            const int32_t row = groups_.row_of(nth(courses_.groups(), group), group, static_cast<int32_t>(r));
            seen              = mix(seen, nth(colours_.groups, row));
          }
          sum += seen;
        }
        Colour& colour = device(r, d);
        colour         = mix(colour, sum);
      }
    }
  }

  const stream::CompactProgram& program_;
  const Courses& courses_;
  const Orbits& orbits_;
  const RealGroups& groups_;
  const Footprints& footprints_;
  const platform::Platform& platform_;
  const SeenLoads seen_;
  const size_t of_replica_;                   // devices
  const size_t replicas_;                     // the first of their orbits
  std::vector<std::vector<Stream>> streams_;  // by device of a replica
  std::vector<std::vector<Member>> members_;  // by group
  std::vector<size_t> inside_, between_;      // rows of groups: of streams of one device, of several devices
  CompactColours colours_;
};

}  // namespace

CompactColours compact_colours(const stream::CompactProgram& program, const Courses& courses, const Orbits& orbits,
                               const RealGroups& groups, const Footprints& footprints,
                               const platform::Platform& platform, const Disturbances& disturbances) {
  AlikeRefinement refinement(program, courses, orbits, groups, footprints, platform);
  refinement.begin(disturbances);
  return std::move(refinement).run();
}

}  // namespace foreflow::simulate
