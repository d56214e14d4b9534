#include "simulate/footprint.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "foreflow/base/sequence_table.h"
#include "foreflow/platform/host_routes.h"
#include "foreflow/stream/host_copy.h"
#include "foreflow/stream/task.h"
#include "simulate/crossed.h"
#include "simulate/group_routes.h"
#include "simulate/hash.h"

namespace foreflow::simulate {
namespace {

// What differs from `before` at all.
Course only_if_changing(Course course, double before) {
  const bool changes = std::any_of(course.begin(), course.end(), [&](const Timed& one) { return one.value != before; });
  return changes ? course : Course{};
}

}  // namespace

// Adds footprints to a list.
class FootprintMaker::Work {
 public:
  Work(const platform::Platform& platform, const std::vector<LinkTrace>& traces, GroupRouteTable* routes)
      : platform_(platform),
        traces_(traces),
        changing_(platform, traces),
        crosser_(platform, traces),
        routes_(routes != nullptr ? *routes : own_routes_) {}

  int32_t add(const stream::Communication& communication, const std::vector<int>& places, int32_t example) {
    const auto first                          = static_cast<int32_t>(result_.phases.size());
    const collective::AlgorithmDef* algorithm = nullptr;
    if (communication.name == stream::kHostWork && cores() >= 0 && *communication.fixed > Seconds(0)) {
      result_.phases.push_back(work_phase(*communication.fixed, communication.bytes));
    } else if (communication.fixed) {
      result_.phases.push_back({*communication.fixed, Seconds(0), -1});
    } else if (const stream::HostCopy copy = stream::host_copy(communication); copy != stream::HostCopy::none) {
      result_.phases.push_back(host_phase(copy, communication.bytes, places[0]));
    } else {
      const size_t group = number_of(places);
      const Made* made   = find_phases(group, communication);
      algorithm          = made != nullptr ? copy_phases(*made, group) : add_phases(group, places, communication);
    }
    const auto last = static_cast<int32_t>(result_.phases.size());
    result_.distinct.push_back({first, last - first, example, communication.bytes, algorithm});
    return static_cast<int32_t>(result_.distinct.size() - 1);
  }

  void reserve(size_t count) {
    result_.distinct.reserve(count);
    result_.phases.reserve(count);
  }

  Footprints take() { return std::move(result_); }

 private:
  // Phases that were made for a communication of one group. Groups with the same pattern of routes copy them.
  struct Made {
    collective::Kind kind;
    const collective::AlgorithmDef* asked;  // by the communication
    Bytes bytes;
    Seconds start;
    size_t group;          // of known_
    int32_t first, count;  // its phases
    const collective::AlgorithmDef* algorithm;
  };

  // The load of another group, on the links of this one.
  struct Copy {
    int32_t load;
    uint32_t from;  // of known_
    int32_t copy;
    int32_t next;  // of copies_: the next of this group
  };

  // What communications of a group have in common that are not copied.
  struct Own {
    stream::Ground ground;
    std::vector<std::pair<Crossed, int32_t>> crossed;  // and the number of the load; -1: it has none yet
  };

  // A group of devices that communicates. There are as many as a platform has servers, and more.
  struct Known {
    int32_t pattern = -1;  // of made_; -1: its routes are not compared
    int32_t routes  = -1;  // of routes_, if they are
    int32_t own     = -1;  // of own_; -1: it has none
    int32_t copies  = -1;  // of copies_: the first; -1: there is none
  };

  size_t number_of(const std::vector<int>& places) {
    const bool compared = places.size() <= GroupRouteTable::kMostPlaces;
    words_.assign(places.begin(), places.end());
    const size_t number           = compared ? routes_.number_of(platform_, places) : large_.number(words_);
    std::vector<int32_t>& numbers = compared ? known_compared_ : known_large_;
    if (number >= numbers.size()) numbers.resize(number + 1, -1);
    if (numbers[number] >= 0) return static_cast<size_t>(numbers[number]);
    numbers[number] = static_cast<int32_t>(known_.size());
    Known& group    = known_.emplace_back();
    if (!compared) return known_.size() - 1;
    if (const auto routes = routes_[number]) {
      group.routes  = static_cast<int32_t>(number);
      group.pattern = pattern_of(*routes);
    }
    return known_.size() - 1;
  }

