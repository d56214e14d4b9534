#include "simulate/rounds/rounds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

using Counts = std::unordered_map<int32_t, int64_t>;  // of communications, by kind

// The items of one stream as numbers, equal for equal items at which as many calls begin: a stream that does the same
// for every layer of a stage repeats itself once a call only.
class RoundItems {
 public:
  RoundItems(const stream::Stream& stream, const std::vector<int32_t>& kinds, const std::vector<Courses::Depth>& depths)
      : depths_(depths) {
    for (size_t i = 0; i < stream.items.size(); ++i) {
      const stream::Item& item = stream.items[i];
      kinds_.push_back(item.instance < 0 ? -1 : nth(kinds, item.instance));
      const std::tuple key(item.event, kinds_.back(), item.memory, depths[i].begun);
      codes_.push_back(numbers_.try_emplace(key, static_cast<int32_t>(numbers_.size())).first->second);
    }
  }

  size_t size() const { return codes_.size(); }
  // The number of calls that begin in the stretch at this depth of nesting.
  int64_t calls(const Stretch& stretch, int32_t outside) const {
    const auto first = depths_.begin() + static_cast<ptrdiff_t>(stretch.first);
    return std::count_if(first, first + static_cast<ptrdiff_t>(stretch.count), [outside](const Courses::Depth& depth) {
      return depth.begun <= outside && outside < depth.all;
    });
  }
  Counts communications(const Stretch& stretch) const {
    Counts counts;
    for (size_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
      if (kinds_[i] >= 0) ++counts[kinds_[i]];
    }
    return counts;
  }

  // The shortest stretch that repeats and is right, or nothing.
  template <class Right>
  std::optional<Stretch> shortest(const Right& right) const {
    const size_t length = codes_.size();
    for (size_t count = 1; 3 * count <= length; ++count) {
      for (const size_t middle : {length / 2, length / 2 - length / 8, length / 2 + length / 8}) {
        const Stretch stretch{middle - std::min(middle, count / 2), count};
        if (repeats(stretch) && right(stretch)) return stretch;
      }
    }
    return {};
  }

  // The stretch that is `times` as long, if it repeats as well.
  std::optional<Stretch> lengthened(const Stretch& stretch, size_t times) const {
    const size_t count = stretch.count * times;
    for (size_t first = stretch.first + stretch.count; first-- > 0 && first + count > stretch.first;) {
      if (repeats({first, count})) return Stretch{first, count};
    }
    return {};
  }

 private:
  // True if there is an equal stretch before this one and another one after it.
  bool repeats(const Stretch& stretch) const {
    const auto [first, count] = stretch;
    if (first < count || first + 2 * count > codes_.size()) return false;
    for (size_t i = first - count; i < first + count; ++i) {
      if (codes_[i] != codes_[i + count]) return false;
    }
    return true;
  }

  const std::vector<Courses::Depth>& depths_;
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, int32_t> numbers_;
  std::vector<int32_t> codes_, kinds_;  // by item; -1: a compute
};

class RoundsFinder {
 public:
  RoundsFinder(const FoldedProgram& folded, const Rounds& rounds) : asked_(rounds), rounds_(rounds.held) {
    for (size_t s = 0; s < folded.program.streams.size(); ++s)
      streams_.emplace_back(folded.program.streams[s], folded.kind_of_instance, folded.depths[s]);
    found_.resize(streams_.size());
  }

  std::optional<RoundStretches> run() {
    if (!from_calls()) return {};
    while (from_communications()) {
    }
    RoundStretches all{{}, common_};
    for (const auto& stretch : found_) all.stretches.push_back(stretch.value_or(Stretch{0, 0}));
    if (failed_ || !agree(all.stretches)) return {};
    return all;
  }

 private:
  // The calls of the rounds: their depth of nesting, and how many each stream has in a round.
  struct Calls {
    int32_t outside;
    std::vector<int64_t> each;  // by stream; 0: it is no part of the loop
  };

  // The first depth at which all streams have the numbers of calls that are asked for, or equally many in every round,
  // or so few that they are no part of the loop, such as the exchange of gradients in the last backward pass.
  std::optional<Calls> calls_of_rounds() const {
    constexpr int32_t kLevels = 4;
    for (int32_t outside = 0; outside < kLevels; ++outside) {
      std::vector<int64_t> all;
      for (const RoundItems& stream : streams_) all.push_back(stream.calls({0, stream.size()}, outside));
      const auto each = calls_of_one(all);
      if (each) return Calls{outside, *each};
    }
    return {};
  }

