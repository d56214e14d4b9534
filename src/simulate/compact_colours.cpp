#include "simulate/compact_colours.h"

#include <string_view>

#include "simulate/colour_table.h"
#include "simulate/colours.h"

namespace foreflow::simulate {
namespace {

class AlikeRefinement {
 public:
  AlikeRefinement(const stream::CompactProgram& program, const Courses& courses, const RealGroups& groups,
                  const Footprints& footprints, const platform::Platform& platform)
      : program_(program),
        courses_(courses),
        groups_(groups),
        footprints_(footprints),
        platform_(platform),
        of_replica_(program.streams.size()),
        replicas_(static_cast<size_t>(program.replicas)) {
    find_devices();
    number_members();
  }

  void begin(const Disturbances& disturbances) {
    begin_streams(disturbances);
    begin_links(disturbances);
    for (const RealGroups::Row& row : groups_.rows) colours_.groups.push_back(describe(row));
  }

  CompactColours run() && {
    size_t before = 0;
    for (size_t now = count(); now > before; now = count()) {
      before = now;
      see_members();
      see_links();
      see_groups();
    }
    std::vector<Colour> devices(program_.devices.size() * replicas_, 0);
    for (size_t s = 0; s < streams_.size(); ++s) devices[device_of(s)] += mix(streams_[s], Colour{5});
    colours_.devices = std::move(devices);
    return std::move(colours_);
  }

 private:
  void find_devices() {
    std::unordered_map<int32_t, int32_t> index;
    for (const auto& device : program_.devices) index.emplace(device.index, static_cast<int32_t>(index.size()));
    for (const auto& stream : program_.streams) device_of_stream_.push_back(index.at(stream.device));
  }

  // The number of a group among the groups of each of its members.
  void number_members() {
    known_as_.resize(courses_.groups().size());
    for (size_t g = 0; g < known_as_.size(); ++g) known_as_[g].assign(courses_.groups()[g].members.size(), 0);
    std::unordered_map<int64_t, int32_t> numbers;  // by stream and group
    const auto groups = static_cast<int64_t>(known_as_.size());
    for (size_t s = 0; s < of_replica_; ++s) {
      const auto& own = courses_.groups_of(static_cast<int32_t>(s));
      for (size_t i = 0; i < own.size(); ++i)
        numbers.emplace(static_cast<int64_t>(s) * groups + own[i], static_cast<int32_t>(i));
    }
    for (size_t g = 0; g < known_as_.size(); ++g) {
      const auto& members = courses_.groups()[g].members;
      for (size_t i = 0; i < members.size(); ++i)
        known_as_[g][i] = numbers.at(members[i] * groups + static_cast<int64_t>(g));
    }
  }

  int32_t rank_of(int32_t device, size_t replica) const {
    return device - program_.first_device + static_cast<int32_t>(replica) * program_.of_replica;
  }

  // Numbers the kinds of hardware, by the figures with which a report compares the work and the memory of a device.
  Colour hardware(int32_t rank) const { return number(platform_.device_kind(program_.place_of_rank(rank))); }

  size_t device_of(size_t stream) const {
    return stream / of_replica_ * program_.devices.size() +
           static_cast<size_t>(device_of_stream_[stream % of_replica_]);
  }

  void begin_streams(const Disturbances& disturbances) {
    std::unordered_map<int, Colour> slowed;  // by place
    for (size_t i = 0; i < disturbances.slowdowns.size(); ++i) {
      Colour& colour = slowed[disturbances.slowdowns[i].device];
      colour         = mix(colour, number(static_cast<int64_t>(i)));
    }
    streams_.reserve(of_replica_ * replicas_);
    for (size_t r = 0; r < replicas_; ++r) {
      for (size_t s = 0; s < of_replica_; ++s) {
        const auto& lane   = program_.streams[s];
        const int32_t rank = rank_of(lane.device, r);
        const Bytes memory = program_.devices[static_cast<size_t>(device_of_stream_[s])].initial;
        Colour colour      = mix(courses_.pattern(static_cast<int32_t>(s)), std::hash<std::string_view>()(lane.stream));
        colour             = mix(mix(colour, memory.value()), hardware(rank));
        if (!slowed.empty()) {
          const auto found = slowed.find(program_.place_of_rank(rank));
          if (found != slowed.end()) colour = mix(colour, found->second);
        }
        streams_.push_back(colour);
      }
    }
  }

  void begin_links(const Disturbances& disturbances) {
    for (size_t link = 0; link < platform_.links().size(); ++link)
      colours_.links.push_back(mix(1, number(platform_.link_kind(static_cast<int>(link)))));
    for (size_t i = 0; i < disturbances.links.size(); ++i) {
      Colour& colour = colours_.links[static_cast<size_t>(disturbances.links[i].link)];
      colour         = mix(colour, number(static_cast<int64_t>(i)));
    }
    for (size_t load = footprints_.loads.size() - disturbances.background.size(); load < footprints_.loads.size();
         ++load) {
      for (const auto& [link, weight] : footprints_.loads[load].crossings) {
        Colour& colour = colours_.links[static_cast<size_t>(link)];
        colour         = mix(mix(colour, number(static_cast<int64_t>(load))), weight);
      }
    }
  }

