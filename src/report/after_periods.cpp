#include <algorithm>
#include <map>
#include <tuple>

#include "foreflow/report/summary.h"
#include "report/interval.h"

namespace foreflow::report {
namespace {

// The figures of a run with `periods` more periods, extrapolated from those of `one` and `two`.
class Periods {
 public:
  Periods(const Summary& one, const Summary& two, int64_t periods)
      : one_(one), two_(two), times_(static_cast<double>(periods)), periods_(periods) {}

  std::optional<Summary> run() const {
    Summary all        = one_;
    all.iteration_time = after(one_.iteration_time, two_.iteration_time);
    if (!devices(all) || !links(all) || !ops(all) || !collectives(all) || !path(all)) return {};
    const double slower = one_.iteration_time / all.iteration_time;
    all.samples_per_second *= slower;
    all.tokens_per_second_per_device *= slower;
    all.model_rate    = slower * all.model_rate;
    all.hardware_rate = slower * all.hardware_rate;
    all.mfu *= slower;
    all.events.executed = after(one_.events.executed, two_.events.executed);
    all.interval        = interval_of(all);
    return all;
  }

 private:
  template <class Figure>
  Figure after(Figure one, Figure two) const {
    return one + times_ * (two - one);
  }
  int64_t after(int64_t one, int64_t two) const { return one + periods_ * (two - one); }

  bool devices(Summary& all) const {
    for (size_t d = 0; d < all.devices.size(); ++d) {
      DeviceSummary& device      = all.devices[d];
      const DeviceSummary& other = two_.devices[d];
      if (device.peak_memory != other.peak_memory) return false;
      device.busy          = after(device.busy, other.busy);
      device.compute       = after(device.compute, other.compute);
      device.communication = after(device.communication, other.communication);
      device.idle          = all.iteration_time - device.busy;
      device.host_idle     = std::min(after(device.host_idle, other.host_idle), device.idle);
      device.host_inside   = after(device.host_inside, other.host_inside);
    }
    return true;
  }

  bool links(Summary& all) const {
    if (one_.links.size() != two_.links.size()) return false;
    for (size_t l = 0; l < all.links.size(); ++l) {
      LinkSummary& link        = all.links[l];
      const LinkSummary& other = two_.links[l];
      if (link.members != other.members || !link.usage.empty()) return false;
      const Bytes before = link.bytes;
      link.bytes         = after(link.bytes, other.bytes);
      link.busy          = after(link.busy, other.busy);
      link.utilization *= (link.bytes / before) * (one_.iteration_time / all.iteration_time);
    }
    return true;
  }

  bool ops(Summary& all) const {
    if (one_.ops.size() != two_.ops.size()) return false;
    std::map<std::string_view, Seconds> others;
    for (const OpTime& op : two_.ops) others.emplace(op.name, op.seconds);
    for (OpTime& op : all.ops) {
      const auto found = others.find(op.name);
      if (found == others.end()) return false;
      op.seconds = after(op.seconds, found->second);
    }
    std::stable_sort(all.ops.begin(), all.ops.end(),
                     [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
    return true;
  }

  bool collectives(Summary& all) const {
    if (one_.collectives.size() != two_.collectives.size()) return false;
    std::map<std::pair<int32_t, int>, const CollectiveSummary*> others;
    for (const CollectiveSummary& row : two_.collectives) others.emplace(std::pair(row.communication, row.ranks), &row);
    for (CollectiveSummary& row : all.collectives) {
      const auto found = others.find({row.communication, row.ranks});
      if (found == others.end()) return false;
      const CollectiveSummary& other = *found->second;
      const double bus               = row.busbw / row.algbw;
      row.count                      = after(row.count, other.count);
      row.time                       = after(row.time, other.time);
      row.contention                 = after(row.contention, other.contention);
      row.waiting                    = after(row.waiting, other.waiting);
      row.late                       = other.late;
      row.algbw                      = static_cast<double>(row.count) * row.bytes / row.time;
      row.busbw                      = bus * row.algbw;
    }
    std::stable_sort(all.collectives.begin(), all.collectives.end(),
                     [](const CollectiveSummary& a, const CollectiveSummary& b) { return a.time > b.time; });
    return true;
  }

  // Adds the difference between both paths, `periods` times, to the first segment of each kind.
  bool path(Summary& all) const {
    using Kind = std::pair<std::string_view, std::string_view>;
    struct More {
      Seconds seconds, contention;
      int64_t count = 0;
    };
    std::map<Kind, More> more;
    const auto add = [&](const std::vector<Segment>& path, int sign) {
      for (const Segment& segment : path) {
        More& kind = more[{segment.device, segment.what}];
        kind.seconds += sign * segment.seconds;
        kind.contention += sign * segment.contention;
        kind.count += sign * segment.count;
      }
    };
    add(two_.critical_path, 1);
    add(one_.critical_path, -1);
    all.critical_path = two_.critical_path;
    for (Segment& segment : all.critical_path) {
      const auto found = more.find({segment.device, segment.what});
      if (found == more.end()) continue;
      segment.seconds += (times_ - 1) * found->second.seconds;
      segment.contention += (times_ - 1) * found->second.contention;
      segment.count += (periods_ - 1) * found->second.count;
      more.erase(found);
      if (segment.count < 0 || segment.seconds < Seconds(0)) return false;
    }
    return std::all_of(more.begin(), more.end(), [](const auto& kind) { return kind.second.count == 0; });
  }

  const Summary &one_, &two_;
  const double times_;
  const int64_t periods_;
};

}  // namespace

std::optional<Summary> after_periods(const Summary& one, const Summary& two, int64_t periods) {
  return Periods(one, two, periods).run();
}

}  // namespace foreflow::report
