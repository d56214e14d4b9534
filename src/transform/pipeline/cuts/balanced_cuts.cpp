#include <algorithm>
#include <limits>
#include <tuple>

#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {
namespace {

constexpr double kUnreachable = std::numeric_limits<double>::infinity();

const CutPlace kStart{-1, 0, 0, Bytes(0), Bytes(0), 0, Bytes(0)};

// The place with those bytes of weights that replicas and ranks do not shard.
CutPlace with_shards(CutPlace place, const Sharded& sharded) {
  const auto spare = [&](bool is_sharded, Bytes whole, Bytes shard) {
    if (is_sharded) place.weights -= whole - shard / sharded.replicas;
  };
  spare(sharded.weights, place.whole.weights, place.shard.weights);
  spare(sharded.gradients, place.whole.gradients, place.shard.gradients);
  spare(sharded.states, place.whole.states, place.shard.states);
  return place;
}

// Leaves out places that a neighbour dominates: one with as much work before it and no more bytes across it.
std::vector<CutPlace> distinct_places(std::span<const CutPlace> places) {
  std::vector<CutPlace> kept{kStart};
  const double done = places.empty() ? 0 : places.back().seconds * kSameTime;
  for (const CutPlace& place : places) {
    const bool last = place.op == places.back().op;
    const bool same = kept.size() > 1 && place.seconds - kept.back().seconds <= done;
    if (same && !last &&
        std::tuple(kept.back().crossing, kept.back().tensors) < std::tuple(place.crossing, place.tensors))
      continue;
    if (same) kept.pop_back();
    kept.push_back(place);
  }
  return kept;
}

// Room for what rounding takes.
constexpr double kRoom = 1 + 1e-9;

// The bytes of whole weights that a stage has gathered at a time, at most.
Bytes most_gathered(std::span<const CutPlace> places, const Sharded& sharded) {
  if (sharded.units <= 0 || places.empty()) return Bytes(0);
  const CutPlace& last = places.back();
  return sharded.units *
         (sharded.blocks > 0 ? last.whole.weights / sharded.blocks : std::max(sharded.bucket, last.largest));
}

// The memory of a stage between two places: of all but its inputs, and with them.
Bytes own_need(const CutPlace& from, const CutPlace& to, double in_flight, Bytes gathered) {
  return to.weights - from.weights + in_flight * (to.held - from.held) +
         std::min(gathered, to.whole.weights - from.whole.weights);
}
Bytes need(const CutPlace& from, const CutPlace& to, double in_flight, Bytes gathered) {
  return own_need(from, to, in_flight, gathered) + in_flight * from.crossing;
}

// Returns the time that each of the two stages at a cut spends on sending, forward and backward.
double transfer_at(const CutPlace& place, const StageLimits& limits) {
  return 2 * limits.seconds_per_byte * place.crossing.value();
}

// Returns the time of a stage that computes for `work`, with the transfers at both of its ends. One half of them leaves
// the stage and the other arrives, so beside the computes they take half of their time.
double with_transfers(double work, double transfers, const StageLimits& limits) {
  return limits.overlaps_sends ? std::max(work, transfers / 2) : work + transfers;
}

// Returns the times of a stage between two places, at its speed. The forward pass has as large a part of the messages
// as of the computes.
PlaceTime time_between(const CutPlace& from, const CutPlace& to, size_t stage, const StageLimits& limits) {
  const PlaceTime before = from.time_in(limits.variant_of(stage)), upto = to.time_in(limits.variant_of(stage));
  PlaceTime time{upto.seconds - before.seconds, upto.forward - before.forward, upto.messages - before.messages};
  if (limits.speeds.empty() || time.seconds <= 0) return time;
  const double seconds = time.messages + (time.seconds - time.messages) / limits.speeds[stage];
  time.forward *= seconds / time.seconds;
  time.seconds = seconds;
  return time;
}

// Returns the place at which `stage` ends.
const CutPlace& end_of(std::span<const CutPlace> places, const Cuts& cuts, size_t stage) {
  if (stage == cuts.size()) return places.back();
  return *std::lower_bound(places.begin(), places.end(), cuts[stage],
                           [](const CutPlace& place, int32_t op) { return place.op < op; });
}

class Balance {
 public:
  // `places` begin with one before everything.
  Balance(const std::vector<CutPlace>& places, const StageLimits& limits)
      : places_(places),
        limits_(limits),
        gathered_(most_gathered(places, limits.sharded)),
        stages_(limits.shares.size()),
        upto_(stages_ + 1) {
    for (size_t stage = 0; stage < stages_; ++stage)
      upto_[stage + 1] = upto_[stage] + limits.shares[stage] * std::max(1.0, limits.speed_of(stage));
  }

