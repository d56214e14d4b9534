// Contention by SimGrid: an actor per stream, and one flow per communication over a route that holds every link the
// communication crosses, as often as its messages do; SimGrid shares the links max-min fairly between such flows.
//
// An actor keeps its own clock and enters the kernel only where it must wait, so the cost is per communication and not
// per item. Only the ends of the communications leave the child process: replay() derives everything else.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/process.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/footprint.h"
#include "simulate/link_use.h"
#include "simulate/network.h"
#include "simulate/replay.h"

namespace foreflow::simulate::definitions {
namespace {

namespace s4u = simgrid::s4u;

// Everything that changes SimGrid's results or speed, in one place. Its defaults model wide-area TCP; latency is ours.
std::vector<std::string> settings() {
  return {
      "simgrid",
      "--cfg=network/model:CM02",       // bandwidth as stated, no correction factors
      "--cfg=network/crosstraffic:no",  // links are per direction
      "--cfg=network/TCP-gamma:0",      // no window limit
      "--cfg=surf/precision:1e-12",     // the default would merge events within a nanosecond
      "--cfg=contexts/stack-size:64",   // KiB; actors are shallow
      "--cfg=contexts/guard-size:0",    // else 32 thousand actors exhaust the memory maps of a process
      "--log=root.thresh:critical",
  };
}

// SimGrid's messages have whole numbers of bytes. We send parts of bytes, as many to a byte as doubles can count in the
// largest message, and give the links as much more bandwidth: rounding is then 2^-52 of that message.
double parts_per_byte(const Footprints& footprints) {
  Bytes largest(0);
  for (const Footprint& footprint : footprints.distinct) largest = std::max(largest, footprint.unit * footprint.bytes);
  return largest > Bytes(0) ? std::exp2(52 - std::ceil(std::log2(largest.value()))) : 1;
}

// Lives in the child, which it never leaves: SimGrid allows one engine in a process.
class Simulation {
 public:
  Simulation(const stream::Program& program, const Footprints& footprints, const Network& network)
      : program_(program),
        footprints_(footprints),
        network_(network),
        parts_(parts_per_byte(footprints)),
        arguments_(settings()),
        engine_(make_engine(arguments_)) {
    for (const stream::Compute& compute : program.computes) durations_.push_back(compute.duration.value());
    for (const stream::Instance& instance : program.instances) {
      meetings_.push_back({static_cast<int>(instance.members.size()), 0});
    }
    build();
  }

