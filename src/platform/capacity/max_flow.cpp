#include "platform/capacity/max_flow.h"

#include <algorithm>
#include <limits>

#include "foreflow/base/nth.h"

namespace foreflow::platform {
namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max() / 4;

class Flows {
 public:
  explicit Flows(int vertices) : arcs_(static_cast<size_t>(vertices)) {}

  void add(int from, int to, int64_t capacity) {
    auto &there = nth(arcs_, from), &back = nth(arcs_, to);
    there.push_back({to, back.size(), capacity});
    back.push_back({from, there.size() - 1, 0});
  }

  int64_t run(int source, int sink) {
    int64_t sum = 0;
    while (find_levels(source, sink)) {
      next_.assign(arcs_.size(), 0);
      while (const int64_t more = push(source, sink, kAny)) sum += more;
    }
    return sum;
  }

 private:
  struct Arc {
    int to;
    size_t back;  // its reverse, among the arcs of `to`
    int64_t free;
  };

  bool find_levels(int source, int sink) {
    level_.assign(arcs_.size(), -1);
    nth(level_, source)    = 0;
    std::vector<int> queue = {source};
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const Arc& arc : nth(arcs_, queue[i])) {
        int& level = nth(level_, arc.to);
        if (arc.free == 0 || level >= 0) continue;
        level = nth(level_, queue[i]) + 1;
        queue.push_back(arc.to);
      }
    }
    return nth(level_, sink) >= 0;
  }

  // As deep as the levels, which shortest paths bound.
  int64_t push(int at, int sink, int64_t most) {
    if (at == sink) return most;
    const auto here = static_cast<size_t>(at);
    for (size_t& next = next_[here]; next < arcs_[here].size(); ++next) {
      Arc& arc = arcs_[here][next];
      if (arc.free == 0 || nth(level_, arc.to) != level_[here] + 1) continue;
      const int64_t pushed = push(arc.to, sink, std::min(most, arc.free));
      if (pushed == 0) continue;
      arc.free -= pushed;
      nth(arcs_, arc.to)[arc.back].free += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<std::vector<Arc>> arcs_;
  std::vector<int> level_;
  std::vector<size_t> next_;  // the first arc of each vertex that may still lead on
};

}  // namespace

int64_t max_flow(int vertices, const std::vector<Pipe>& pipes, const std::vector<int>& sources,
                 const std::vector<int>& sinks) {
  const int source = vertices, sink = vertices + 1;
  Flows flows(vertices + 2);
  for (const auto& [from, to, capacity] : pipes) flows.add(from, to, capacity);
  for (const int from : sources) flows.add(source, from, kAny);
  for (const int to : sinks) flows.add(to, sink, kAny);
  return flows.run(source, sink);
}

}  // namespace foreflow::platform