  // Empty where there are none.
  Cuts run() {
    if (!possible()) return {};
    // The slowest stage of the best cuts is seldom much slower than the mean, and few cuts are as good. Cuts that are
    // found to be slower than the limit are a limit for the best ones.
    double all = 0;
    for (size_t stage = 0; stage < stages_; ++stage)
      all = std::max(all, time_between(places_.front(), places_.back(), stage, limits_).seconds);
    all /= *std::min_element(limits_.shares.begin(), limits_.shares.end());
    const double worst = 2 * (all + transfers());
    double limit       = 1.25 * places_.back().seconds / upto_.back();
    double slowest     = fastest(limit);
    while (slowest > limit && limit <= worst) {
      limit   = slowest < kUnreachable ? slowest : 2 * limit;
      slowest = fastest(limit);
    }
    return slowest < kUnreachable ? cheapest(slowest * (1 + kSameTime)) : Cuts();
  }

 private:
  double transfer(size_t place) const {
    const bool end = place == 0 || place + 1 == places_.size();
    return end ? 0 : transfer_at(places_[place], limits_);
  }

  // A lower bound of the time of a stage that grows with its length, over its share.
  double work(size_t from, size_t to, size_t stage) const {
    return time_between(places_[from], places_[to], stage, limits_).seconds / limits_.shares[stage];
  }
  double time(size_t from, size_t to, size_t stage) const {
    return with_transfers(work(from, to, stage), (transfer(from) + transfer(to)) / limits_.shares[stage], limits_);
  }

  bool fits(size_t from, size_t to, size_t stage) const {
    return !limits_.has_memory() ||
           need(places_[from], places_[to], live(stage), gathered_) <= limits_.memory_of(stage);
  }

  // Returns true if any cuts keep all stages within the memory.
  bool possible() const {
    if (!limits_.has_memory()) return true;
    std::vector<bool> before(places_.size()), here;
    before[0] = true;
    for (size_t stage = 0; stage < stages_; ++stage) {
      here.assign(places_.size(), false);
      for (size_t to = 1; to < places_.size(); ++to) {
        // Longer stages need more, but for their inputs.
        for (size_t from = to;
             from-- > 0 && !here[to] &&
             own_need(places_[from], places_[to], live(stage), gathered_) <= limits_.memory_of(stage);)
          here[to] = before[from] && fits(from, to, stage);
      }
      before.swap(here);
    }
    return before.back();
  }
  double live(size_t stage) const { return limits_.in_flight[stage]; }

  // All that stages may spend on transfers, over the smallest share.
  double transfers() const {
    double most = 0;
    for (size_t place = 0; place < places_.size(); ++place) most = std::max(most, transfer(place));
    return 2 * most / *std::min_element(limits_.shares.begin(), limits_.shares.end());
  }

  // The range of possible ends of `stage`: every stage before and after it needs at least one place, and time of at
  // most `limit`.
  size_t first_end(size_t stage, double limit) const {
    if (stage + 1 == stages_) return places_.size() - 1;
    const double least = places_.back().seconds - kRoom * limit * (upto_.back() - upto_[stage + 1]);
    const auto found   = std::lower_bound(places_.begin(), places_.end(), least,
                                          [](const CutPlace& place, double seconds) { return place.seconds < seconds; });
    return std::max(stage + 1, static_cast<size_t>(found - places_.begin()));
  }
  size_t last_end(size_t stage, double limit) const {
    const double most = kRoom * limit * upto_[stage + 1];
    const auto found  = std::upper_bound(places_.begin(), places_.end(), most,
                                         [](double seconds, const CutPlace& place) { return seconds < place.seconds; });
    return std::min(places_.size() - (stages_ - stage), static_cast<size_t>(found - places_.begin()) - 1);
  }

  // The time of the slowest stage, at best; unreachable where it is more than `limit`.
  double fastest(double limit) const {
    std::vector<double> before(places_.size(), kUnreachable), here;
    before[0] = 0;
    for (size_t stage = 0; stage < stages_; ++stage) {
      here.assign(places_.size(), kUnreachable);
      for (size_t to = first_end(stage, limit), last = last_end(stage, limit); to <= last; ++to) {
        for (size_t from = to; from-- > stage && work(from, to, stage) < std::min(here[to], kRoom * limit);) {
          if (before[from] < here[to] && fits(from, to, stage))
            here[to] = std::min(here[to], std::max(before[from], time(from, to, stage)));
        }
      }
      before.swap(here);
    }
    return before.back();
  }

  struct Cost {
    double idle = kUnreachable;  // number of stages
    Bytes crossing{kUnreachable};
    double squares                      = kUnreachable;  // of the stages' times
    auto operator<=>(const Cost&) const = default;
  };

