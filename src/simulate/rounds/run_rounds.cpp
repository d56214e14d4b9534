#include <algorithm>
#include <memory>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/rounds/apart.h"
#include "simulate/rounds/components.h"
#include "simulate/rounds/left_out.h"
#include "simulate/rounds/repeats.h"
#include "simulate/rounds/rounds.h"

namespace foreflow::simulate {
namespace {

bool is_constant(const Disturbances& disturbances) {
  return disturbances.links.empty() && disturbances.background.empty() && disturbances.jitter.amplitude == 0 &&
         std::all_of(disturbances.slowdowns.begin(), disturbances.slowdowns.end(), [](const Slowdown& slowdown) {
           return slowdown.from == Seconds(0) && slowdown.until == kForever;
         });
}

// Runs a program with more and more rounds, up to all of them, until its parts reach their steady states.
class RoundsRunner {
 public:
  RoundsRunner(const EngineDef& engine, FoldedProgram folded, const RoundStretches& rounds, const Rounds& asked,
               const platform::Platform& platform, const Options& options)
      : engine_(engine),
        folded_(std::make_shared<FoldedProgram>(std::move(folded))),
        rounds_(rounds),
        asked_(asked),
        platform_(platform),
        options_(options),
        of_all_((asked.wanted - asked.held) / rounds.rounds) {}

  // May be called once.
  std::optional<RunOfRounds> run() {
    if ((asked_.wanted - asked_.held) % rounds_.rounds != 0) return RunOfRounds{rounds_.rounds, {}, {}, 0, {}, {}};
    for (std::vector<size_t>& streams : components(*folded_, rounds_.stretches)) {
      parts_.push_back({std::move(streams), {}, 0});
      more_.push_back(0);
    }
    if (!settle()) return {};
    equate_periods();
    const LeftOut left = leave_out();
    if (left.times == 0) return with_all_rounds();
    return with_left_out(left.times);
  }

 private:
  bool loops(const Part& part) const {
    return std::any_of(part.streams.begin(), part.streams.end(),
                       [&](size_t s) { return rounds_.stretches[s].count > 0; });
  }
  bool is_steady(size_t p) const { return parts_[p].steady.loops > 0; }

  // Runs more rounds of the parts that have not reached a steady state, until all have or half of all rounds are run.
  // Those that have none then run all rounds.
  bool settle() {
    const int64_t twice = std::max<int64_t>(asked_.held / rounds_.rounds, 1);  // as many rounds again as there are
    for (int64_t more = 0; more < of_all_ / 2; more = std::max(2 * more, twice)) {
      bool all = true;
      for (size_t p = 0; p < parts_.size(); ++p) {
        if (!is_steady(p) && loops(parts_[p])) more_[p] = more;
      }
      last_.reset();
      last_ = simulated(std::vector<Seconds>(parts_.size()));
      if (!last_) return false;
      for (size_t p = 0; p < parts_.size(); ++p) {
        if (is_steady(p) || !loops(parts_[p])) continue;
        if (auto steady = steady_in(*last_, p)) parts_[p].steady = *std::move(steady);
        all = all && is_steady(p);
      }
      if (all) break;
    }
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (is_steady(p) || !loops(parts_[p])) continue;
      more_[p] = of_all_;
      last_.reset();
    }
    return true;
  }

  // Parts that take as long but for rounding begin at the same time, so that equal ones have equal figures.
  void equate_periods() {
    constexpr double kRounding = 1e-13;  // of the makespan
    if (!last_) return;
    std::vector<Seconds*> periods;
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (is_steady(p)) periods.push_back(&parts_[p].steady.period);
    }
    std::sort(periods.begin(), periods.end(), [](const Seconds* a, const Seconds* b) { return *a < *b; });
    for (size_t i = 1; i < periods.size(); ++i) {
      if (*periods[i] - *periods[i - 1] <= kRounding * last_->timeline.makespan) *periods[i] = *periods[i - 1];
    }
  }

  // Chooses what the steady parts leave out.
  LeftOut leave_out() {
    std::vector<Remaining> remaining;
    for (size_t p = 0; p < parts_.size(); ++p) {
      size_t items = 0;
      for (const size_t s : parts_[p].streams) items += rounds_.stretches[s].count;
      const int64_t left = is_steady(p) ? of_all_ - more_[p] : 0;
      remaining.push_back({left, std::max<int64_t>(parts_[p].steady.loops, 1), items});
    }
    LeftOut left = left_out(remaining);
    for (size_t p = 0; p < parts_.size(); ++p) {
      parts_[p].each = left.each[p];
      if (left.more[p] > 0) last_.reset();
      more_[p] += left.more[p];
      if (left.each[p] == 0) parts_[p].steady.loops = 0;
    }
    return left;
  }

  struct Simulated {
    std::shared_ptr<FoldedProgram> folded;  // folded_, where it has as many rounds
    stream::Timeline timeline;
  };

  std::optional<RunOfRounds> with_all_rounds() {
    last_.reset();
    auto run = simulated(std::vector<Seconds>(parts_.size()));
    if (!run) return {};
    RunOfRounds all{rounds_.rounds, {}, {}, 0, rounds_of_devices(), executions()};
    all.run = Run{std::move(run->folded->program), std::move(run->timeline)};
    return all;
  }

