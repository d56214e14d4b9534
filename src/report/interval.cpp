// The errors of computes and of messages add up, weighted by the time that each takes, as if all computes were wrong in
// the same direction, which is how a cost model errs:
//
//   e = (compute * compute_error + communication * message_error) / (compute + communication)
//
// With log(measured / predicted) normally distributed around 0, the mean of its magnitude is sqrt(2 / pi) deviations,
// and nine of ten values are within 1.645 deviations: within 1.645 * sqrt(pi / 2) = 2.06 mean errors.
#include "report/interval.h"

#include <cmath>

namespace foreflow::report {
namespace {

constexpr double kNineOfTen = 2.06;

}  // namespace

Interval interval_of(const Summary& summary) {
  Seconds compute, communication;
  for (const DeviceSummary& device : summary.devices) {
    const auto represented = static_cast<double>(device.count());
    compute += represented * device.compute;
    communication += represented * device.communication;
  }
  if (compute + communication <= Seconds(0)) return {summary.iteration_time, summary.iteration_time};
  const Seconds error = summary.job.compute_error * compute + summary.job.message_error * communication;
  const double factor = std::exp(kNineOfTen * (error / (compute + communication)));
  return {summary.iteration_time / factor, summary.iteration_time * factor};
}

}  // namespace foreflow::report