  // When each instance ends.
  std::vector<double> run() {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { finish(activity); });
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      actors_.push_back(s4u::Actor::create(program_.streams[i].name, hosts_.front(), [this, i] { play(i); }));
      waiting_for_.push_back(-1);
    }
    engine_.run();
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      if (waiting_for_[i] != kDone) report_stuck(i);
    }
    std::vector<double> ends;
    for (const Meeting& meeting : meetings_) ends.push_back(meeting.clock);
    return ends;
  }

 private:
  static constexpr int kDone = -2;

  // Where the members of an instance wait for each other. `clock`: the latest arrival, and at last the end.
  struct Meeting {
    int missing;
    double clock;
  };

  static s4u::Engine make_engine(std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    return s4u::Engine(&count, pointers.data());
  }

  // Hosts are only names for the ends of routes: route r leads from host r / n to host r % n.
  void build() {
    s4u::NetZone* zone = s4u::create_full_zone("network");
    const size_t count = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(network_.routes.size())))) + 1;
    for (size_t i = 0; i < count; ++i) hosts_.push_back(zone->create_host(fmt::format("h{}", i), 1e9)->seal());
    std::vector<s4u::Link*> links;
    for (const BytesPerSecond bandwidth : network_.links) {
      links.push_back(
          zone->create_link(fmt::format("l{}", links.size()), bandwidth.value() * parts_)->set_latency(0)->seal());
    }
    for (size_t route = 0; route < network_.routes.size(); ++route) {
      std::vector<s4u::LinkInRoute> crossed;
      for (const int link : network_.routes[route]) crossed.emplace_back(links[static_cast<size_t>(link)]);
      zone->add_bypass_route(source(route)->get_netpoint(), target(route)->get_netpoint(), nullptr, nullptr, crossed);
    }
    zone->seal();
  }
  s4u::Host* source(size_t route) const { return hosts_[route / hosts_.size()]; }
  s4u::Host* target(size_t route) const { return hosts_[route % hosts_.size()]; }

  // The life of one stream; runs in its actor.
  void play(size_t stream) {
    double clock = 0;
    for (const stream::Item& item : program_.streams[stream].items) {
      if (item.instance < 0) {
        clock += durations_[static_cast<size_t>(item.event)];
        continue;
      }
      waiting_for_[stream] = item.instance;
      Meeting& meeting     = meetings_[static_cast<size_t>(item.instance)];
      meeting.clock        = std::max(meeting.clock, clock);
      if (--meeting.missing > 0 || !depart(static_cast<size_t>(item.instance))) s4u::this_actor::suspend();
      clock = meeting.clock;
    }
    waiting_for_[stream] = kDone;
  }

  // All have arrived; called by the last. True when the end is known at once, else the flow will tell.
  bool depart(size_t instance) {
    const Footprint& footprint = footprints_.of(instance);
    Meeting& meeting           = meetings_[instance];
    meeting.clock += footprint.delay.value();
    if (footprint.transfer > Seconds(0)) {
      simgrid::kernel::timer::Timer::set(meeting.clock, [this, instance] { start_flow(instance); });
      return false;
    }
    for (const int32_t member : program_.instances[instance].members) {
      const s4u::ActorPtr& actor = actors_[static_cast<size_t>(member)];
      if (actor.get() != s4u::Actor::self()) actor->resume();
    }
    return true;
  }

  void start_flow(size_t instance) {
    finished_.clear();
    const Footprint& footprint = footprints_.of(instance);
    const auto route = static_cast<size_t>(network_.route_of[static_cast<size_t>(footprints_.of_instance[instance])]);
    const s4u::CommPtr flow = s4u::Comm::sendto_init(source(route), target(route));
    flow->set_payload_size(static_cast<uint64_t>(std::llround(footprint.unit * footprint.bytes.value() * parts_)));
    flows_.emplace(flow.get(), Flow{instance, flow});
    flow->start();
  }

  void finish(const s4u::Activity& activity) {
    const auto found = flows_.find(&activity);
    if (found == flows_.end()) return;
    const size_t instance = found->second.instance;
    finished_.push_back(std::move(found->second.keep));
    flows_.erase(found);
    meetings_[instance].clock = s4u::Engine::get_clock();
    for (const int32_t member : program_.instances[instance].members) actors_[static_cast<size_t>(member)]->resume();
  }

  [[noreturn]] void report_stuck(size_t stream) const {
    const int instance  = waiting_for_[stream];
    const auto& members = program_.instances.at(static_cast<size_t>(instance)).members;
    const auto absent   = std::find_if(members.begin(), members.end(), [&](int32_t member) {
      return waiting_for_[static_cast<size_t>(member)] != instance;
    });
    const auto& items   = program_.streams[stream].items;
    const auto item =
        std::find_if(items.begin(), items.end(), [&](const stream::Item& one) { return one.instance == instance; });
    throw Error(
        fmt::format("stream {}, item {}", program_.streams[stream].name, item - items.begin()),
        fmt::format("{} never starts: {} does not arrive; all members must list their communications in one order",
                    program_.communications[static_cast<size_t>(item->event)].name,
                    absent == members.end() ? "the network" : program_.streams[static_cast<size_t>(*absent)].name));
  }

  struct Flow {
    size_t instance;
    s4u::CommPtr keep;
  };

  const stream::Program& program_;
  const Footprints& footprints_;
  const Network& network_;
  const double parts_;
  std::vector<std::string> arguments_;
  s4u::Engine engine_;
  std::vector<s4u::Host*> hosts_;
  std::vector<double> durations_;                         // of each compute
  std::vector<s4u::ActorPtr> actors_;                     // by stream
  std::vector<int> waiting_for_;                          // by stream: an instance; or -1: nothing yet; or kDone
  std::vector<Meeting> meetings_;                         // by instance
  std::unordered_map<const s4u::Activity*, Flow> flows_;  // that are running
  std::vector<s4u::CommPtr> finished_;                    // SimGrid still uses them when it says that they end
};

std::vector<double> doubles(const std::string& bytes) {
  std::vector<double> result(bytes.size() / sizeof(double));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(result.data()));
  return result;
}

stream::Timeline run(const stream::Program& program, const platform::Platform& platform, const Options&) {
  const Footprints prints = footprints(program, platform);
  const Network network   = condense(prints, platform);
  const auto ends         = doubles(run_in_child("simgrid", [&] {
    const auto times = Simulation(program, prints, network).run();
    return std::string(reinterpret_cast<const char*>(times.data()), times.size() * sizeof(double));
  }));
  FOREFLOW_CHECK(ends.size() == program.instances.size(), "the child returned another number of communications");

  std::vector<stream::Flow> flows;
  auto timeline  = replay(program, [&](size_t instance, Seconds start) {
    const Footprint& footprint = prints.of(instance);
    const Seconds begin = start + footprint.delay, end(ends[instance]);
    if (footprint.transfer > Seconds(0))
      flows.push_back({static_cast<int32_t>(instance), 0, prints.of_instance[instance], begin, end, footprint.transfer});
    return end;
  });
  timeline.flows = std::move(flows);
  timeline.loads = loads(prints);
  timeline.links = link_uses(program, timeline, platform.links().size());
  return timeline;
}

}  // namespace

EngineDef simgrid() {
  return {"simgrid", "max-min fair sharing of links between concurrent communications, by SimGrid", run};
}

}  // namespace foreflow::simulate::definitions
