// An independent implementation of the engine `simgrid`, to check it: an actor for each stream, and SimGrid's own
// communications over routes that list every link that a phase crosses, as often as its messages cross it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/process.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/engines/simgrid_settings.h"
#include "simulate/engines/simulation_result.h"
#include "simulate/network/external_events.h"
#include "simulate/streams/stuck.h"

namespace foreflow::simulate::definitions::simgrid_flows_engine {
namespace {

namespace s4u = simgrid::s4u;

constexpr Bytes kEndless(std::numeric_limits<double>::infinity());

// Messages of SimGrid have a whole number of bytes. Sizes and bandwidths are therefore scaled up by the largest factor
// at which a double still represents the largest message exactly; the rounding error is then 2^-52 of that message.
double parts_per_byte(const Footprints& footprints, const Disturbances& disturbances) {
  Bytes largest(0);
  for (const Background& one : disturbances.background)
    if (one.bytes < kEndless) largest = std::max(largest, one.bytes);
  for (const Footprint& footprint : footprints.distinct) {
    for (const Phase& phase : footprints.phases_of(footprint)) {
      if (phase.load < 0) continue;
      largest = std::max(largest, nth(footprints.loads, phase.load).unit * footprint.bytes);
    }
  }
  return largest > Bytes(0) ? std::exp2(52 - std::ceil(std::log2(largest.value()))) : 1;
}

// Exists only in the child process.
class Simulation {
 public:
  Simulation(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
             const ComputeTimes& times, const Disturbances& disturbances)
      : program_(program),
        footprints_(footprints),
        platform_(platform),
        times_(times),
        disturbances_(disturbances),
        parts_(parts_per_byte(footprints, disturbances)) {
    for (const stream::Instance& instance : program.instances)
      meetings_.push_back({static_cast<int>(instance.members.size()), 0, 0, 0, 0});
    build();
  }

