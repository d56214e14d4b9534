#include "simulate/network/fair_shares.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

// Rates at one bottleneck that differ by no more than this, relatively, are equal up to rounding.
constexpr double kRounding = 1e-12;

// Rounding slack: by how much a sum of `terms` rates may fall short of a saturated capacity.
double slack(double capacity, size_t terms) { return capacity * 0x1p-50 * static_cast<double>(terms + 4); }

// Number of repair rounds after which the whole connected component is recomputed.
constexpr int kRounds = 6;

}  // namespace

FairShares::FairShares(const std::vector<double>& capacities) {
  links_.reserve(capacities.size());
  for (const double capacity : capacities) links_.push_back({capacity, {}});
}

int32_t FairShares::add(std::span<const Crossing> route) {
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const int32_t number = free_.back();
  free_.pop_back();
  Flow& added      = flow(number);
  added.route      = route;
  added.rate       = 0;
  added.bottleneck = -1;
  added.places.resize(route.size());
  for (size_t i = 0; i < route.size(); ++i) {
    auto& users     = link(route[i].link).users;
    added.places[i] = static_cast<int32_t>(users.size());
    users.push_back({number, static_cast<int32_t>(i), route[i].weight});
  }
  choose(number);
  return number;
}

void FairShares::remove(int32_t number) {
  Flow& removed = flow(number);
  for (size_t i = 0; i < removed.route.size(); ++i) {
    const int32_t crossed = removed.route[i].link;
    auto& users           = link(crossed).users;
    const auto place      = static_cast<size_t>(removed.places[i]);
    users[place]          = users.back();
    users.pop_back();
    if (place < users.size()) nth(flow(users[place].flow).places, users[place].crossing) = static_cast<int32_t>(place);
    for (const User& user : users) {
      if (flow(user.flow).bottleneck == crossed) choose(user.flow);
    }
  }
  removed.route = {};
  left_.push_back(number);
}

void FairShares::set_capacity(int32_t number, double capacity) {
  link(number).capacity = capacity;
  for (const User& user : link(number).users) choose(user.flow);
}

void FairShares::choose(int32_t number) {
  if (std::exchange(flow(number).chosen, true)) return;
  affected_.push_back(number);
}

const std::vector<int32_t>& FairShares::update() {
  forget_left();
  size_t known = 0;
  for (int round = 0; known < affected_.size(); ++round) {
    if (round == kRounds) choose_component();
    touch_links(known);
    known = affected_.size();
    fill();
    choose_broken();
  }
  updated_.swap(affected_);
  affected_.clear();
  for (const int32_t number : updated_) flow(number).chosen = false;
  for (const int32_t number : touched_) link(number).touched = false;
  touched_.clear();
  return updated_;
}

// Gives the numbers of removed flows back, and drops those that other changes had chosen before.
void FairShares::forget_left() {
  if (left_.empty()) return;
  std::erase_if(affected_, [&](int32_t number) { return flow(number).route.empty(); });
  for (const int32_t number : left_) flow(number).chosen = false;
  free_.insert(free_.end(), left_.begin(), left_.end());
  left_.clear();
}

// Notes the links of the affected flows from `first` on.
void FairShares::touch_links(size_t first) {
  for (size_t i = first; i < affected_.size(); ++i) {
    for (const auto& [crossed, weight] : flow(affected_[i]).route) {
      if (!std::exchange(link(crossed).touched, true)) touched_.push_back(crossed);
    }
  }
}

// Progressive filling: of the affected flows, those on the link with the least for each get it and are settled.
void FairShares::fill() {
  for (const int32_t number : affected_) flow(number).open = true;
  queue_.clear();
  for (const int32_t number : touched_) {
    Link& filled  = link(number);
    filled.room   = filled.capacity;
    filled.weight = 0;
    for (const User& user : filled.users) {
      const Flow& crossing = flow(user.flow);
      if (crossing.open) {
        filled.weight += user.weight;
      } else {
        filled.room -= user.weight * crossing.rate;
      }
    }
    if (filled.weight > 0) queue_.emplace_back(filled.room / filled.weight, number);
  }
  std::make_heap(queue_.begin(), queue_.end(), std::greater<>());
  size_t open  = affected_.size();
  double level = 0;  // shares never fall, but for rounding
  while (open > 0) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const auto [share, number] = queue_.back();
    Link& full                 = link(number);
    if (full.weight <= 0) {
      queue_.pop_back();
      continue;
    }
    const double now = full.room / full.weight;
    if (now > share) {  // others that crossed it were held up elsewhere: it comes later
      queue_.back().first = now;
      std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
      continue;
    }
    queue_.pop_back();
    level = std::max(level, now);
    for (const User& user : full.users) {
      Flow& settled = flow(user.flow);
      if (!settled.open) continue;
      settled.open       = false;
      settled.rate       = level;
      settled.bottleneck = number;
      --open;
      for (const auto& [crossed, weight] : settled.route) {
        link(crossed).room -= weight * level;
        link(crossed).weight -= weight;
      }
    }
    full.weight = 0;
  }
}

// Takes in the flows without a bottleneck: whose link is no longer full, or has a faster flow. True when there are any.
bool FairShares::choose_broken() {
  const size_t before = affected_.size();
  for (const int32_t number : touched_) {
    const Link& checked = link(number);
    double carried = 0, fastest = 0, held = -1;  // held: rate of an affected flow whose bottleneck this is
    for (const User& user : checked.users) {
      const Flow& crossing = flow(user.flow);
      carried += user.weight * crossing.rate;
      fastest = std::max(fastest, crossing.rate);
      if (crossing.chosen && crossing.bottleneck == number) held = std::max(held, crossing.rate);
    }
    const bool full = carried >= checked.capacity - slack(checked.capacity, checked.users.size());
    for (const User& user : checked.users) {
      const Flow& crossing = flow(user.flow);
      if (crossing.chosen) continue;
      const bool too_fast = held >= 0 && crossing.rate > held * (1 + kRounding);
      const bool too_slow = crossing.bottleneck == number && (!full || crossing.rate < fastest * (1 - kRounding));
      if (too_fast || too_slow) choose(user.flow);
    }
  }
  return affected_.size() > before;
}

// Takes in all flows that affected ones reach over shared links.
void FairShares::choose_component() {
  size_t links = 0;
  for (size_t i = 0; i < affected_.size() || links < touched_.size();) {
    touch_links(i);
    i = affected_.size();
    for (; links < touched_.size(); ++links) {
      for (const User& user : link(touched_[links]).users) choose(user.flow);
    }
  }
}

}  // namespace foreflow::simulate