  // Groups have one pattern if their routes have, over links of the same kinds. A link that changes in time equals no
  // other.
  int32_t pattern_of(const GroupRoutes& routes) {
    words_.assign(1, routes.pattern);
    for (const int link : routes.links) {
      const bool changes =
          std::any_of(traces_.begin(), traces_.end(), [link](const LinkTrace& trace) { return trace.link == link; });
      words_.push_back(static_cast<uint64_t>(platform_.link_kind(link)));
      words_.push_back(changes ? static_cast<uint64_t>(link) + 1 : 0);
    }
    const uint32_t number = patterns_.number(words_);
    if (number == made_.size()) made_.emplace_back();
    return static_cast<int32_t>(number);
  }

  // Relays are devices outside the group.
  static bool may_use_relays(const stream::Communication& communication) {
    return communication.kind == collective::Kind::send && communication.algorithm->wants_relays;
  }

  const Made* find_phases(size_t group, const stream::Communication& communication) const {
    const int32_t pattern = known_[group].pattern;
    if (pattern < 0 || may_use_relays(communication)) return nullptr;
    const std::vector<Made>& all = made_[static_cast<size_t>(pattern)];
    const auto found             = std::find_if(all.begin(), all.end(), [&](const Made& made) {
      return made.kind == communication.kind && made.asked == communication.algorithm &&
             made.bytes == communication.bytes && made.start == communication.start;
    });
    return found == all.end() ? nullptr : &*found;
  }

  const collective::AlgorithmDef* add_phases(size_t number, const std::vector<int>& places,
                                             const stream::Communication& communication) {
    Known& group = known_[number];
    if (group.own < 0) {
      group.own = static_cast<int32_t>(own_.size());
      own_.push_back({stream::survey(platform_, places), {}});
    }
    Own& own         = own_[static_cast<size_t>(group.own)];
    const auto first = static_cast<int32_t>(result_.phases.size());
    const auto placed =
        stream::place(platform_, *communication.algorithm, communication.kind, communication.bytes, places, own.ground);
    const auto plan     = placed.algorithm->flows(placed.task);
    const Seconds start = communication.start + plan.start;
    if (start > Seconds(0)) result_.phases.push_back({start, Seconds(0), -1});
    for (const collective::Phase& one : plan.phases) result_.phases.push_back(phase(one, communication, placed, own));
    if (group.pattern >= 0 && !may_use_relays(communication)) {
      const auto count = static_cast<int32_t>(result_.phases.size()) - first;
      made_[static_cast<size_t>(group.pattern)].push_back({communication.kind, communication.algorithm,
                                                           communication.bytes, communication.start, number, first,
                                                           count, placed.algorithm});
    }
    return placed.algorithm;
  }

  // Adds the same phases on the links of another group.
  const collective::AlgorithmDef* copy_phases(const Made& made, size_t number) {
    for (int32_t i = made.first; i < made.first + made.count; ++i) {
      Phase phase = result_.phases[static_cast<size_t>(i)];
      if (phase.load >= 0) phase.load = copy_load(phase.load, made.group, number);
      result_.phases.push_back(std::move(phase));
    }
    return made.algorithm;
  }

  // The load `number` of one group on the links of another. Communications of a group share loads.
  int32_t copy_load(int32_t number, size_t from, size_t to) {
    int32_t& newest = known_[to].copies;
    for (int32_t i = newest; i >= 0; i = copies_[static_cast<size_t>(i)].next) {
      const Copy& copy = copies_[static_cast<size_t>(i)];
      if (copy.load == number && copy.from == from) return copy.copy;
    }
    const std::span<const int> here = links_of(from), there = links_of(to);
    std::vector<std::pair<int, int>> links;
    for (size_t i = 0; i < here.size(); ++i) links.emplace_back(here[i], there[i]);
    std::sort(links.begin(), links.end());
    Load load = result_.loads[static_cast<size_t>(number)];
    for (stream::Crossing& crossing : load.crossings)
      crossing.link = std::lower_bound(links.begin(), links.end(), std::pair(crossing.link, 0))->second;
    std::sort(load.crossings.begin(), load.crossings.end(),
              [](const stream::Crossing& a, const stream::Crossing& b) { return a.link < b.link; });
    copies_.push_back({number, static_cast<uint32_t>(from), number_of(std::move(load)), newest});
    newest = static_cast<int32_t>(copies_.size() - 1);
    return copies_.back().copy;
  }