  std::optional<RunOfRounds> with_left_out(int64_t times) {
    auto run = std::move(last_);
    last_.reset();
    const std::vector<Seconds> begins = begins_of(times);
    if (!run || std::any_of(begins.begin(), begins.end(), [](Seconds one) { return one > Seconds(0); })) {
      run = simulated(begins);
      if (!run) return {};
    }
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (is_steady(p) && !find_again(*run, p)) return {};
    }
    if (!are_apart(run->folded->program, run->timeline, parts_)) return {};
    RunOfRounds found{rounds_.rounds, {}, {}, times, rounds_of_devices(), executions()};
    for (size_t p = 0; p < parts_.size(); ++p) more_[p] += parts_[p].each * parts_[p].steady.loops;
    auto longer = simulated(begins_of(times - 1));
    if (!longer) return {};
    if (!repeats_one_time_more(run->folded->program, run->timeline, longer->timeline, parts_)) return {};
    run->timeline.left_out = times_left_out(run->folded->program, times);
    found.run              = Run{std::move(run->folded->program), std::move(run->timeline)};
    found.longer           = Run{std::move(longer->folded->program), std::move(longer->timeline)};
    return found;
  }

  // By part: when it begins where all leave out that many times.
  std::vector<Seconds> begins_of(int64_t times) const {
    std::vector<Seconds> begins;
    const Seconds least = later_by(parts_);
    for (const Part& part : parts_) begins.push_back(static_cast<double>(times) * (part.one_time() - least));
    return begins;
  }

  // The steady state of the part in this run, whose rounds may be more than those in which it was found.
  bool find_again(const Simulated& run, size_t p) {
    auto steady = steady_in(run, p);
    if (!steady || steady->loops != parts_[p].steady.loops) return false;
    steady->period   = parts_[p].steady.period;
    parts_[p].steady = *std::move(steady);
    return true;
  }

  std::optional<SteadyState> steady_in(const Simulated& run, size_t p) const {
    return SteadyFinder(*run.folded, run.timeline, rounds_, more_[p]).find(parts_[p].streams);
  }

  std::vector<stream::TimeLeftOut> times_left_out(const stream::Program& program, int64_t times) const {
    std::vector<stream::TimeLeftOut> all(program.devices.size());
    const Seconds behind = static_cast<double>(times) * later_by(parts_);
    for (const Part& part : parts_) {
      for (const size_t s : part.streams) {
        const stream::Stream& stream = program.streams[s];
        nth(all, stream.device)      = {part.steady.loops > 0 ? part.steady.until : Seconds(0), stream.begins, behind};
      }
    }
    return all;
  }

  std::vector<int64_t> rounds_of_devices() const {
    std::vector<int64_t> rounds(folded_->program.devices.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
      for (const size_t s : parts_[p].streams)
        nth(rounds, folded_->program.streams[s].device) = asked_.held + more_[p] * rounds_.rounds;
    }
    return rounds;
  }

  // In all rounds.
  std::vector<int64_t> executions() const {
    std::vector<int64_t> counts(folded_->program.computes.size());
    for (const stream::Stream& stream : folded_->program.streams) {
      for (const stream::Item& item : stream.items) {
        if (item.instance < 0) nth(counts, item.event) += nth(folded_->program.devices, stream.device).count();
      }
    }
    const std::vector<int64_t> each = simulate::executions(folded_->program, rounds_.stretches);
    for (size_t e = 0; e < counts.size(); ++e) counts[e] += of_all_ * each[e];
    return counts;
  }

  // A run with `more_` stretches of each part, which begin at these times.
  std::optional<Simulated> simulated(const std::vector<Seconds>& begins) const {
    std::vector<int64_t> more(rounds_.stretches.size());
    std::vector<Seconds> begin(more.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
      for (const size_t s : parts_[p].streams) {
        more[s]  = more_[p];
        begin[s] = begins[p];
      }
    }
    std::shared_ptr<FoldedProgram> folded = folded_;
    const bool as_it_is = std::all_of(more.begin(), more.end(), [](int64_t one) { return one == 0; }) &&
                          std::all_of(begin.begin(), begin.end(), [](Seconds one) { return one == Seconds(0); });
    if (!as_it_is) {
      auto longer = with_more(*folded_, rounds_.stretches, more);
      if (!longer) return {};
      for (size_t s = 0; s < begin.size(); ++s) longer->program.streams[s].begins = begin[s];
      folded = std::make_shared<FoldedProgram>(*std::move(longer));
    }
    stream::Timeline timeline = engine_.simulate_folded(*folded, platform_, options_);
    return Simulated{std::move(folded), std::move(timeline)};
  }

  const EngineDef& engine_;
  const std::shared_ptr<FoldedProgram> folded_;
  const RoundStretches& rounds_;
  const Rounds& asked_;
  const platform::Platform& platform_;
  const Options& options_;
  const int64_t of_all_;  // stretches of the loop that folded_ lacks
  std::vector<Part> parts_;
  std::vector<int64_t> more_;      // by part: stretches of the loop that are run besides those of folded_
  std::optional<Simulated> last_;  // the run in which the last part became steady
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
