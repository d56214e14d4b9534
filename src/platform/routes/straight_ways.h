// Caches the routes inside islands that are the only shortest ones. ECMP has nothing to choose on them, so they are the
// same for every message and in every island of one shape. A route is found when it is first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "platform/routes/islands.h"

namespace foreflow::platform {

class StraightWays {
 public:
  // The steps from one vertex of the shape's network to another; nothing where several routes are equally short.
  // `number` is the index of the shape. The span is valid until the next call.
  std::optional<std::span<const int>> between(const Shape& shape, size_t number, int from, int to) {
    if (number >= ways_.size()) ways_.resize(number + 1);
    auto& to_each = ways_[number];
    if (to_each.empty()) to_each.resize(static_cast<size_t>(shape.network.size()));
    std::vector<Way>& from_each = nth(to_each, to);
    if (from_each.empty()) from_each.resize(static_cast<size_t>(shape.network.size()));
    Way& way = nth(from_each, from);
    if (way.count == kNotAsked) way = find(shape, from, to);
    if (way.count == kChoice) return std::nullopt;
    return std::span<const int>(steps_).subspan(way.first, static_cast<size_t>(way.count));
  }

 private:
  static constexpr int32_t kNotAsked = -1, kChoice = -2;
  struct Way {
    uint32_t first = 0;  // index into steps_
    int32_t count  = kNotAsked;
  };

  Way find(const Shape& shape, int from, int to) {
    const auto first = static_cast<uint32_t>(steps_.size());
    bool chooses     = false;
    const auto any   = [&](int, size_t) -> size_t {
      chooses = true;
      return 0;
    };
    walk(shape.network, nth(shape.left, to), from, to, any, [&](int step) { steps_.push_back(step); });
    if (!chooses) return {first, static_cast<int32_t>(steps_.size() - first)};
    steps_.resize(first);
    return {first, kChoice};
  }

  std::vector<std::vector<std::vector<Way>>> ways_;  // by shape, `to` and `from`
  std::vector<int> steps_;
};

}  // namespace foreflow::platform