  // Everything except the members and the links.
  Colour describe(const RealGroups::Row& row) const {
    const Colour colour = mix(2, number(row.communication));
    if (row.footprint < 0) return colour;
    return colour_of(footprints_, footprints_.distinct[static_cast<size_t>(row.footprint)], colour);
  }

  size_t count() const { return different(streams_) + different(colours_.links) + different(colours_.groups); }

  static size_t different(const std::vector<Colour>& colours) {
    ColourTable table;
    for (const Colour colour : colours) table.number_of(colour);
    return table.size();
  }

  // Refines groups by their members.
  void see_members() {
    for (size_t i = 0; i < groups_.rows.size(); ++i) {
      const RealGroups::Row& row = groups_.rows[i];
      const Group& group         = courses_.groups()[static_cast<size_t>(row.group)];
      const auto& known_as       = known_as_[static_cast<size_t>(row.group)];
      const size_t first         = row.replica < 0 ? 0 : static_cast<size_t>(row.replica);
      const size_t last          = row.replica < 0 ? replicas_ - 1 : first;
      Colour sum                 = 0;
      for (size_t r = first; r <= last; ++r) {
        for (size_t m = 0; m < group.members.size(); ++m) {
          const Colour member = streams_[r * of_replica_ + static_cast<size_t>(group.members[m])];
          sum += mix(mix(member, number(known_as[m])), number(group.hand_over && m == 0 ? 1 : 0));
        }
      }
      colours_.groups[i] = mix(colours_.groups[i], sum);
    }
  }

  // The groups that cross each link, and the links that each group crosses. Phases share loads, so each load is
  // visited once.
  void see_links() {
    const std::vector<Colour> crossed = colours_of_loads();
    std::vector<Colour> crossing(footprints_.loads.size(), 0);  // by load: the phases that have it
    for (size_t i = 0; i < groups_.rows.size(); ++i) {
      if (groups_.rows[i].footprint < 0) continue;
      Colour all   = 0;
      Colour phase = colours_.groups[i];
      for (const Phase& one :
           footprints_.phases_of(footprints_.distinct[static_cast<size_t>(groups_.rows[i].footprint)])) {
        phase = mix(phase, Colour{3});
        if (one.load < 0) continue;
        crossing[static_cast<size_t>(one.load)] += phase;
        all += mix(phase, crossed[static_cast<size_t>(one.load)]);
      }
      colours_.groups[i] = mix(colours_.groups[i], all);
    }
    std::vector<Colour> links(colours_.links.size(), 0);
    for (size_t load = 0; load < crossing.size(); ++load) {
      if (crossing[load] == 0) continue;
      for (const auto& [link, weight] : footprints_.loads[load].crossings)
        links[static_cast<size_t>(link)] += mix(crossing[load], weight);
    }
    for (size_t link = 0; link < links.size(); ++link) colours_.links[link] = mix(colours_.links[link], links[link]);
  }

  std::vector<Colour> colours_of_loads() const {
    std::vector<Colour> colours;
    colours.reserve(footprints_.loads.size());
    for (const Load& load : footprints_.loads) {
      Colour sum = 0;
      for (const auto& [link, weight] : load.crossings) sum += mix(colours_.links[static_cast<size_t>(link)], weight);
      colours.push_back(sum);
    }
    return colours;
  }

  // Refines streams by their groups and by the other streams of their device.
  void see_groups() {
    std::vector<Colour> of_device(program_.devices.size() * replicas_, 0);
    for (size_t s = 0; s < streams_.size(); ++s) of_device[device_of(s)] += mix(streams_[s], Colour{5});
    for (size_t s = 0; s < streams_.size(); ++s) {
      const auto replica = static_cast<int32_t>(s / of_replica_);
      Colour colour      = mix(streams_[s], of_device[device_of(s)]);
      for (const int32_t group : courses_.groups_of(static_cast<int32_t>(s % of_replica_))) {
        const int32_t row = groups_.row_of(courses_.groups()[static_cast<size_t>(group)], group, replica);
        colour            = mix(colour, colours_.groups[static_cast<size_t>(row)]);
      }
      streams_[s] = colour;
    }
  }

  const stream::CompactProgram& program_;
  const Courses& courses_;
  const RealGroups& groups_;
  const Footprints& footprints_;
  const platform::Platform& platform_;
  const size_t of_replica_;  // streams
  const size_t replicas_;
  std::vector<int32_t> device_of_stream_;       // of the first replica
  std::vector<std::vector<int32_t>> known_as_;  // by group and member
  std::vector<Colour> streams_;
  CompactColours colours_;
};

}  // namespace

CompactColours compact_colours(const stream::CompactProgram& program, const Courses& courses, const RealGroups& groups,
                               const Footprints& footprints, const platform::Platform& platform,
                               const Disturbances& disturbances) {
  AlikeRefinement refinement(program, courses, groups, footprints, platform);
  refinement.begin(disturbances);
  return std::move(refinement).run();
}

}  // namespace foreflow::simulate
