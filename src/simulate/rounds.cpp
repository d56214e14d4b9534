#include "simulate/rounds.h"

#include <algorithm>
#include <cstdlib>
#include <cmath>
#include <map>
#include <numeric>
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

  struct Found {
    Stretch stretch;
    int64_t rounds;
  };

  // The shortest stretch.
  std::optional<Found> find(int64_t rounds) const {
    const size_t length = codes_.size();
    for (size_t count = 1; 3 * count <= length; ++count) {
      for (const size_t middle : {length / 2, length / 2 - length / 8, length / 2 + length / 8}) {
        const size_t first = middle - std::min(middle, count / 2);
        if (!repeats(first, count)) continue;
        if (const auto own = rounds_of(first, count, rounds)) return Found{{first, count}, *own};
      }
    }
    return {};
  }

  // The stretch so many times as long, where it repeats as well.
  std::optional<Stretch> lengthened(const Stretch& stretch, size_t times) const {
    const size_t count = stretch.count * times;
    for (size_t first = stretch.first + stretch.count; first-- > 0 && first + count > stretch.first;) {
      if (repeats(first, count)) return Stretch{first, count};
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

  // How many rounds the stretch has: exactly so by something that each round executes equally often, and nearly so by
  // all of it together, for the first and the last rounds may differ from those between.
  std::optional<int64_t> rounds_of(size_t first, size_t count, int64_t rounds) const {
    std::unordered_map<int32_t, int64_t> here;
    for (size_t i = first; i < first + count; ++i) ++here[codes_[i]];
    int64_t total = 0;
    for (const auto& [code, times] : here) total += totals_[static_cast<size_t>(code)];
    const double nearly =
        static_cast<double>(static_cast<int64_t>(count) * rounds) / static_cast<double>(std::max<int64_t>(total, 1));
    constexpr double kNear = 0.4;  // of a round, and of all of them
    std::optional<int64_t> exactly;
    for (const auto& [code, times] : here) {
      const int64_t all = totals_[static_cast<size_t>(code)];
      if (times * rounds % all != 0) continue;
      const int64_t own = times * rounds / all;
      if (std::abs(nearly / static_cast<double>(own) - 1) < kNear) exactly = exactly ? std::min(*exactly, own) : own;
    }
    return exactly;
  }

  std::map<std::tuple<int32_t, int32_t, int32_t>, int32_t> numbers_;
  std::vector<int32_t> codes_;   // by item
  std::vector<int64_t> totals_;  // by code
};

}  // namespace

std::optional<RoundStretches> find_rounds(const stream::Program& program, const std::vector<int32_t>& kind_of_instance,
                                          int64_t rounds) {
  std::vector<RoundsOfStream> streams;
  std::vector<std::optional<RoundsOfStream::Found>> found;
  int64_t common = 1;
  for (const stream::Stream& stream : program.streams) {
    streams.emplace_back(stream, kind_of_instance);
    found.push_back(streams.back().find(rounds));
    if (!found.back() && !streams.back().is_apart(rounds)) return {};
    if (found.back()) common = std::lcm(common, found.back()->rounds);
    if (3 * common > rounds) return {};
  }
  RoundStretches all{{}, common};
  for (size_t s = 0; s < streams.size(); ++s) {
    if (!found[s]) {
      all.stretches.push_back({0, 0});
      continue;
    }
    const auto longer = streams[s].lengthened(found[s]->stretch, static_cast<size_t>(common / found[s]->rounds));
    if (!longer) return {};
    all.stretches.push_back(*longer);
  }
  if (!keep_memory(program, all.stretches)) return {};
  return all;
}

}  // namespace foreflow::simulate