  // The best cuts among those that make no stage slower than `slowest`.
  Cuts cheapest(double slowest) const {
    std::vector<Cost> before(places_.size()), here;
    std::vector<std::vector<size_t>> from_of(stages_, std::vector<size_t>(places_.size()));
    before[0] = {0, Bytes(0), 0};
    for (size_t stage = 0; stage < stages_; ++stage) {
      here.assign(places_.size(), Cost());
      for (size_t to = first_end(stage, slowest), last = last_end(stage, slowest); to <= last; ++to) {
        for (size_t from = to; from-- > stage && work(from, to, stage) <= slowest;) {
          const double seconds = time(from, to, stage);
          if (before[from].squares == kUnreachable || seconds > slowest || !fits(from, to, stage)) continue;
          // A stage that waits for messages has no room for more computes.
          const double busy = limits_.overlaps_sends ? work(from, to, stage) : seconds;
          const Cost cost{before[from].idle + (busy < kIdleStage * slowest ? 1 : 0),
                          before[from].crossing + places_[from].crossing, before[from].squares + busy * busy};
          if (!(cost < here[to])) continue;
          here[to]           = cost;
          from_of[stage][to] = from;
        }
      }
      before.swap(here);
    }
    Cuts cuts;
    size_t end = places_.size() - 1;
    for (size_t stage = stages_; stage-- > 1;) {
      end = from_of[stage][end];
      cuts.push_back(places_[end].op);
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  const std::vector<CutPlace>& places_;
  const StageLimits& limits_;
  const Bytes gathered_;
  const size_t stages_;
  // [n]: the most seconds, as places have them, that the first n stages do in a second: the sum of their shares, times
  // their speeds where these shorten what they compute.
  std::vector<double> upto_;
};

}  // namespace

std::vector<double> StageLimits::shares_of_flop() const {
  std::vector<double> all = shares;
  for (size_t stage = 0; stage < all.size(); ++stage) all[stage] *= speed_of(stage);
  return all;
}

StageLimits without_memory(StageLimits limits) {
  limits.memory.clear();
  limits.in_flight.clear();
  limits.sharded = {};
  return limits;
}

namespace {

// The places that `balanced_cuts` chooses from, after one before everything; empty: they are too few.
std::vector<CutPlace> ends_among(std::span<const CutPlace> places, const StageLimits& limits) {
  std::vector<CutPlace> ends = distinct_places(places);
  if (ends.size() <= limits.shares.size()) {
    ends.resize(1);
    ends.insert(ends.end(), places.begin(), places.end());
  }
  if (ends.size() <= limits.shares.size()) return {};
  for (CutPlace& end : ends) end = with_shards(end, limits.sharded);
  return ends;
}

}  // namespace

Cuts balanced_within_memory(std::span<const CutPlace> places, const StageLimits& limits) {
  const std::vector<CutPlace> ends = ends_among(places, limits);
  return ends.empty() ? Cuts() : Balance(ends, limits).run();
}

Cuts balanced_cuts(std::span<const CutPlace> places, const StageLimits& limits) {
  Cuts within = balanced_within_memory(places, limits);
  return !within.empty() || !limits.has_memory() ? within : balanced_within_memory(places, without_memory(limits));
}

std::vector<double> seconds_between(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits) {
  std::vector<double> all;
  double received      = 0;
  const CutPlace* from = &kStart;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const CutPlace& to = end_of(places, cuts, stage);
    const double sent  = stage == cuts.size() ? 0 : transfer_at(to, limits);
    const double work  = time_between(*from, to, stage, limits).seconds;
    all.push_back(with_transfers(work, received + sent, limits) / limits.shares[stage]);
    received = sent;
    from     = &to;
  }
  return all;
}

double slowest_stage(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits) {
  const std::vector<double> seconds = seconds_between(places, cuts, limits);
  return *std::max_element(seconds.begin(), seconds.end());
}

std::vector<double> forward_parts_between(std::span<const CutPlace> places, const Cuts& cuts,
                                          const StageLimits& limits) {
  std::vector<double> parts;
  const CutPlace* from = &kStart;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const CutPlace& to   = end_of(places, cuts, stage);
    const PlaceTime time = time_between(*from, to, stage, limits);
    parts.push_back(time.seconds > 0 ? time.forward / time.seconds : 0);
    from = &to;
  }
  return parts;
}

std::vector<Bytes> needs_between(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits) {
  const Bytes gathered = most_gathered(places, limits.sharded);
  std::vector<Bytes> needs;
  CutPlace from = kStart;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const CutPlace to = with_shards(end_of(places, cuts, stage), limits.sharded);
    needs.push_back(need(from, to, limits.in_flight[stage], gathered));
    from = to;
  }
  return needs;
}

bool fit(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits) {
  const std::vector<Bytes> needs = needs_between(places, cuts, limits);
  for (size_t stage = 0; stage < needs.size(); ++stage) {
    if (needs[stage] > limits.memory_of(stage)) return false;
  }
  return true;
}

}  // namespace foreflow::transform
