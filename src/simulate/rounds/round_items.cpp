#include "simulate/rounds/round_items.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

RoundItems::RoundItems(const stream::Stream& stream, const std::vector<int32_t>& kinds,
                       const std::vector<Courses::Depth>& depths)
    : depths_(&depths) {
  std::map<int32_t, int64_t> counts;
  for (const stream::Item& item : stream.items) {
    if (item.instance >= 0) ++counts[nth(kinds, item.instance)];
  }
  all_.assign(counts.begin(), counts.end());
  const auto place_of = [this](int32_t kind) {
    const auto found = std::lower_bound(all_.begin(), all_.end(), std::pair(kind, int64_t{0}));
    return static_cast<int32_t>(found - all_.begin());
  };
  for (size_t i = 0; i < stream.items.size(); ++i) {
    const stream::Item& item = stream.items[i];
    kinds_.push_back(item.instance < 0 ? -1 : place_of(nth(kinds, item.instance)));
    const std::tuple key(item.event, kinds_.back(), item.memory, depths[i].begun);
    codes_.push_back(numbers_.try_emplace(key, static_cast<int32_t>(numbers_.size())).first->second);
  }
}

int64_t RoundItems::calls(const Stretch& stretch, int32_t outside) const {
  int64_t calls = 0;
  for (size_t i = stretch.first; i < stretch.first + stretch.count; ++i) calls += begins_call(i, outside) ? 1 : 0;
  return calls;
}

Counts RoundItems::communications(const Stretch& stretch) const {
  std::vector<int64_t> counts(all_.size());
  for (size_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
    if (kinds_[i] >= 0) ++nth(counts, kinds_[i]);
  }
  Counts result;
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) result.emplace_back(all_[k].first, counts[k]);
  }
  return result;
}

Stretch RoundItems::with_calls(int32_t outside) const {
  return covering([&](size_t item) { return begins_call(item, outside); });
}

std::set<int32_t> RoundItems::beginning_calls(int32_t outside, int64_t often) const {
  std::map<int32_t, int64_t> counts;
  for (size_t i = 0; i < size(); ++i) {
    if (begins_call(i, outside)) ++counts[codes_[i]];
  }
  std::set<int32_t> frequent;
  for (const auto& [code, count] : counts) {
    if (count > often) frequent.insert(code);
  }
  return frequent;
}

bool RoundItems::has_all(const Stretch& stretch, std::set<int32_t> numbers) const {
  for (size_t i = stretch.first; i < stretch.first + stretch.count && !numbers.empty(); ++i) numbers.erase(codes_[i]);
  return numbers.empty();
}

std::optional<Stretch> RoundItems::lengthened(const Stretch& stretch, size_t times) const {
  const size_t count = stretch.count * times;
  for (size_t first = stretch.first + stretch.count; first-- > 0 && first + count > stretch.first;) {
    if (repeats({first, count})) return Stretch{first, count};
  }
  return {};
}

bool RoundItems::repeats(const Stretch& stretch) const {
  const auto [first, count] = stretch;
  if (first < count || first + 2 * count > codes_.size()) return false;
  for (size_t i = first - count; i < first + count; ++i) {
    if (codes_[i] != codes_[i + count]) return false;
  }
  return true;
}

}  // namespace foreflow::simulate