  std::span<const int> links_of(size_t group) const {
    return routes_[static_cast<size_t>(known_[group].routes)]->links;
  }

  Phase host_phase(stream::HostCopy copy, Bytes bytes, int place) {
    if (!host_routes_) host_routes_.emplace(platform_);
    const bool out             = copy == stream::HostCopy::to_host;
    const platform::Route path = out ? host_routes_->to_host(place) : host_routes_->from_host(place);
    Phase result{platform_.step_latency(path), Seconds(0), -1};
    std::map<int, double> weights;
    for (const int link : path.links) {
      weights[link] += 1;
      result.alone = std::max(result.alone, bytes / platform_.links().like(static_cast<size_t>(link)).payload());
    }
    Load load{{}, 1};
    for (const auto& [link, weight] : weights) load.crossings.push_back({link, weight});
    Course delays;
    for (const ChangedPhase& changed : changing_.phases({{path, false, 1}}))
      delays.push_back({changed.at, changed.near.value()});
    result.delays = only_if_changing(std::move(delays), result.delay.value());
    if (result.alone > Seconds(0)) result.load = number_of(load);
    return result;
  }

  // The link whose bandwidth the work of hosts shares; -1: there is none.
  int cores() {
    if (cores_) return *cores_;
    cores_              = -1;
    const auto is_cores = [](const platform::Link& link) { return link.kind == platform::kCores; };
    const auto& kinds   = platform_.links().kinds();
    if (std::none_of(kinds.begin(), kinds.end(), is_cores)) return -1;
    for (size_t link = 0; link < platform_.links().size(); ++link) {
      if (!is_cores(platform_.links().like(link))) continue;
      if (*cores_ >= 0)
        throw Error("platform " + platform_.name(),
                    "has more than one link of the kind cores; keep one, which the hosts of all devices share");
      cores_ = static_cast<int>(link);
    }
    return *cores_;
  }

  // As if work of one second moved as many bytes as the link of the cores does.
  Phase work_phase(Seconds work, Bytes bytes) {
    const Bytes moved   = work * platform_.links().like(static_cast<size_t>(cores())).payload();
    const double weight = moved / bytes;
    return {Seconds(0), work, number_of(Load{{{cores(), weight}}, weight})};
  }

  Phase phase(const collective::Phase& plan, const stream::Communication& communication, const stream::Placed& placed,
              Own& group) {
    auto known = std::find_if(group.crossed.begin(), group.crossed.end(),
                              [&](const auto& crossed) { return crossed.first.is_of(plan.flows); });
    if (known == group.crossed.end()) {
      group.crossed.emplace_back(crosser_.cross(plan.flows, placed, communication.name), -1);
      known = std::prev(group.crossed.end());
    }
    auto& [crossed, load] = *known;
    const Bytes bytes     = communication.bytes;
    const Seconds filling = plan.head > 0 ? crossed.one_by_one(bytes) : Seconds(0);
    const auto delay      = [&](Seconds near, Seconds far) {
      return plan.near_steps * (plan.near_latency * near) + plan.far_steps * (plan.far_latency * far) +
             plan.head * filling;
    };
    Phase result{delay(crossed.near, crossed.far), crossed.alone(bytes), -1};
    for (const ChangedPhase& changed : crossed.changes)
      result.delays.push_back({changed.at, delay(changed.near, changed.far).value()});
    result.delays = only_if_changing(std::move(result.delays), result.delay.value());
    if (result.alone > Seconds(0) && plan.least > result.alone) {
      result.alone = plan.least;
      result.load  = number_of(
           limited(load < 0 ? load_of(crossed) : result_.loads[static_cast<size_t>(load)], bytes / plan.least));
    } else if (result.alone > Seconds(0)) {
      if (load < 0) {
        Load own          = load_of(crossed);
        crossed.crossings = {};
        load              = number_of(std::move(own));
      }
      result.load = load;
    }
    result.uneven = bytes > Bytes(0) && crossed.uneven;
    return result;
  }

