// The same as the engine `simgrid`, worked out by other means to check it: an actor for each stream, and SimGrid's own
// communications over routes that hold every link of the platform that a phase crosses, as often as its messages do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/process.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/performance.h"
#include "simulate/simgrid_settings.h"
#include "simulate/stuck.h"

namespace foreflow::simulate::definitions {
namespace {

namespace s4u = simgrid::s4u;

// SimGrid's messages have whole numbers of bytes. We send parts of bytes, as many to a byte as doubles can count in the
// largest message, and give the links as much more bandwidth: rounding is then 2^-52 of that message.
double parts_per_byte(const Footprints& footprints) {
  Bytes largest(0);
  for (const Footprint& footprint : footprints.distinct) {
    for (const Phase& phase : footprints.phases_of(footprint)) {
      if (phase.load < 0) continue;
      largest = std::max(largest, footprints.loads[static_cast<size_t>(phase.load)].unit * footprint.bytes);
    }
  }
  return largest > Bytes(0) ? std::exp2(52 - std::ceil(std::log2(largest.value()))) : 1;
}

// Lives in the child, which it never leaves.
class Simulation {
 public:
  Simulation(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
             const ComputeTimes& times)
      : program_(program), footprints_(footprints), times_(times), parts_(parts_per_byte(footprints)) {
    for (const stream::Instance& instance : program.instances)
      meetings_.push_back({static_cast<int>(instance.members.size()), 0, 0, 0});
    build(platform);
  }

