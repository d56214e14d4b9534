#include "simulate/rounds/rounds.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "foreflow/base/nth.h"
#include "simulate/rounds/round_items.h"

namespace foreflow::simulate {
namespace {

// Where the finder looks for the stretches of rounds, and which it takes.
struct Look {
  bool in_loop;  // around the middle of the loop; otherwise around that of the stream
  bool of_all;   // only stretches with an item of each sort that begins a call in every few rounds
};

// What a device does after the loop can have more items than the loop, such as the updates of many weights. Where a
// device has several stages, as in interleaved 1F1B, a stretch of one stage can have as many calls as a round.
constexpr std::array kLooks = {Look{false, true}, Look{true, true}, Look{false, false}, Look{true, false}};

class RoundsFinder {
 public:
  RoundsFinder(const std::vector<RoundItems>& streams, size_t kinds, const Rounds& rounds, Look look)
      : streams_(streams),
        asked_(rounds),
        rounds_(rounds.held),
        look_(look),
        found_(streams.size()),
        loops_(streams.size(), Stretch{0, 0}),
        known_(kinds, 0) {}

  std::optional<RoundStretches> run() {
    if (!from_calls()) return {};
    while (from_communications()) {
    }
    RoundStretches all{{}, loops_, common_};
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
      loops_[s]         = streams_[s].with_calls(outside);
      const auto begins = look_.of_all ? streams_[s].beginning_calls(outside, rounds_ / 4) : std::set<int32_t>();
      found_[s]         = streams_[s].shortest(within(s), [&](const Stretch& stretch) {
        const int64_t here = streams_[s].calls(stretch, outside);
        return here > 0 && here % each == 0 && streams_[s].has_all(stretch, begins);
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

  Stretch within(size_t s) const { return look_.in_loop ? loops_[s] : Stretch{0, streams_[s].size()}; }

  // Finds the stretches of more streams from their communications with streams whose stretches are known. False if it
  // finds none.
  bool from_communications() {
    bool found = false;
    for (size_t s = 0; s < streams_.size() && !failed_; ++s) {
      if (found_[s]) continue;
      const Counts& all = streams_[s].communications();
      if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return is_known(one.first); })) continue;
      int64_t times = 0;
      loops_[s]     = streams_[s].with_kinds([this](int32_t kind) { return is_known(kind); });
      found_[s]     = streams_[s].shortest(within(s), [&](const Stretch& stretch) {
        times = times_of(streams_[s].communications(stretch));
        return times > 0;
      });
      if (found_[s]) found_[s] = streams_[s].lengthened(*found_[s], static_cast<size_t>(times));
      failed_ = !found_[s];
      if (!failed_) add(streams_[s].communications(*found_[s]));
      found = true;
    }
    return found && !failed_;
  }

  bool is_known(int32_t kind) const { return nth(known_, kind) > 0; }

  // The whole number by which these counts have to be multiplied to equal the known ones; 0 if there is none.
  int64_t times_of(const Counts& counts) const {
    int64_t times = 0;
    for (const auto& [kind, count] : counts) {
      if (!is_known(kind)) continue;
      const int64_t known = nth(known_, kind);
      if (known % count != 0 || (times != 0 && known / count != times)) return 0;
      times = known / count;
    }
    return times;
  }

  void add(const Counts& counts) {
    for (const auto& [kind, count] : counts) {
      failed_           = failed_ || (is_known(kind) && nth(known_, kind) != count);
      nth(known_, kind) = count;
    }
  }

  // Returns true if all members of a communication execute it equally often in their stretches.
  bool agree(const Stretches& stretches) const {
    for (size_t s = 0; s < streams_.size(); ++s) {
      Counts known;
      for (const auto& [kind, unused] : streams_[s].communications()) {
        if (is_known(kind)) known.emplace_back(kind, nth(known_, kind));
      }
      if (streams_[s].communications(stretches[s]) != known) return false;
    }
    return true;
  }

  const std::vector<RoundItems>& streams_;
  const Rounds& asked_;
  const int64_t rounds_;
  const Look look_;
  std::vector<std::optional<Stretch>> found_;  // by stream
  Stretches loops_;                            // by stream: see RoundStretches
  std::vector<int64_t> known_;                 // by kind: how many of it are in a stretch; 0: not known, or none
  int64_t common_ = 1;                         // rounds of every stretch
  bool failed_    = false;
};

}  // namespace

std::optional<RoundStretches> find_rounds(const FoldedProgram& folded, const Rounds& rounds) {
  std::vector<RoundItems> streams;
  for (size_t s = 0; s < folded.program.streams.size(); ++s)
    streams.emplace_back(folded.program.streams[s], folded.kind_of_instance, folded.depths[s]);
  const auto& of_instance = folded.kind_of_instance;
  const size_t kinds =
      of_instance.empty() ? 0 : static_cast<size_t>(*std::max_element(of_instance.begin(), of_instance.end())) + 1;
  std::vector<size_t> all(streams.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (const Look look : kLooks) {
    auto found = RoundsFinder(streams, kinds, rounds, look).run();
    if (found && keep_memory(folded.program, all, found->stretches)) return found;
  }
  return {};
}

}  // namespace foreflow::simulate