  SimulationResult run() {
    s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { finish(activity); });
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      actors_.push_back(s4u::Actor::create(program_.streams[i].name, hosts_.front(), [this, i] { play(i); }));
      waiting_for_.push_back(kNothing);
    }
    for (const LinkTrace& trace : disturbances_.links) {
      for (const LinkStep& change : trace.changes) {
        const auto link = static_cast<size_t>(trace.link);
        at(change.at, [this, link, factor = change.factor] { degrade(link, factor); });
      }
    }
    for (size_t load = 0; load < footprints_.loads.size(); ++load) {
      for (const Timed& one : footprints_.loads[load].limits)
        at(Seconds(one.at), [this, load, now = one.at] { limit(load, now); });
    }
    for (size_t i = 0; i < disturbances_.background.size(); ++i)
      at(disturbances_.background[i].first, [this, i] { send_foreign(i, disturbances_.background[i].first); });
    simgrid_.engine().run();
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      if (waiting_for_[i] != kDone) refuse_stuck(i);
    }
    for (const InstanceState& meeting : meetings_) {
      result_.starts.push_back(meeting.start);
      result_.ends.push_back(meeting.clock);
    }
    return std::move(result_);
  }

 private:
  static constexpr int kNothing = -1, kDone = -2;
  static constexpr double kAlmostNothing = 1e-30;  // SimGrid ignores a bandwidth of 0
  static constexpr double kAnyRate       = 1e18;

  // An instance of a communication, while its members arrive and its phases run.
  struct InstanceState {
    int missing;
    double start;  // the latest arrival
    double clock;  // the end of the phases that are over
    int phase;     // the current or next one
    double begun;  // start time of its flow
  };

  struct Flow {
    size_t instance;
    s4u::CommPtr keep;
  };

  // Hosts are only names for the ends of routes: load r leads from host r / n to host r % n.
  void build() {
    s4u::NetZone* zone = s4u::create_full_zone("network");
    const size_t count = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(footprints_.loads.size())))) + 1;
    for (size_t i = 0; i < count; ++i) hosts_.push_back(zone->create_host(fmt::format("h{}", i), 1e9)->seal());
    links_.resize(platform_.links().size(), nullptr);
    for (size_t load = 0; load < footprints_.loads.size(); ++load) {
      std::vector<s4u::LinkInRoute> crossed = limiter(zone, load);
      for (const auto& [link, weight] : footprints_.loads[load].crossings) {
        const auto index = static_cast<size_t>(link);
        if (platform_.links().like(index).fat) continue;
        if (links_[index] == nullptr) links_[index] = make_link(zone, fmt::format("l{}", index), bandwidth(index));
        const auto messages = std::llround(weight / footprints_.loads[load].unit);
        crossed.insert(crossed.end(), static_cast<size_t>(messages), s4u::LinkInRoute(links_[index]));
      }
      zone->add_bypass_route(source(load)->get_netpoint(), target(load)->get_netpoint(), nullptr, nullptr, crossed);
    }
    zone->seal();
  }
  size_t first_foreign() const { return footprints_.loads.size() - disturbances_.background.size(); }

  // A link that limits each flow by itself: in place of the fat pipes on its way, or as the flow of others asks for.
  std::vector<s4u::LinkInRoute> limiter(s4u::NetZone* zone, size_t load) {
    limiters_.push_back(nullptr);
    if (!footprints_.loads[load].is_limited() && std::isinf(limit_at(load, 0))) return {};
    s4u::Link* link  = zone->create_link(fmt::format("limit{}", load), limit_at(load, 0) * parts_);
    limiters_.back() = link->set_latency(0)->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->seal();
    return {s4u::LinkInRoute(limiters_.back())};
  }
  // The limit of each flow of the load; SimGrid has no infinite bandwidth.
  double limit_at(size_t load, double now) const {
    double limit = footprints_.loads[load].limit_at(now);
    if (load >= first_foreign()) {
      const BytesPerSecond own = disturbances_.background[load - first_foreign()].limit;
      if (own > BytesPerSecond(0)) limit = std::min(limit, own.value());
    }
    if (std::isinf(limit) && footprints_.loads[load].is_limited()) return kAnyRate;
    return std::max(limit, kAlmostNothing);
  }

  s4u::Link* make_link(s4u::NetZone* zone, const std::string& name, BytesPerSecond bandwidth) const {
    return zone->create_link(name, bandwidth.value() * parts_)->set_latency(0)->seal();
  }
  BytesPerSecond bandwidth(size_t link) const { return platform_.links()[link].payload(); }
  s4u::Host* source(size_t load) const { return hosts_[load / hosts_.size()]; }
  s4u::Host* target(size_t load) const { return hosts_[load % hosts_.size()]; }

  // At time 0 the clock may be a little further already (simgrid_kernel.cpp).
  template <class Action>
  static void at(Seconds time, Action action) {
    simgrid::kernel::timer::Timer::set(std::max(time.value(), s4u::Engine::get_clock()), std::move(action));
  }

  void degrade(size_t link, double factor) {
    if (links_[link] == nullptr) return;
    links_[link]->set_bandwidth(std::max(factor, kAlmostNothing) * bandwidth(link).value() * parts_);
    release_bounds();
  }
  void limit(size_t load, double now) {
    limiters_[load]->set_bandwidth(limit_at(load, now) * parts_);
    release_bounds();
  }
  void release_bounds() {
    // Flows keep the bandwidth of the moment when they began as their limit.
    for (simgrid::kernel::resource::Model* model : simgrid_.engine().get_all_models()) {
      for (simgrid::kernel::resource::Action& action : *model->get_started_action_set()) action.set_bound(-1);
    }
  }

  void send_foreign(size_t number, Seconds now) {
    if (done_ == program_.streams.size()) return;
    const Background& background = disturbances_.background[number];
    const size_t load            = first_foreign() + number;
    const s4u::CommPtr flow      = s4u::Comm::sendto_init(source(load), target(load));
    const Bytes bytes            = std::min(background.bytes, Bytes(std::exp2(62) / parts_));
    flow->set_payload_size(static_cast<uint64_t>(std::llround(bytes.value() * parts_)));
    std::erase_if(foreign_, [](const s4u::CommPtr& one) { return one->get_state() == s4u::Activity::State::FINISHED; });
    if (foreign_.size() == kMostForeign) refuse_flood(static_cast<int32_t>(number));
    foreign_.push_back(flow);
    flow->start();
    const Seconds again = now + background.period;
    if (background.period > Seconds(0) && again < background.until)
      at(again, [this, number, again] { send_foreign(number, again); });
  }

  // The life of one stream; runs in its actor.
  void play(size_t stream) {
    const auto& [name, device, items, repeated, begins] = program_.streams[stream];

    double clock = begins.value();
    stream::HostClock host(begins);
    for (size_t i = 0; i < items.size(); ++i) {
      const auto instance = static_cast<size_t>(items[i].instance);
      if (items[i].instance < 0) {
        clock = times_.run(static_cast<int32_t>(stream), i, items[i], clock, host).end;
      } else if (footprints_.of_instance[instance] < 0) {
        clock = hand_over(stream, instance, items[i], clock, host);
      } else {
        clock = meet(stream, instance, host.arrive(times_.issue(items[i]), clock));
        host.ended(times_.issue(items[i]), clock);
      }
    }
    waiting_for_[stream] = kDone;
    if (++done_ < program_.streams.size()) return;
    for (const s4u::CommPtr& flow : foreign_) flow->cancel();
  }

  double hand_over(size_t stream, size_t instance, const stream::Item& item, double clock, stream::HostClock& host) {
    InstanceState& meeting = meetings_[instance];
    const auto& members    = program_.instances[instance].members;
    if (static_cast<size_t>(members[0]) == stream) {
      meeting.start   = host.arrive(times_.issue(item), clock);
      meeting.missing = 0;
      if (nth(waiting_for_, members[1]) == static_cast<int>(instance)) nth(actors_, members[1])->resume();
      return clock;
    }
    waiting_for_[stream] = static_cast<int>(instance);
    if (meeting.missing > 0) s4u::this_actor::suspend();
    const double end = std::max(clock, meeting.start);
    host.ended(times_.issue(item), end);
    return end;
  }

  double meet(size_t stream, size_t instance, double clock) {
    waiting_for_[stream]   = static_cast<int>(instance);
    InstanceState& meeting = meetings_[instance];
    meeting.clock = meeting.start = std::max(meeting.start, clock);
    if (--meeting.missing > 0 || !ends_at_once(instance)) {
      s4u::this_actor::suspend();
    } else {
      for (const int32_t member : program_.instances[instance].members) {
        const s4u::ActorPtr& actor = nth(actors_, member);
        if (actor.get() != s4u::Actor::self()) actor->resume();
      }
    }
    return meeting.clock;
  }

  // Continues with the phases. True when the end is known; false when a flow decides it.
  bool ends_at_once(size_t instance) {
    InstanceState& meeting     = meetings_[instance];
    const Footprint& footprint = footprints_.of(instance);
    for (; meeting.phase < footprint.count; ++meeting.phase) {
      const Phase& phase = nth(footprints_.phases_of(footprint), meeting.phase);
      meeting.clock += phase.delay_at(meeting.clock);
      if (phase.load < 0) continue;
      meeting.begun = meeting.clock;
      at(Seconds(meeting.clock), [this, instance] { start_flow(instance); });
      return false;
    }
    return true;
  }

  const Phase& phase(size_t instance) const {
    return nth(footprints_.phases_of(footprints_.of(instance)), meetings_[instance].phase);
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
    InstanceState& meeting = meetings_[instance];
    const Phase& done      = phase(instance);
    meeting.clock          = s4u::Engine::get_clock();
    result_.flows.push_back({static_cast<int32_t>(instance), meeting.phase, done.load, Seconds(meeting.begun),
                             Seconds(meeting.clock), done.alone});
    ++meeting.phase;
    if (!ends_at_once(instance)) return;
    for (const int32_t member : program_.instances[instance].members) nth(actors_, member)->resume();
  }

  [[noreturn]] void refuse_stuck(size_t stream) const {
    const int instance = waiting_for_[stream];
    const auto& items  = program_.streams[stream].items;
    const auto item =
        std::find_if(items.begin(), items.end(), [&](const stream::Item& one) { return one.instance == instance; });
    for (const int32_t member : nth(program_.instances, instance).members) {
      if (nth(waiting_for_, member) == instance) continue;
      refuse_to_wait(program_, stream, static_cast<size_t>(item - items.begin()), static_cast<size_t>(member));
    }
    FOREFLOW_CHECK(false, "a flow of SimGrid never ends");
    std::abort();
  }

  const stream::Program& program_;
  const Footprints& footprints_;
  const platform::Platform& platform_;
  const ComputeTimes& times_;
  const Disturbances& disturbances_;
  const double parts_;
  SimGrid simgrid_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::Link*> links_;                         // as the platform's; null: nothing crosses it
  std::vector<s4u::Link*> limiters_;                      // by load; null: nothing limits it by itself
  std::vector<s4u::ActorPtr> actors_;                     // by stream
  std::vector<int> waiting_for_;                          // by stream: an instance, kNothing yet, or kDone
  size_t done_ = 0;                                       // streams
  std::vector<InstanceState> meetings_;                   // by instance
  std::unordered_map<const s4u::Activity*, Flow> flows_;  // that are running
  std::vector<s4u::CommPtr> foreign_;                     // flows of others
  std::vector<s4u::CommPtr> finished_;                    // SimGrid still uses them when it says that they end
  SimulationResult result_;
};

