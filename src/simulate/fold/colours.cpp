#include "simulate/fold/colours.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "simulate/fold/colour_table.h"

namespace foreflow::simulate {
namespace {

// The millions of instances are visited in another order than they are stored in. Fetching each one this many stops
// before it is needed hides the latency of memory.
constexpr size_t kStopsAhead = 24;

class Refinement {
 public:
  Refinement(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
             const Disturbances& disturbances)
      : program_(program), footprints_(footprints) {
    begin_streams(disturbances);
    begin_links(platform, disturbances);
    for (const Footprint& footprint : footprints.distinct)
      of_footprints_.push_back(colour_of(footprints, footprint, 2));
  }

  // Nothing when there turn out to be more than `most` different streams.
  std::optional<Colours> run(size_t most) && {
    if (count_different(colours_.streams) > most) return {};
    // First by the set of communications between streams, and their links. There are few of these, but a difference
    // spreads by one stream a round, so there are as many rounds as a pipeline has stages.
    repeat([this] {
      meet();
      see_links();
    });
    if (count_different(colours_.streams) > most) return {};
    // Then by their order. Few differences are left, so there are few rounds.
    repeat([this] {
      see_instances();
      see_links();
      see_streams();
    });
    return std::move(colours_);
  }

 private:
  // An item of a stream that is a communication.
  struct Stop {
    int32_t instance;
    int32_t item;
    bool signals;
  };

  template <class Round>
  void repeat(const Round& round) {
    size_t before = 0;
    for (size_t now = count(); now > before; now = count()) {
      before = now;
      round();
    }
  }

  size_t count() const {
    return count_different(colours_.streams) + count_different(colours_.links) + count_different(of_footprints_);
  }

  void begin_streams(const Disturbances& disturbances) {
    size_t stops = 0;
    for (const stream::Instance& instance : program_.instances) stops += instance.members.size();
    stops_.reserve(stops);
    first_stop_.push_back(0);
    const std::vector<int32_t> signalling = signalling_streams();
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      const std::vector<stream::Item>& items = program_.streams[s].items;
      Colour colour                          = 0;
      const int place                        = nth(program_.devices, program_.streams[s].device).place;
      for (size_t i = 0; i < disturbances.slowdowns.size(); ++i) {
        if (disturbances.slowdowns[i].device == place) colour = mix(colour, number(static_cast<int64_t>(i)));
      }
      for (size_t i = 0; i < items.size(); ++i) {
        if (i + kStopsAhead < items.size() && items[i + kStopsAhead].instance >= 0)
          __builtin_prefetch(&nth(signalling, items[i + kStopsAhead].instance));
        colour = mix(colour, number(items[i].instance < 0 ? items[i].event : -1 - items[i].event));
        if (items[i].instance < 0) continue;
        const bool signals = nth(signalling, items[i].instance) == static_cast<int32_t>(s);
        stops_.push_back({items[i].instance, static_cast<int32_t>(i), signals});
      }
      first_stop_.push_back(stops_.size());
      colours_.streams.push_back(colour);
    }
  }

  // Per instance that moves no bytes: its first stream; otherwise none.
  std::vector<int32_t> signalling_streams() const {
    std::vector<int32_t> streams(program_.instances.size(), -1);
    for (size_t i = 0; i < streams.size(); ++i) {
      if (footprints_.of_instance[i] < 0) streams[i] = program_.instances[i].members.front();
    }
    return streams;
  }

  // The instance of a stop a while later, or of the last.
  size_t instance_ahead(size_t stop) const {
    return static_cast<size_t>(stops_[std::min(stop + kStopsAhead, stops_.size() - 1)].instance);
  }

  void begin_links(const platform::Platform& platform, const Disturbances& disturbances) {
    for (size_t link = 0; link < platform.links().size(); ++link) {
      const platform::Link& like = platform.links().like(link);
      colours_.links.push_back(mix(mix(1, like.payload().value()), number(like.fat ? 1 : 0)));
    }
    mix_disturbances(disturbances, footprints_, colours_.links);
  }

  // Refines streams by their footprints and the other streams of their device, and footprints by their members.
  void meet() {
    std::vector<Colour> seen(colours_.streams.size(), 0), of_device(program_.devices.size(), 0);
    for (size_t f = 0; f < footprints_.distinct.size(); ++f) {
      const auto& members = nth(program_.instances, footprints_.distinct[f].example).members;
      Colour sum          = 0;
      for (const int32_t member : members) sum += mix(nth(colours_.streams, member), Colour{4});
      of_footprints_[f] = mix(of_footprints_[f], sum);
      for (const int32_t member : members) nth(seen, member) += of_footprints_[f];
    }
    const auto device = [this](size_t s) { return static_cast<size_t>(program_.streams[s].device); };
    for (size_t s = 0; s < seen.size(); ++s) of_device[device(s)] += mix(colours_.streams[s], Colour{5});
    for (size_t s = 0; s < seen.size(); ++s)
      colours_.streams[s] = mix(mix(colours_.streams[s], seen[s]), of_device[device(s)]);
  }

