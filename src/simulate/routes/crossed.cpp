#include "simulate/routes/crossed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "simulate/routes/repeated_flows.h"

namespace foreflow::simulate {
namespace {

constexpr int32_t kNotAsked = -1;
constexpr double kRounded   = 1e-9;

// The largest number of which both are multiples. Shares are ratios of small integers, so that what is left of one
// after subtracting the other is either far above the rounding error or zero.
double common_unit(double a, double b) {
  while (b > kRounded) {
    const double rest = std::abs(a - std::round(a / b) * b);
    a                 = b;
    b                 = rest;
  }
  return a;
}

// `crossings` are in the order of links, and so is the result: range by range, and part by part.
std::vector<stream::Crossing> with_images(const std::vector<stream::Crossing>& crossings,
                                          const platform::Rotation& rotation) {
  std::vector<stream::Crossing> all;
  all.reserve(crossings.size() * static_cast<size_t>(rotation.parts()));
  for (size_t begin = 0, end = 0; begin < crossings.size(); begin = end) {
    const int range = rotation.range(crossings[begin].link);
    while (end < crossings.size() && rotation.range(crossings[end].link) == range) ++end;
    all.insert(all.end(), crossings.begin() + static_cast<ptrdiff_t>(begin),
               crossings.begin() + static_cast<ptrdiff_t>(end));
    for (size_t i = (end - begin) * static_cast<size_t>(rotation.parts() - 1); i > 0; --i) {
      const stream::Crossing& before = all[all.size() - (end - begin)];
      all.push_back({rotation.next(before.link), before.weight});
    }
  }
  return all;
}

}  // namespace

bool Crossed::is_of(const std::vector<collective::Flow>& others) const {
  return std::equal(flows.begin(), flows.end(), others.begin(), others.end(), [](const auto& a, const auto& b) {
    return a.from == b.from && a.to == b.to && a.share == b.share;
  });
}

Seconds Crossed::alone(Bytes bytes) const {
  Seconds longest(0);
  for (const auto& [weight, bandwidth] : paces) longest = std::max(longest, weight * bytes / bandwidth);
  for (const auto& [weight, bandwidth] : fat) longest = std::max(longest, weight * bytes / bandwidth);
  return longest;
}

BytesPerSecond Crossed::limit() const {
  BytesPerSecond least(0);
  for (const auto& [weight, bandwidth] : fat) {
    const BytesPerSecond own = unit / weight * bandwidth;
    if (least == BytesPerSecond(0) || own < least) least = own;
  }
  return least;
}

Seconds Crossed::one_by_one(Bytes bytes) const {
  Seconds all(0), longest(0);
  for (const BytesPerSecond bandwidth : slowest) {
    const Seconds hop = bytes / bandwidth;
    all += hop;
    longest = std::max(longest, hop);
  }
  return all - longest;
}

Crosser::Crosser(const platform::Platform& platform, const std::vector<LinkTrace>& traces)
    : platform_(platform),
      changing_(platform, traces),
      sort_of_(platform.links().size(), kNotAsked),
      weights_(platform.links().size(), 0) {
  std::vector<std::string_view> known;  // a few
  for (const platform::Link& link : platform.links().kinds()) {
    const auto number = static_cast<size_t>(std::find(known.begin(), known.end(), link.kind) - known.begin());
    if (number == known.size()) known.emplace_back(link.kind);
    sorts_.push_back({link.payload(), link.step_latency, (number + 1) * 0x9e3779b97f4a7c15u, link.fat});
  }
}

const Crosser::Sort& Crosser::sort(int link) {
  int32_t& known = nth(sort_of_, link);
  if (known == kNotAsked) known = platform_.link_kind(link);
  return nth(sorts_, known);
}

platform::Route Crosser::route(int from, int to, const std::string& name) const {
  platform::Route found = platform_.route(from, to);
  if (!found.exists()) {
    const auto& devices = platform_.devices();
    throw PartError(name, fmt::format("platform {} has no route from {} to {}; add one", platform_.name(),
                                      nth(devices, from).name, nth(devices, to).name));
  }
  return found;
}

void Crosser::add(int link, double weight) {
  double& sum = nth(weights_, link);
  if (sum == 0) touched_.push_back(link);
  sum += weight;
}

// Each message has a fat pipe for itself, as often as it crosses it, and a window.
void Crosser::add_fat(const platform::Route& route, double share, std::vector<Crossed::Pace>& fat) {
  const auto add = [&](double weight, BytesPerSecond bandwidth) {
    const auto known =
        std::find_if(fat.begin(), fat.end(), [&](const Crossed::Pace& pace) { return pace.bandwidth == bandwidth; });
    if (known == fat.end()) {
      fat.push_back({weight, bandwidth});
    } else {
      known->weight = std::max(known->weight, weight);
    }
  };
  const auto& links = route.links;
  for (const int link : links) {
    if (sort(link).fat)
      add(share * static_cast<double>(std::count(links.begin(), links.end(), link)), sort(link).bandwidth);
  }
  if (route.limit > BytesPerSecond(0)) add(share, route.limit);
}

bool Crosser::is_uneven(size_t kinds, BytesPerSecond slowest) {
  for (const auto& [known, bandwidth] : seen_) {
    if (known == kinds) return std::abs((slowest - bandwidth).value()) > kRounded * bandwidth.value();
  }
  seen_.emplace_back(kinds, slowest);
  return false;
}

// Returns the crossings that were added, and their images, and removes them.
std::vector<stream::Crossing> Crosser::take(const platform::Rotation& rotation) {
  std::vector<stream::Crossing> result;
  result.reserve(touched_.size());
  const auto move          = [&](int link) { result.push_back({link, std::exchange(nth(weights_, link), 0)}); };
  constexpr size_t kSparse = 16;
  if (touched_.size() > weights_.size() / kSparse) {  // looking at all is quicker than sorting these
    for (size_t link = 0; link < weights_.size(); ++link) {
      if (weights_[link] != 0) move(static_cast<int>(link));
    }
  } else {
    std::sort(touched_.begin(), touched_.end());
    for (const int link : touched_) move(link);
  }
  touched_.clear();
  return rotation.parts() == 1 ? result : with_images(result, rotation);
}

Crossed Crosser::cross(const std::vector<collective::Flow>& flows, const stream::Placed& placed,
                       const std::string& name) {
  const auto& places = placed.places;
  const auto& node   = placed.task.group.node;
  Crossed crossed{flows, Seconds(0), Seconds(0), 0, {}, {}, {}, {}, false, {}};
  std::vector<Message> messages;  // where links change
  crossed.slowest.reserve(flows.size());
  seen_.clear();
  // Links that change tell images apart.
  const RepeatedFlows repeats = changing_.any() ? not_repeated(platform_) : repeated(platform_, flows, placed);
  for (size_t i = 0; i < flows.size(); ++i) {
    const collective::Flow& flow = flows[i];
    if (!repeats.is_first(i)) {
      crossed.slowest.emplace_back();
      continue;
    }
    const int from = nth(places, flow.from), to = nth(places, flow.to);
    if (from == to) continue;
    const platform::Route path = route(from, to, name);
    if (flow.share != crossed.unit) crossed.unit = common_unit(flow.share, crossed.unit);
    Seconds step = path.latency + path.step_latency;
    BytesPerSecond slowest(path.limit > BytesPerSecond(0) ? path.limit.value()
                                                          : std::numeric_limits<double>::infinity());
    size_t kinds = 0;  // in any order
    for (const int link : path.links) {
      const Sort& one = sort(link);
      add(repeats.rotation.first_like(link), flow.share);
      step += one.step_latency;
      slowest = std::min(slowest, one.bandwidth);
      kinds += one.number;
    }
    add_fat(path, flow.share, crossed.fat);
    const bool leaves = nth(node, flow.from) != nth(node, flow.to);
    Seconds& latency  = leaves ? crossed.far : crossed.near;
    latency           = std::max(latency, step);
    crossed.uneven |= is_uneven(kinds, slowest);
    crossed.slowest.push_back(slowest);
    if (changing_.any()) messages.push_back({path, leaves, flow.share});
  }
  for (size_t i = 0; i < repeats.like.size(); ++i) crossed.slowest[i] = nth(crossed.slowest, repeats.like[i]);
  crossed.changes   = changing_.phases(messages);
  crossed.crossings = take(repeats.rotation);
  for (const auto& [link, weight] : crossed.crossings) {
    if (!repeats.rotation.is_first(link) || sort(link).fat) continue;
    const BytesPerSecond bandwidth = sort(link).bandwidth;
    const auto known = std::find_if(crossed.paces.begin(), crossed.paces.end(), [&, w = weight](const auto& pace) {
      return pace.weight == w && pace.bandwidth == bandwidth;
    });
    if (known == crossed.paces.end()) crossed.paces.push_back({weight, bandwidth});
  }
  return crossed;
}

}  // namespace foreflow::simulate
