// Discrete-event simulation of a program on a network. A communication starts when all its members have arrived; the
// end of a flow starts the next phase or releases the members. Knows nothing of SimGrid: simgrid_kernel.h drives it
// with SimGrid's clock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/engines/simulation_result.h"
#include "simulate/footprint/relay.h"
#include "simulate/network/event_queue.h"
#include "simulate/network/external_events.h"
#include "simulate/network/lone_relay.h"
#include "simulate/network/network.h"
#include "simulate/network/occupancy.h"
#include "simulate/network/traffic.h"
#include "simulate/streams/stream_states.h"

namespace foreflow::simulate {

class NetworkSimulation {
 public:
  // Keeps references: all arguments must outlive the simulation. `courses`: a relay that is alone on its links is not
  // simulated until another flow comes to them (LoneRelay). Under `credit` and `stepwise`, none may come, and no relay
  // may begin on links that others use.
  NetworkSimulation(const SimulationInput& input, const Network& network, const ExternalEvents& external_events,
                    bool courses);

  // True when the simulation has stopped because one did.
  bool mistaken() const { return mistaken_; }

  // Time of the next event in seconds; infinite when there is none.
  double next() const;
  // Processes all events due at next().
  void advance();

  // The result, once no event is left. Throws Error when a stream has not finished.
  SimulationResult take() &&;

 private:
  // The kind of thing that a flow or an alarm stands for, with the meaning of Tag::number and Tag::part.
  enum Kind : int32_t {
    kPhase,   // a whole phase: track, -
    kRelay,   // a relay starts: meeting, phase
    kPiece,   // a slice of a relay: run, hop
    kCourse,  // the end of a relay whose course is known: run, -
    kChange,  // a change of capacity: the next of ExternalEvents::changes, -
    kSource,  // a background flow begins: index into ExternalEvents::sources, -
    kForeign  // a background flow under way: source, its route in paths_
  };

  // A flow of the timeline that is still under way.
  struct Track {
    int32_t meeting;
    int32_t phase;  // index into Footprints::phases
    int32_t load;
    double start = EventQueue::kNever;  // of a hop: that of its first piece
    double pace  = 0;                   // bytes of the communication per second
    std::vector<stream::Pace> paces;
    int32_t path = -1;  // of paths_; -1: nothing limits it by itself
  };

  // A relay (a ring simulated hop by hop) under way.
  struct Run {
    Relay relay;
    int32_t meeting;
    int32_t phase;
    double start;
    std::vector<int32_t> tracks;  // of the hops; none on a known course
  };

  // The course of the relays of a plan where they are alone. It is not known where a link is down, nor where hops share
  // links with each other, which is sensitive to rounding.
  struct Course {
    explicit Course(LoneRelayPlan made) : plan(std::move(made)) {
      if (!plan.shares_links) relay.emplace(plan);
    }
    const LoneRelay* known() const { return relay && relay->done() ? &*relay : nullptr; }

    LoneRelayPlan plan;
    std::optional<LoneRelay> relay;
  };

  // A route with a link of its own, in front, that enforces a rate limit.
  struct Path {
    Network::Route route;
    int32_t load;  // -1: nothing uses it
    double own;    // the limit of the flow itself; infinite: none beside that of its load
  };

  // The links that a flow of the load crosses from `now` on, with one of its own that limits it if fat pipes or windows
  // do. The load's own route when they do not, and `path` is then -1.
  const Network::Route& way(int32_t load, double now, int32_t& path);
  int32_t take_path(int32_t load, double own, double now);
  void free_path(int32_t place);
  void limit(const Path& path, double limit);

  size_t count_flows() const;
  void play();
  // Goes on with the communication from `phase` on. Its end; nothing when flows come first.
  std::optional<double> enter(int32_t meeting, int32_t phase, double now);
  void start_relay(int32_t meeting, int32_t phase, double now);
  // The course of the relay; null when its pieces have to be simulated.
  const LoneRelay* course_of(const Run& run);
  LoneRelayPlan lone_plan(const Run& run) const;
  void end_course(int32_t run, double now);
  // From now on its pieces are simulated. False: it ends now, and keeps its course.
  bool leave_course(int32_t run);
  void record_hop(const Run& run, int32_t load, const LoneRelay::Hop& hop);
  // The relay is not alone on its links any more.
  void meet_others(int32_t run);
  // The links that a piece of the hop crosses.
  const Network::Route& way_of(const Run& run, size_t hop) const;
  // A flow of the load comes to its links, and leaves them. Nobody asks where there are no relays.
  void claim(int32_t load);
  void leave(int32_t load);
  void send_piece(int32_t run, size_t hop, bool first, double now);
  void happened(const Traffic::Tag& tag, double now);
  void piece_arrived(int32_t run, size_t hop, double now);
  void next_phase(int32_t meeting, int32_t phase, double now);
  void set_change_alarm();
  void change(double now);
  void send_foreign(int32_t source, double now);
  void paced(const Traffic::Tag& tag, double change, double now);

  int32_t track(int32_t meeting, int32_t phase, int32_t load, double start);
  // Ends a track: the flow is complete.
  void record(int32_t track, double end);

  const Phase& phase(int32_t index) const { return nth(input_.footprints.phases, index); }
  const Load& load(int32_t index) const { return nth(input_.footprints.loads, index); }
  const Footprint& footprint(int32_t meeting) const {
    return input_.footprints.of(static_cast<size_t>(nth(input_.participants.meetings, meeting).example));
  }
  int32_t route(int32_t load) const { return nth(network_.route_of, load); }
  const Network::Route& crossed(int32_t load) const { return nth(network_.routes, route(load)); }

  const SimulationInput& input_;
  const Network& network_;
  const ExternalEvents& external_;
  StreamStates states_;
  Traffic traffic_;
  std::vector<Track> tracks_;
  std::vector<int32_t> free_tracks_;
  std::deque<Run> runs_;
  std::vector<std::unique_ptr<Course>> courses_;  // by index into Footprints::relays; null: not asked for
  bool with_courses_;
  bool mistaken_ = false;
  Occupancy occupancy_;
  double clock_       = 0;
  size_t next_change_ = 0;
  std::deque<Path> paths_;
  std::vector<int32_t> free_paths_;
  size_t foreign_   = 0;   // background flows under way
  int32_t flooding_ = -1;  // the source that exceeded kMostForeign; -1: none
  SimulationResult result_;
};

}  // namespace foreflow::simulate