  // Refines instances by their members, and by the position of the instance in each of them.
  void see_instances() {
    colours_.instances.assign(program_.instances.size(), 0);
    for (size_t s = 0; s < colours_.streams.size(); ++s) {
      for (size_t i = first_stop_[s]; i < first_stop_[s + 1]; ++i) {
        __builtin_prefetch(&colours_.instances[instance_ahead(i)], 1);
        const auto& [instance, item, signals] = stops_[i];
        nth(colours_.instances, instance) += mix(mix(colours_.streams[s], number(item)), number(signals));
      }
    }
    for (size_t i = 0; i < program_.instances.size(); ++i) {
      if (footprints_.of_instance[i] < 0) continue;
      Colour& colour = nth(of_footprints_, footprints_.of_instance[i]);
      colour         = mix(colour, colours_.instances[i]);
    }
  }

  // The footprints that cross each link, and the links that each footprint crosses.
  void see_links() {
    std::vector<Colour> links(colours_.links.size(), 0);
    for (size_t f = 0; f < footprints_.distinct.size(); ++f) {
      Colour all   = 0;
      Colour phase = of_footprints_[f];
      for (const Phase& one : footprints_.phases_of(footprints_.distinct[f])) {
        phase = mix(phase, Colour{3});
        if (one.load < 0) continue;
        for (const auto& [link, weight] : nth(footprints_.loads, one.load).crossings) {
          const Colour seen = mix(phase, weight);
          nth(links, link) += seen;
          all += mix(seen, nth(colours_.links, link));
        }
      }
      of_footprints_[f] = mix(of_footprints_[f], all);
    }
    for (size_t link = 0; link < links.size(); ++link) colours_.links[link] = mix(colours_.links[link], links[link]);
  }

  void see_streams() {
    for (size_t s = 0; s < colours_.streams.size(); ++s) {
      Colour& colour = colours_.streams[s];
      for (size_t i = first_stop_[s]; i < first_stop_[s + 1]; ++i) {
        const size_t ahead = instance_ahead(i);
        __builtin_prefetch(&colours_.instances[ahead]);
        __builtin_prefetch(&footprints_.of_instance[ahead]);
        const auto instance     = static_cast<size_t>(stops_[i].instance);
        const int32_t footprint = footprints_.of_instance[instance];
        colour                  = mix(colour, colours_.instances[instance]);
        if (footprint >= 0) colour = mix(colour, nth(of_footprints_, footprint));
      }
    }
  }

  const stream::Program& program_;
  const Footprints& footprints_;
  Colours colours_;
  std::vector<Colour> of_footprints_;
  std::vector<Stop> stops_;  // stream by stream
  std::vector<size_t> first_stop_;
};

}  // namespace

namespace {

Colour colour_of(const Load& load, Colour colour) {
  colour = mix(mix(colour, load.unit), load.limit.value());
  for (const auto& [at, limit] : load.limits) colour = mix(mix(colour, at), limit);
  return colour;
}

Colour colour_of(const Footprints& footprints, const RelayPlan& relay, Colour colour) {
  const auto& [steps, slices, under_way, ahead] = relay.shape;
  for (const int32_t count : {steps, slices, under_way, ahead}) colour = mix(colour, number(count));
  colour = mix(colour, relay.latency.value());
  for (const auto& [at, latency] : relay.latencies) colour = mix(mix(colour, at), latency);
  for (const int32_t hops : relay.rings) colour = mix(colour, number(hops));
  for (const int32_t hop : relay.loads) colour = colour_of(nth(footprints.loads, hop), colour);
  return colour;
}

}  // namespace

Colour colour_of(const Footprints& footprints, const Footprint& footprint, Colour colour) {
  colour = mix(colour, footprint.bytes.value());
  for (const Phase& phase : footprints.phases_of(footprint)) {
    colour = mix(mix(colour, phase.delay.value()), phase.alone.value());
    for (const auto& [at, delay] : phase.delays) colour = mix(mix(colour, at), delay);
    if (phase.load >= 0) colour = colour_of(nth(footprints.loads, phase.load), colour);
    if (phase.relay >= 0) colour = colour_of(footprints, nth(footprints.relays, phase.relay), colour);
  }
  return colour;
}

void mix_disturbances(const Disturbances& disturbances, const Footprints& footprints, std::vector<Colour>& links) {
  for (size_t i = 0; i < disturbances.links.size(); ++i) {
    Colour& colour = nth(links, disturbances.links[i].link);
    colour         = mix(colour, number(static_cast<int64_t>(i)));
  }
  const size_t own = footprints.loads.size() - disturbances.background.size();
  for (size_t load = own; load < footprints.loads.size(); ++load) {
    for (const auto& [link, weight] : footprints.loads[load].crossings) {
      Colour& colour = nth(links, link);
      colour         = mix(mix(colour, number(static_cast<int64_t>(load))), weight);
    }
  }
}

size_t count_different(const std::vector<Colour>& colours) {
  ColourTable table;
  for (const Colour colour : colours) table.number_of(colour);
  return table.size();
}

std::optional<Colours> refined_colours(const stream::Program& program, const Footprints& footprints,
                                       const platform::Platform& platform, const Disturbances& disturbances,
                                       size_t most) {
  return Refinement(program, footprints, platform, disturbances).run(most);
}

}  // namespace foreflow::simulate
