// Ways through the fabric of a machine by rule.
#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "platform/ruled/ruled.h"

namespace foreflow::platform {
namespace {

class RuledWays {
 public:
  RuledWays(std::shared_ptr<const Layout> layout, const EcmpRule& rule)
      : layout_(std::move(layout)), fabric_(layout_->fabric()), rule_(rule) {
    const auto kind = static_cast<size_t>(layout_->link_kind(layout_->first_trunk()));
    hop_            = cost_of(layout_->link_kinds()[kind].latency, 1);
  }

  Cost cost(int from, int to) const { return static_cast<Cost>(fabric_.rule->hops(from, to)) * hop_; }

  void walk(int from, int to, Flow flow, std::vector<int>& steps) const {
    for (int at = from; at != to;) {
      const auto [count, first] = fabric_.rule->ways(at, to);
      const auto vertex         = static_cast<uint64_t>(layout_->first_core()) + static_cast<uint64_t>(at);
      const size_t way          = count == 1 ? 0 : rule_.take(flow, vertex, static_cast<size_t>(count));
      const int number          = first + static_cast<int>(way);
      const Trunk& trunk        = nth(fabric_.trunks, number);
      const bool forth          = trunk.from == at;
      steps.push_back(2 * (layout_->first_trunk() + number) + (forth ? 0 : 1));
      at = forth ? trunk.to : trunk.from;
    }
  }

 private:
  std::shared_ptr<const Layout> layout_;
  const Fabric& fabric_;
  const EcmpRule& rule_;
  Cost hop_;
};

}  // namespace

bool has_ways_by_rule(const Layout& layout) {
  const Fabric& fabric = layout.fabric();
  return fabric.rule && fabric.ports.size() == 1 && is_regular(layout) &&
         std::none_of(layout.changed().begin(), layout.changed().end(),
                      [&](const auto& change) { return change.first >= layout.first_trunk(); });
}

CoreWays ways_by_rule(std::shared_ptr<const Layout> layout, const EcmpRule& rule) {
  const auto ruled = std::make_shared<const RuledWays>(std::move(layout), rule);
  return {[ruled](int from, int to) { return ruled->cost(from, to); },
          [ruled](int from, int to, Flow flow, std::vector<int>& steps) { ruled->walk(from, to, flow, steps); }};
}

std::function<void(int from, int to, Flow flow, std::vector<int>& steps)> walk_by_path(
    std::shared_ptr<const Layout> layout) {
  FOREFLOW_CHECK(is_regular(*layout), "the GPUs of every node are joined, and their NICs are of the fabric");
  return [layout = std::move(layout)](int from, int to, const Flow& flow, std::vector<int>& steps) {
    const Fabric& fabric = layout->fabric();
    int at               = from;
    for (const int number : fabric.path(from, to, flow)) {
      const Trunk& trunk = nth(fabric.trunks, number);
      const bool forth   = trunk.from == at;
      steps.push_back(2 * (layout->first_trunk() + number) + (forth ? 0 : 1));
      at = forth ? trunk.to : trunk.from;
    }
  };
}

}  // namespace foreflow::platform
