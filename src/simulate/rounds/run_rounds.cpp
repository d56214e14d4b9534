#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/rounds/one_period_more.h"
#include "simulate/rounds/rounds.h"
#include "simulate/rounds/steady_state.h"

namespace foreflow::simulate {
namespace {

bool is_constant(const Disturbances& disturbances) {
  return disturbances.links.empty() && disturbances.background.empty() && disturbances.jitter.amplitude == 0 &&
         std::all_of(disturbances.slowdowns.begin(), disturbances.slowdowns.end(), [](const Slowdown& slowdown) {
           return slowdown.from == Seconds(0) && slowdown.until == kForever;
         });
}

// Runs a program with more and more rounds, up to all of them, until it reaches a steady state.
class RoundsRunner {
 public:
  RoundsRunner(const EngineDef& engine, FoldedProgram folded, const RoundStretches& rounds, const Rounds& asked,
               const platform::Platform& platform, const Options& options)
      : engine_(engine),
        folded_(std::move(folded)),
        rounds_(rounds.stretches),
        at_once_(rounds.rounds),
        asked_(asked),
        platform_(platform),
        options_(options) {}

  // May be called once.
  std::optional<RunOfRounds> run() {
    const int64_t left = asked_.wanted - asked_.held, all = left / at_once_;  // more rounds, and stretches
    if (left % at_once_ != 0) return RunOfRounds{at_once_, {}, {}, 0, 0, {}};
    const int64_t twice = std::max<int64_t>(asked_.held / at_once_, 1);  // as many rounds again as there are
    for (int64_t more = 0; more < all / 2; more = std::max(2 * more, twice)) {
      if (auto found = from_steady_state(more, all)) return found;
    }
    auto whole = with_rounds(all);
    if (!whole) return {};
    stream::Timeline timeline = engine_.simulate_folded(*whole, platform_, options_);
    return RunOfRounds{
        at_once_, Run{std::move(whole->program), std::move(timeline)}, {}, 0, asked_.wanted, executions_with(all)};
  }

 private:
  std::vector<int64_t> executions_with(int64_t more) const {
    std::vector<int64_t> counts(folded_.program.computes.size());
    for (const stream::Stream& stream : folded_.program.streams) {
      for (const stream::Item& item : stream.items) {
        if (item.instance < 0) nth(counts, item.event) += nth(folded_.program.devices, stream.device).count();
      }
    }
    const std::vector<int64_t> each = executions(folded_.program, rounds_);
    for (size_t e = 0; e < counts.size(); ++e) counts[e] += more * each[e];
    return counts;
  }

  // The smallest number of stretches, `more` or above, after which a whole number of periods remains.
  std::optional<RunOfRounds> from_steady_state(int64_t more, int64_t all) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      auto extended = more > 0 ? with_rounds(more) : std::nullopt;
      if (more > 0 && !extended) return {};
      FoldedProgram* const some = extended ? &*extended : &folded_;
      stream::Timeline timeline = engine_.simulate_folded(*some, platform_, options_);
      const auto steady         = steady_state(*some, timeline, rounds_);
      if (!steady) return {};
      if (const int64_t left = (all - more) % steady->loops; left != 0) {
        more += left;
        if (std::max(more, steady->loops) > all / 2) return {};  // the parts' periods have too long a one in common
        continue;
      }
      auto longer = with_more(*some, steady->stretches, steady->times);
      if (!longer) return {};
      stream::Timeline longer_timeline = engine_.simulate_folded(*longer, platform_, options_);
      if (!repeats_with_one_period_more(some->program, timeline, longer_timeline, *steady)) return {};
      std::vector<int64_t> executions = executions_with(all);  // of folded_, which may go now
      return RunOfRounds{at_once_,
                         Run{std::move(some->program), std::move(timeline)},
                         Run{std::move(longer->program), std::move(longer_timeline)},
                         (all - more) / steady->loops,
                         asked_.held + more * at_once_,
                         std::move(executions)};
    }
    return {};
  }

  std::optional<FoldedProgram> with_rounds(int64_t more) const {
    return with_more(folded_, rounds_, std::vector<int64_t>(rounds_.size(), more));
  }

  const EngineDef& engine_;
  FoldedProgram folded_;
  const Stretches& rounds_;
  const int64_t at_once_;  // rounds of each
  const Rounds& asked_;
  const platform::Platform& platform_;
  const Options& options_;
};

}  // namespace

bool EngineDef::extrapolates(const Options& options) const {
  return simulate_folded != nullptr && is_constant(options.disturbances);
}

std::optional<RunOfRounds> EngineDef::run(const stream::CompactProgram& program, const Rounds& rounds,
                                          const platform::Platform& platform, const Options& options) const {
  if (!extrapolates(options)) return {};
  try {
    check(options.disturbances, platform);
    auto folded = fold(program, platform, options, FoldedFor::rounds);
    if (!folded) return {};
    const auto stretches = find_rounds(*folded, rounds);
    if (!stretches) return {};
    return RoundsRunner(*this, *std::move(folded), *stretches, rounds, platform, options).run();
  } catch (const Error&) {
    return {};  // run() reports the error
  }
}

}  // namespace foreflow::simulate
