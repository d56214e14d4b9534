#include "simulate/streams/compute_times.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/stream/host_times.h"

namespace foreflow::simulate {
namespace {

// A number in [0, 1) that looks random (the finaliser of SplitMix64; Steele, Lea and Flood, 2014).
double scatter(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

using platform::Profile;

// The profile that ends with the device off or at speed 0; null: there is none.
const Profile* last_word(const platform::Platform& platform, int device, Profile::What what) {
  for (const Profile& profile : platform.declared().profiles) {
    if (profile.what == what && !(profile.steps.back().value > 0) &&
        std::find(profile.indices.begin(), profile.indices.end(), device) != profile.indices.end())
      return &profile;
  }
  return nullptr;
}

}  // namespace

ComputeTimes::ComputeTimes(const stream::Program& program, const platform::Platform& platform,
                           const Disturbances& disturbances)
    : program_(program), platform_(platform), hosted_(stream::has_hosts(program)), jitter_(disturbances.jitter) {
  durations_.reserve(program.computes.size());
  for (const stream::Compute& compute : program.computes) durations_.push_back(compute.duration.value());

  std::map<int, std::vector<const Slowdown*>> of_device;
  for (const Slowdown& slowdown : disturbances.slowdowns) of_device[slowdown.device].push_back(&slowdown);
  std::map<int, int32_t> number;
  for (const auto& [device, slowdowns] : of_device) {
    std::set<double> borders = {0};
    for (const Slowdown* one : slowdowns) {
      borders.insert(one->from.value());
      if (one->until < kForever) borders.insert(one->until.value());
    }
    number[device] = static_cast<int32_t>(paces_.size());
    auto& paces    = paces_.emplace_back();
    devices_.push_back(device);
    for (const double border : borders) {
      double factor = 1;
      for (const Slowdown* one : slowdowns) {
        if (one->from.value() <= border && border < one->until.value()) factor *= one->factor;
      }
      paces.push_back({border, factor});
    }
  }
  paces_of_.assign(program.streams.size(), -1);
  for (size_t i = 0; i < program.streams.size() && !number.empty(); ++i) {
    const auto found = number.find(nth(program.devices, program.streams[i].device).place);
    if (found != number.end()) paces_of_[i] = found->second;
  }
}

double ComputeTimes::factor(int32_t stream, size_t item) const {
  if (jitter_.amplitude == 0) return 1;
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio
  const double drawn         = scatter((jitter_.seed + kGolden * (static_cast<uint64_t>(stream) + 1)) * kGolden + item);
  return 1 + jitter_.amplitude * (2 * drawn - 1);
}

double ComputeTimes::end_of(int32_t stream, size_t item, double duration, double start) const {
  double left            = duration * factor(stream, item);  // at full speed
  const int32_t slowdown = nth(paces_of_, stream);
  if (slowdown < 0) return start + left;
  const auto& paces = nth(paces_, slowdown);
  auto next         = std::upper_bound(paces.begin(), paces.end(), start,
                                       [](double time, const Pace& pace) { return time < pace.from; });
  double now        = start;
  for (; next != paces.end(); ++next) {
    const double factor = std::prev(next)->factor;
    const double done   = (next->from - now) / factor;
    if (done >= left) return now + left * factor;
    left -= done;
    now = next->from;
  }
  if (left > 0 && paces.back().factor >= kOff) fail_off(slowdown);
  return now + left * paces.back().factor;
}

void ComputeTimes::fail_off(int32_t slowdown) const {
  const int device             = nth(devices_, slowdown);
  const double from            = nth(paces_, slowdown).back().from;
  const platform::Device found = nth(platform_.devices(), device);
  const std::string host       = found.node.empty() ? found.name : found.node;
  const Profile* state         = last_word(platform_, device, Profile::What::on);
  const Profile* guilty        = state != nullptr ? state : last_word(platform_, device, Profile::What::speed);
  throw Error(guilty == nullptr ? platform_.name() : guilty->source,
              fmt::format("host \"{}\" has work left and is {} for good from {} on; let its profile "
                          "end above 0 or repeat",
                          host, state != nullptr ? "off" : "at speed 0", format(Seconds(from))));
}

}  // namespace foreflow::simulate