  static Load load_of(const Crossed& crossed) {
    Load load{crossed.crossings, crossed.unit, crossed.limit()};
    for (const ChangedPhase& changed : crossed.changes)
      load.limits.push_back({changed.at, (crossed.unit * changed.pace).value()});
    load.limits = only_if_changing(std::move(load.limits), Load{{}, 0, load.limit}.limit_at(0));
    return load;
  }

  // The load, of which no more than `pace` bytes of the communication move in a second.
  static Load limited(Load load, BytesPerSecond pace) {
    const BytesPerSecond own = load.unit * pace;
    if (load.limit == BytesPerSecond(0) || own < load.limit) load.limit = own;
    for (Timed& one : load.limits) one.value = std::min(one.value, own.value());
    return load;
  }

  // Loads of large groups cross many links, so a table that keeps its own copy of them would be too large.
  int32_t number_of(Load load) {
    Colour hash = mix(load.crossings.size(), load.unit);
    for (const auto& [link, weight] : load.crossings) hash = mix(mix(hash, number(link)), weight);
    const auto [first, last] = loads_.equal_range(hash);
    const auto found         = std::find_if(first, last, [&](const auto& entry) {
      const Load& other = result_.loads[static_cast<size_t>(entry.second)];
      return other.unit == load.unit && other.limit == load.limit && other.limits == load.limits &&
             std::equal(other.crossings.begin(), other.crossings.end(), load.crossings.begin(), load.crossings.end(),
                                [](const auto& a, const auto& b) { return a.link == b.link && a.weight == b.weight; });
    });
    if (found != last) return found->second;
    result_.loads.push_back(std::move(load));
    return loads_.emplace(hash, static_cast<int32_t>(result_.loads.size() - 1))->second;
  }

  const platform::Platform& platform_;
  const std::vector<LinkTrace>& traces_;
  Changing changing_;
  Crosser crosser_;
  GroupRouteTable own_routes_;  // where the caller has none
  GroupRouteTable& routes_;
  std::vector<Known> known_;
  std::vector<int32_t> known_compared_, known_large_;  // into known_, by number in routes_ and in large_; -1: not yet
  std::vector<Own> own_;
  std::vector<Copy> copies_;
  SequenceTable patterns_;
  std::vector<std::vector<Made>> made_;              // by pattern
  SequenceTable large_;                              // groups whose routes are not compared, of their places
  std::optional<platform::HostRoutes> host_routes_;  // made when asked for
  std::optional<int> cores_;                         // as cores(), once it is known
  Footprints result_;
  std::unordered_multimap<Colour, int32_t> loads_;  // by hash, as Footprints::loads
  std::vector<uint64_t> words_;                     // scratch
};

double Load::limit_at(double now) const {
  return value_of(limits, now, limit > BytesPerSecond(0) ? limit.value() : std::numeric_limits<double>::infinity());
}

FootprintMaker::FootprintMaker(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                               GroupRouteTable* routes)
    : work_(std::make_unique<Work>(platform, traces, routes)) {}
FootprintMaker::~FootprintMaker() = default;

int32_t FootprintMaker::add(const stream::Communication& communication, const std::vector<int>& places,
                            int32_t example) {
  return work_->add(communication, places, example);
}

void FootprintMaker::reserve(size_t count) { work_->reserve(count); }

Footprints FootprintMaker::take() && { return work_->take(); }

std::vector<int> places_of(const stream::Program& program, const stream::Instance& instance) {
  std::vector<int> places;
  places.reserve(instance.members.size());
  for (const int32_t member : instance.members) {
    const auto& stream = program.streams[static_cast<size_t>(member)];
    places.push_back(program.devices[static_cast<size_t>(stream.device)].place);
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
      maker.add(program.communications[static_cast<size_t>(instance.communication)], places_of(program, instance),
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
    result.push_back(number < 0 ? nullptr : footprints.distinct[static_cast<size_t>(number)].algorithm);
  return result;
}

std::vector<std::vector<stream::Crossing>> crossings(const Footprints& footprints) {
  std::vector<std::vector<stream::Crossing>> result;
  result.reserve(footprints.loads.size());
  for (const Load& load : footprints.loads) result.push_back(load.crossings);
  return result;
}

}  // namespace foreflow::simulate