// SimGrid would wait for a flow over a link that is down for as long as background traffic advances its clock.
void refuse_lasting_failures(const Disturbances& disturbances, const platform::Platform& platform) {
  for (const LinkTrace& trace : disturbances.links) {
    if (trace.changes.empty() || trace.changes.back().factor > 0) continue;
    throw PartError("engine simgrid_flows", "does not notice what never ends because link " +
                                                nth(platform.links(), trace.link).name +
                                                " is down for good; let its trace repair it, or use engine simgrid");
  }
}

void check_followed(const Options& options) {
  if (options.coupling == Coupling::credit || options.coupling == Coupling::stepwise)
    throw PartError("engine simgrid_flows", "knows the coupling \"coupled\" only; use engine simgrid");
  if (options.shares_processors())
    throw PartError("engine simgrid_flows", "slows no computes beside collectives; use engine simgrid, or 0 channels");
}

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  check_followed(options);
  check(options.disturbances, platform);
  refuse_lasting_failures(options.disturbances, platform);
  const ComputeTimes times(program, platform, options.disturbances);
  Footprints prints = footprints(program, platform, options.disturbances.links);
  sources(options.disturbances, platform, prints);
  const auto message              = run_in_child("simgrid_flows", [&] {
    return to_message(Simulation(program, prints, platform, times, options.disturbances).run());
  });
  const Participants participants = all_participants(program, prints);
  return timeline_of(from_message(message), {program, participants, prints, times, options}, platform);
}

}  // namespace

EngineDef row() {
  return {"simgrid_flows",
          "as simgrid, by actors and SimGrid's own communications: slower, for comparison",
          simulate,
          nullptr,
          true,
          false,
          check_followed};
}

}  // namespace foreflow::simulate::definitions::simgrid_flows_engine
