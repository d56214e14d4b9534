#include "simulate/rounds.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace foreflow::simulate {
namespace {

// The items of one stream as numbers, equal for equal items.
class RoundsOfStream {
 public:
  RoundsOfStream(const stream::Stream& stream, const std::vector<int32_t>& kinds) {
    for (const stream::Item& item : stream.items) {
      const int32_t kind = item.instance < 0 ? -1 : kinds[static_cast<size_t>(item.instance)];
      codes_.push_back(number(item.event, kind, item.memory));
    }
    totals_.resize(numbers_.size());
    for (const int32_t code : codes_) ++totals_[static_cast<size_t>(code)];
  }

  std::optional<Stretch> find(int64_t rounds, int64_t step) const {
    const size_t length = codes_.size();
    for (size_t count = 1; 3 * count <= length; ++count) {
      for (const size_t middle : {length / 2, length / 2 - length / 8, length / 2 + length / 8}) {
        const size_t first = middle - std::min(middle, count / 2);
        if (repeats(first, count) && is_of(first, count, rounds, step)) return Stretch{first, count};
      }
    }
    return {};
  }

  // Of a stream that does the same however many rounds there are.
  bool is_apart(int64_t rounds) const {
    for (const int64_t total : totals_) {
      if (total >= rounds) return false;
    }
    return true;
  }

 private:
  int32_t number(int32_t event, int32_t kind, int32_t memory) {
    const std::tuple key(event, kind, memory);
    return numbers_.try_emplace(key, static_cast<int32_t>(numbers_.size())).first->second;
  }

  // Whether the stretch follows one like it and is followed by one like it.
  bool repeats(size_t first, size_t count) const {
    if (first < count || first + 2 * count > codes_.size()) return false;
    for (size_t i = first - count; i < first + count; ++i) {
      if (codes_[i] != codes_[i + count]) return false;
    }
    return true;
  }

  // What each round executes equally often stands in the stretch as often as `step` rounds execute it.
  bool is_of(size_t first, size_t count, int64_t rounds, int64_t step) const {
    std::unordered_map<int32_t, int64_t> here;
    for (size_t i = first; i < first + count; ++i) ++here[codes_[i]];
    bool known = false;
    for (const auto& [code, times] : here) {
      const int64_t total = totals_[static_cast<size_t>(code)];
      if (total % rounds != 0) continue;
      if (times * rounds != total * step) return false;
      known = true;
    }
    return known;
  }

  std::map<std::tuple<int32_t, int32_t, int32_t>, int32_t> numbers_;
  std::vector<int32_t> codes_;   // by item
  std::vector<int64_t> totals_;  // by code
};

}  // namespace

std::optional<Stretches> find_rounds(const stream::Program& program, const std::vector<int32_t>& kind_of_instance,
                                     int64_t rounds, int64_t step) {
  Stretches all;
  for (const stream::Stream& stream : program.streams) {
    const RoundsOfStream items(stream, kind_of_instance);
    const auto found = items.find(rounds, step);
    if (!found && !items.is_apart(rounds)) return {};
    all.push_back(found.value_or(Stretch{0, 0}));
  }
  if (!keep_memory(program, all)) return {};
  return all;
}

}  // namespace foreflow::simulate
