#include "simulate/network/lone_relay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

// Times since the start are one if they differ by no more than this, relatively: a thousand steps later they still
// differ by less than a billionth.
constexpr double kSameTime = 1e-13;

}  // namespace

LoneRelay::LoneRelay(const LoneRelayPlan& plan, double until)
    : plan_(plan),
      until_(until),
      relay_(plan.rings, plan.shape, true),
      traffic_(plan.capacities),
      hops_(plan.routes.size()) {
  relay_.start_all([this](size_t hop, bool first) { send(hop, first); });
  while (!done_ && traffic_.next() < EventQueue::kNever && traffic_.next() <= until_) {
    traffic_.advance([this](const Traffic::Tag& tag, double now) { arrived(static_cast<size_t>(tag.part), now); },
                     [] {}, [](const Traffic::Tag&, double, double) {});
    if (std::exchange(stepped_, false)) skip_steps();
  }
}

void LoneRelay::send(size_t hop, bool first) {
  const double begin = first ? now_ + plan_.latency : now_;
  hops_[hop].start   = std::min(hops_[hop].start, begin);
  traffic_.send(begin, plan_.routes[hop], plan_.amounts[hop], {0, 0, static_cast<int32_t>(hop), false});
}

void LoneRelay::arrived(size_t hop, double now) {
  ++simulated_;
  now_  = now;
  done_ = relay_.arrive(hop, [this](size_t started, bool first) { send(started, first); });
  if (relay_.done(hop)) hops_[hop].end = now;
  if (hop == 0 && relay_.arrived(0) % plan_.shape.slices == 0) stepped_ = true;
}

LoneRelay::State LoneRelay::state() const {
  State result;
  result.now          = now_;
  const int32_t steps = relay_.arrived(0);
  for (size_t hop = 0; hop < hops_.size(); ++hop) {
    result.counts.push_back(relay_.started(hop) - steps);
    result.counts.push_back(relay_.arrived(hop) - steps);
  }
  if (result.counts != last_.counts) return result;  // no need to know more
  traffic_.for_all_legs(now_, [&](const Traffic::Tag& tag, double begin, double left, double rate) {
    result.pieces.push_back({tag.part, begin < 0 ? -1 : begin - now_, left, rate});
  });
  std::sort(result.pieces.begin(), result.pieces.end());
  return result;
}

// True when the state is that of a step before.
bool LoneRelay::repeats(const State& state) const {
  const double rounding = kSameTime * now_;
  return state.counts == last_.counts &&
         std::equal(state.pieces.begin(), state.pieces.end(), last_.pieces.begin(), last_.pieces.end(),
                    [&](const Piece& a, const Piece& b) {
                      return a.hop == b.hop && std::abs(a.begin - b.begin) <= rounding &&
                             std::abs(a.left - b.left) <= std::max(a.rate, b.rate) * rounding;
                    });
}

void LoneRelay::skip_steps() {
  State state = this->state();
  if (repeats(state)) {
    int32_t most = 0;  // pieces that a hop has started
    for (size_t hop = 0; hop < hops_.size(); ++hop) most = std::max(most, relay_.started(hop));
    // In the steps that are skipped no hop runs out of pieces.
    const int32_t possible = std::max((plan_.shape.pieces() - most) / plan_.shape.slices - 1, 0);
    const double step      = now_ - last_.now;
    const auto steps       = static_cast<int32_t>(std::min<double>(possible, std::floor((until_ - now_) / step)));
    const double time      = steps * step;
    relay_.skip(steps);
    traffic_.delay(time);
    now_ += time;
    state.now = now_;
  }
  last_ = std::move(state);
}

}  // namespace foreflow::simulate
