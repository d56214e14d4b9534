// Simulates a single collective that has the network to itself.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/task.h"

namespace foreflow::simulate {

struct Alone {
  stream::Placed placed;
  Seconds time;
  collective::Cost closed_form;  // the formula, on the links of the platform
  std::vector<Bytes> links;      // bytes carried by each of the platform's links
};

// Rank r is the platform device places[r]; at least two ranks. Throws Error when the algorithm does not support the
// group, or when two ranks that exchange messages have no route.
Alone run_alone(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
                Bytes bytes, const std::vector<int>& places, const EngineDef& engine);

// A group of devices that communicate.
struct NumberedGroup {
  // Groups may have the same number if their messages cross equal links in the same way. Numbers count from 0.
  size_t number;
  const std::vector<int>& places;  // of its ranks, as in run_alone
};

// The times of run_alone with the engine `analytic`, on a platform without profiles. The routes of a group are found
// once, so many times of the same groups take little.
class TimesAlone {
 public:
  // The platform must outlive it.
  explicit TimesAlone(const platform::Platform& platform);
  TimesAlone(TimesAlone&&) noexcept;
  ~TimesAlone();

  const platform::Platform& platform() const;
  // The default algorithm of `kind` takes the place of one that does not support the group. Throws Error when two ranks
  // that exchange messages have no route.
  Seconds of(const NumberedGroup& group, const collective::AlgorithmDef& algorithm, collective::Kind kind, Bytes bytes);

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

}  // namespace foreflow::simulate