  Performance run() {
    s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { finish(activity); });
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      actors_.push_back(s4u::Actor::create(program_.streams[i].name, hosts_.front(), [this, i] { play(i); }));
      waiting_for_.push_back(kNothing);
    }
    simgrid_.engine().run();
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      if (waiting_for_[i] != kDone) refuse_stuck(i);
    }
    for (const Meeting& meeting : meetings_) result_.ends.push_back(meeting.clock);
    return std::move(result_);
  }

 private:
  static constexpr int kNothing = -1, kDone = -2;

  // Where the members of an instance wait for each other.
  struct Meeting {
    int missing;
    double clock;  // the latest arrival, then how far the phases have got
    int phase;     // that comes or runs
    double begun;  // when its flow began
  };

  struct Flow {
    size_t instance;
    s4u::CommPtr keep;
  };

  // Hosts are only names for the ends of routes: load r leads from host r / n to host r % n.
  void build(const platform::Platform& platform) {
    s4u::NetZone* zone = s4u::create_full_zone("network");
    const size_t count = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(footprints_.loads.size())))) + 1;
    for (size_t i = 0; i < count; ++i) hosts_.push_back(zone->create_host(fmt::format("h{}", i), 1e9)->seal());
    std::vector<s4u::Link*> links(platform.links().size(), nullptr);
    for (size_t load = 0; load < footprints_.loads.size(); ++load) {
      std::vector<s4u::LinkInRoute> crossed;
      for (const auto& [link, weight] : footprints_.loads[load].crossings) {
        const auto index = static_cast<size_t>(link);
        if (links[index] == nullptr) {
          const double bandwidth = platform.links()[index].payload().value() * parts_;
          links[index]           = zone->create_link(fmt::format("l{}", index), bandwidth)->set_latency(0)->seal();
        }
        const auto messages = std::llround(weight / footprints_.loads[load].unit);
        crossed.insert(crossed.end(), static_cast<size_t>(messages), s4u::LinkInRoute(links[index]));
      }
      zone->add_bypass_route(source(load)->get_netpoint(), target(load)->get_netpoint(), nullptr, nullptr, crossed);
    }
    zone->seal();
  }
  s4u::Host* source(size_t load) const { return hosts_[load / hosts_.size()]; }
  s4u::Host* target(size_t load) const { return hosts_[load % hosts_.size()]; }

  // The life of one stream; runs in its actor.
  void play(size_t stream) {
    double clock      = 0;
    const auto& items = program_.streams[stream].items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].instance < 0) {
        clock = times_.end(static_cast<int32_t>(stream), i, items[i].event, clock);
      } else if (footprints_.of_instance[static_cast<size_t>(items[i].instance)] < 0) {
        clock = hand_over(stream, static_cast<size_t>(items[i].instance), clock);
      } else {
        clock = meet(stream, static_cast<size_t>(items[i].instance), clock);
      }
    }
    waiting_for_[stream] = kDone;
  }

  double hand_over(size_t stream, size_t instance, double clock) {
    Meeting& meeting    = meetings_[instance];
    const auto& members = program_.instances[instance].members;
    if (static_cast<size_t>(members[0]) == stream) {
      meeting.clock   = clock;
      meeting.missing = 0;
      if (waiting_for_[static_cast<size_t>(members[1])] == static_cast<int>(instance))
        actors_[static_cast<size_t>(members[1])]->resume();
      return clock;
    }
    waiting_for_[stream] = static_cast<int>(instance);
    if (meeting.missing > 0) s4u::this_actor::suspend();
    return std::max(clock, meeting.clock);
  }

  double meet(size_t stream, size_t instance, double clock) {
    waiting_for_[stream] = static_cast<int>(instance);
    Meeting& meeting     = meetings_[instance];
    meeting.clock        = std::max(meeting.clock, clock);
    if (--meeting.missing > 0 || !ends_at_once(instance)) {
      s4u::this_actor::suspend();
    } else {
      for (const int32_t member : program_.instances[instance].members) {
        const s4u::ActorPtr& actor = actors_[static_cast<size_t>(member)];
        if (actor.get() != s4u::Actor::self()) actor->resume();
      }
    }
    return meeting.clock;
  }

  // Goes on with the phases. True when the end is known, else a flow will tell.
  bool ends_at_once(size_t instance) {
    Meeting& meeting           = meetings_[instance];
    const Footprint& footprint = footprints_.of(instance);
    for (; meeting.phase < footprint.count; ++meeting.phase) {
      const Phase& phase = footprints_.phases_of(footprint)[static_cast<size_t>(meeting.phase)];
      meeting.clock += phase.delay.value();
      if (phase.load < 0) continue;
      meeting.begun = meeting.clock;
      simgrid::kernel::timer::Timer::set(meeting.clock, [this, instance] { start_flow(instance); });
      return false;
    }
    return true;
  }

  const Phase& phase(size_t instance) const {
    return footprints_.phases_of(footprints_.of(instance))[static_cast<size_t>(meetings_[instance].phase)];
  }

  void start_flow(size_t instance) {
    finished_.clear();
    const auto load         = static_cast<size_t>(phase(instance).load);
    const Bytes message     = footprints_.loads[load].unit * footprints_.of(instance).bytes;
    const s4u::CommPtr flow = s4u::Comm::sendto_init(source(load), target(load));
    flow->set_payload_size(static_cast<uint64_t>(std::llround(message.value() * parts_)));
    flows_.emplace(flow.get(), Flow{instance, flow});
    flow->start();
  }

  void finish(const s4u::Activity& activity) {
    const auto found = flows_.find(&activity);
    if (found == flows_.end()) return;
    const size_t instance = found->second.instance;
    finished_.push_back(std::move(found->second.keep));
    flows_.erase(found);
    Meeting& meeting  = meetings_[instance];
    const Phase& done = phase(instance);
    meeting.clock     = s4u::Engine::get_clock();
    result_.flows.push_back({static_cast<int32_t>(instance), meeting.phase, done.load, Seconds(meeting.begun),
                             Seconds(meeting.clock), done.alone});
    ++meeting.phase;
    if (!ends_at_once(instance)) return;
    for (const int32_t member : program_.instances[instance].members) actors_[static_cast<size_t>(member)]->resume();
  }

  [[noreturn]] void refuse_stuck(size_t stream) const {
    const int instance = waiting_for_[stream];
    const auto& items  = program_.streams[stream].items;
    const auto item    = std::find_if(items.begin(), items.end(),
                                      [&](const stream::Item& one) { return one.instance == instance; });
    for (const int32_t member : program_.instances[static_cast<size_t>(instance)].members) {
      if (waiting_for_[static_cast<size_t>(member)] == instance) continue;
      refuse_to_wait(program_, stream, static_cast<size_t>(item - items.begin()), static_cast<size_t>(member));
    }
    FOREFLOW_CHECK(false, "a flow of SimGrid never ends");
    std::abort();
  }

  const stream::Program& program_;
  const Footprints& footprints_;
  const ComputeTimes& times_;
  const double parts_;
  SimGrid simgrid_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::ActorPtr> actors_;                     // by stream
  std::vector<int> waiting_for_;                          // by stream: an instance, kNothing yet, or kDone
  std::vector<Meeting> meetings_;                         // by instance
  std::unordered_map<const s4u::Activity*, Flow> flows_;  // that are running
  std::vector<s4u::CommPtr> finished_;                    // SimGrid still uses them when it says that they end
  Performance result_;
};

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  const ComputeTimes times(program, options.disturbances);
  const Footprints prints = footprints(program, platform);
  const auto message      = run_in_child("simgrid_flows", [&] {
    return to_message(Simulation(program, prints, platform, times).run());
  });
  const Cast cast = everybody(program);
  return timeline_of(from_message(message), {program, cast, prints, times, options}, platform);
}

}  // namespace

EngineDef simgrid_flows() {
  return {"simgrid_flows", "as simgrid, by actors and SimGrid's own communications: slower, for comparison", simulate};
}

}  // namespace foreflow::simulate::definitions
