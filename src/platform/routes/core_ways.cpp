#include "platform/routes/core_ways.h"

#include <utility>

#include "foreflow/base/nth.h"
#include "platform/routes/core_distances.h"

namespace foreflow::platform {
namespace {

class FoundWays {
 public:
  FoundWays(Core core, const EcmpRule& rule) : core_(std::move(core)), rule_(rule), distances_(core_.network) {}

  Cost cost(int from, int to) const {
    if (from == to) return 0;
    const Switch &first = switch_at(from), &last = switch_at(to);
    return add(first.up + last.down, nth(distances_.costs(last.core, first.core), first.core));
  }

  void walk(int from, int to, Flow flow, std::vector<int>& steps) const {
    const Switch &first = switch_at(from), &last = switch_at(to);
    if (first.up_step >= 0) steps.push_back(first.up_step);
    platform::walk(
        core_.network, distances_.costs(last.core, first.core), first.core, last.core,
        [&](int vertex, size_t ways) {
          const int at = nth(core_.names, vertex);
          return rule_.take(flow, static_cast<uint64_t>(switch_at(at).vertex), ways);
        },
        [&](int step) { steps.push_back(2 * nth(core_.edges, step / 2) + step % 2); });
    if (last.down_step >= 0) steps.push_back(last.down_step);
  }

 private:
  const Switch& switch_at(int index) const { return nth(core_.switches, index); }

  Core core_;
  const EcmpRule& rule_;
  CoreDistances distances_;
};

}  // namespace

CoreWays find_ways(Core core, const EcmpRule& rule) {
  const auto found = std::make_shared<const FoundWays>(std::move(core), rule);
  return {[found](int from, int to) { return found->cost(from, to); },
          [found](int from, int to, Flow flow, std::vector<int>& steps) { found->walk(from, to, flow, steps); }};
}

}  // namespace foreflow::platform