  // The calls of a round by those of all rounds.
  std::optional<std::vector<int64_t>> calls_of_one(std::vector<int64_t> all) const {
    const auto is_part = [&](int64_t calls) { return calls >= rounds_; };
    if (std::none_of(all.begin(), all.end(), is_part)) return {};
    const bool equal =
        std::none_of(all.begin(), all.end(), [&](int64_t calls) { return is_part(calls) && calls % rounds_ != 0; });
    const bool known = asked_.calls > 0 && std::all_of(all.begin(), all.end(), [&](int64_t calls) {
                         return !is_part(calls) || asked_.all_calls.contains(calls);
                       });
    if (!equal && !known) return {};
    for (int64_t& calls : all) calls = !is_part(calls) ? 0 : (known ? asked_.calls : calls / rounds_);
    return all;
  }

  // The stretches of streams with calls, all of the same number of rounds.
  bool from_calls() {
    const auto calls = calls_of_rounds();
    if (!calls) return false;
    const int32_t outside = calls->outside;
    std::vector<int64_t> own(streams_.size(), 0);
    for (size_t s = 0; s < streams_.size(); ++s) {
      const int64_t each = calls->each[s];
      if (each == 0) continue;
      found_[s] = streams_[s].shortest([&](const Stretch& stretch) {
        const int64_t here = streams_[s].calls(stretch, outside);
        return here > 0 && here % each == 0;
      });
      if (!found_[s]) return false;
      own[s]  = streams_[s].calls(*found_[s], outside) / each;
      common_ = std::lcm(common_, own[s]);
      if (3 * common_ > rounds_) return false;
    }
    for (size_t s = 0; s < streams_.size(); ++s) {
      if (!found_[s]) continue;
      found_[s] = streams_[s].lengthened(*found_[s], static_cast<size_t>(common_ / own[s]));
      if (!found_[s]) return false;
      add(streams_[s].communications(*found_[s]));
    }
    return std::any_of(found_.begin(), found_.end(), [](const auto& stretch) { return stretch.has_value(); });
  }

  // Finds the stretch of one more stream from its communications with streams whose stretches are known.
  bool from_communications() {
    for (size_t s = 0; s < streams_.size() && !failed_; ++s) {
      if (found_[s]) continue;
      const Counts all = streams_[s].communications({0, streams_[s].size()});
      const bool shares =
          std::any_of(all.begin(), all.end(), [&](const auto& one) { return known_.contains(one.first); });
      if (!shares) continue;
      int64_t times = 0;
      found_[s]     = streams_[s].shortest([&](const Stretch& stretch) {
        times = times_of(streams_[s].communications(stretch));
        return times > 0;
      });
      if (found_[s]) found_[s] = streams_[s].lengthened(*found_[s], static_cast<size_t>(times));
      failed_ = !found_[s];
      if (!failed_) add(streams_[s].communications(*found_[s]));
      return !failed_;
    }
    return false;
  }

  // The whole number by which these counts have to be multiplied to equal the known ones; 0 if there is none.
  int64_t times_of(const Counts& counts) const {
    int64_t times = 0;
    for (const auto& [kind, count] : counts) {
      const auto found = known_.find(kind);
      if (found == known_.end()) continue;
      if (found->second % count != 0 || (times != 0 && found->second / count != times)) return 0;
      times = found->second / count;
    }
    return times;
  }

  void add(const Counts& counts) {
    for (const auto& [kind, count] : counts) {
      const auto [known, fresh] = known_.emplace(kind, count);
      failed_                   = failed_ || (!fresh && known->second != count);
    }
  }

  // Returns true if all members of a communication execute it equally often in their stretches.
  bool agree(const Stretches& stretches) const {
    for (size_t s = 0; s < streams_.size(); ++s) {
      Counts here = streams_[s].communications(stretches[s]);
      for (const auto& [kind, unused] : streams_[s].communications({0, streams_[s].size()})) {
        const auto known = known_.find(kind);
        if (here[kind] != (known == known_.end() ? 0 : known->second)) return false;
      }
    }
    return true;
  }

  const Rounds& asked_;
  const int64_t rounds_;
  std::vector<RoundItems> streams_;
  std::vector<std::optional<Stretch>> found_;  // by stream
  Counts known_;                               // in a stretch
  int64_t common_ = 1;                         // rounds of every stretch
  bool failed_    = false;
};

}  // namespace

std::optional<RoundStretches> find_rounds(const FoldedProgram& folded, const Rounds& rounds) {
  auto found = RoundsFinder(folded, rounds).run();
  if (!found || !keep_memory(folded.program, found->stretches)) return {};
  return found;
}

}  // namespace foreflow::simulate
