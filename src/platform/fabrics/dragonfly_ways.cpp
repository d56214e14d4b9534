#include "platform/fabrics/dragonfly_ways.h"

#include <algorithm>
#include <utility>

#include "platform/fabrics/switches.h"

namespace foreflow::platform {
namespace {

class DragonflyWalk {
 public:
  DragonflyWalk(const DragonflyWires& wires, int from) : wires_(wires), at_(from) {}

  void go_to_router(int to) {
    if (at_ == to) return;
    const int routers = wires_.routers, group = at_ / routers;
    const int low = std::min(at_, to) % routers, high = std::max(at_, to) % routers;
    const int of_group = routers * (routers - 1) / 2, before = low * (2 * routers - low - 1) / 2;
    trunks_.push_back(group * of_group + before + high - low - 1);
    at_ = to;
  }

  // Over the cable with this number; any number will do.
  void go_to_group(int group, uint64_t number) {
    const auto& all      = wires_.crossings[wires_.pair(at_ / wires_.routers, group)];
    const Crossing& over = all[number % all.size()];
    go_to_router(over.from);
    trunks_.push_back(over.trunk);
    at_ = over.to;
  }

  int group() const { return at_ / wires_.routers; }

  // The trunks of the whole walk, which ends there.
  std::vector<int> to_router(int to) && {
    go_to_router(to);
    return std::move(trunks_);
  }

 private:
  const DragonflyWires& wires_;
  int at_;
  std::vector<int> trunks_;
};

// One of the groups besides `from` and `to`: that with this number, counted from the one after `to`.
int other_group(int from, int to, int groups, uint64_t number) {
  const auto others = static_cast<uint64_t>(groups - 2);
  int group         = to;
  for (uint64_t left = number % others + 1; left > 0; --left) {
    group = (group + 1) % groups;
    if (group == from) group = (group + 1) % groups;
  }
  return group;
}

// The message as one of those that are sent equally far.
struct Shifted {
  int messages;  // from its group to the other
  int number;    // of this one among them
};

Shifted shifted(const DragonflyWires& wires, const Flow& flow) {
  const auto all = static_cast<uint64_t>(wires.groups) * static_cast<uint64_t>(wires.places);
  const auto far = (flow.to_port % all + all - flow.from_port % all) % all;
  const int rest = static_cast<int>(far % static_cast<uint64_t>(wires.places));
  const int own  = static_cast<int>(flow.from_port % static_cast<uint64_t>(wires.places));
  const int stay = wires.places - rest;  // the number that reaches the nearer of two groups
  return own < stay ? Shifted{stay, own} : Shifted{rest, own - stay};
}

}  // namespace

int direct_of(int messages, int cables, int groups) {
  if (groups <= 2) return messages;
  return std::max(std::min(messages, cables), ceil_div(2 * messages, groups + 1));
}

FabricPath valiant_path(DragonflyWires wires) {
  return [wires = std::move(wires)](int from, int to, const Flow& flow) {
    DragonflyWalk walk(wires, from);
    const int target    = to / wires.routers;
    const uint64_t dice = mixed(mixed(flow.from) ^ flow.to);
    if (walk.group() != target && wires.groups > 2)
      walk.go_to_group(other_group(walk.group(), target, wires.groups, dice), mixed(dice));
    if (walk.group() != target) walk.go_to_group(target, mixed(dice + 1));
    return std::move(walk).to_router(to);
  };
}

FabricPath ugal_path(DragonflyWires wires) {
  return [wires = std::move(wires)](int from, int to, const Flow& flow) {
    DragonflyWalk walk(wires, from);
    const int source = walk.group(), target = to / wires.routers;
    if (source == target) return std::move(walk).to_router(to);
    const auto cables          = wires.crossings[wires.pair(source, target)].size();
    const auto [messages, own] = shifted(wires, flow);
    const int64_t direct       = direct_of(messages, static_cast<int>(cables), wires.groups);
    const int64_t before       = own * direct / messages;  // that go directly
    if ((own + 1) * direct / messages > before) {
      walk.go_to_group(target, static_cast<uint64_t>(before));
      return std::move(walk).to_router(to);
    }
    const auto turn   = static_cast<uint64_t>(own - before);
    const auto others = static_cast<uint64_t>(wires.groups - 2);
    walk.go_to_group(other_group(source, target, wires.groups, turn), turn / others);
    walk.go_to_group(target, turn / others);
    return std::move(walk).to_router(to);
  };
}

}  // namespace foreflow::platform
