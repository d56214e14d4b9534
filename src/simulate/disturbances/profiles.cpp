#include "foreflow/simulate/profiles.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "simulate/streams/compute_times.h"

namespace foreflow::simulate {
namespace {

using platform::Profile;

// A value over time: from each time on, until the next.
using ProfiledValue = std::map<double, double>;

ProfiledValue value_over_time(const Profile& profile) {
  ProfiledValue value;
  size_t steps = 0;
  for (double begin = 0; steps < kMostProfileSteps; begin += profile.period.value()) {
    for (const Profile::Step& step : profile.steps) value[begin + step.at.value()] = step.value;
    steps += profile.steps.size();
    if (profile.period == Seconds(0)) break;
  }
  return value;
}

double value_at(const ProfiledValue& value, double time, double before) {
  const auto after = value.upper_bound(time);
  return after == value.begin() ? before : std::prev(after)->second;
}

// The values of a device or a link that profiles change: its pace, whether it is on, and its latency.
struct ProfiledValues {
  ProfiledValue pace, on, latency;

  std::set<double> times() const {
    std::set<double> all;
    for (const auto& [time, value] : pace) all.insert(time);
    for (const auto& [time, value] : on) all.insert(time);
    for (const auto& [time, value] : latency) all.insert(time);
    return all;
  }
};

void slow_down(int device, const ProfiledValues& values, std::vector<Slowdown>& slowdowns) {
  const std::set<double> times = values.times();
  for (auto time = times.begin(); time != times.end(); ++time) {
    const double pace   = value_at(values.pace, *time, 1);
    const bool on       = value_at(values.on, *time, 1) > 0 && pace > 0;
    const double factor = on ? 1 / pace : kOff;
    if (factor == 1) continue;
    const Seconds until = std::next(time) == times.end() ? kForever : Seconds(*std::next(time));
    slowdowns.push_back({device, factor, Seconds(*time), until});
  }
}

LinkTrace trace_of(int link, const ProfiledValues& values, const platform::Link& planned) {
  LinkTrace trace{link, {}};
  for (const double time : values.times()) {
    const bool on          = value_at(values.on, time, 1) > 0;
    const double bandwidth = value_at(values.pace, time, planned.bandwidth.value());
    LinkStep& step =
        trace.changes.emplace_back(LinkStep{Seconds(time), on ? bandwidth / planned.bandwidth.value() : 0});
    if (!values.latency.empty()) step.latency = Seconds(value_at(values.latency, time, planned.latency.value()));
  }
  return trace;
}

}  // namespace

Disturbances with_profiles(Disturbances disturbances, const platform::Platform& platform) {
  if (std::exchange(disturbances.profiled, true)) return disturbances;
  std::map<int, ProfiledValues> devices, links;
  for (const Profile& profile : platform.declared().profiles) {
    const bool of_device = profile.what == Profile::What::speed || profile.what == Profile::What::on;
    const bool pace      = profile.what == Profile::What::speed || profile.what == Profile::What::bandwidth;
    for (const int index : profile.indices) {
      ProfiledValues& values                                      = (of_device ? devices : links)[index];
      const bool latency                                          = profile.what == Profile::What::latency;
      (latency ? values.latency : pace ? values.pace : values.on) = value_over_time(profile);
    }
  }
  for (const auto& [device, values] : devices) slow_down(device, values, disturbances.slowdowns);
  for (const auto& [link, values] : links) {
    const bool known = std::any_of(disturbances.links.begin(), disturbances.links.end(),
                                   [number = link](const LinkTrace& trace) { return trace.link == number; });
    if (known) continue;
    disturbances.links.push_back(trace_of(link, values, platform.links().like(static_cast<size_t>(link))));
  }
  return disturbances;
}

}  // namespace foreflow::simulate
