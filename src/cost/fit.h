// Fits the constants of a law to measurements.
#pragma once

#include <vector>

#include "cost/laws/law.h"

namespace foreflow::cost {

struct Sample {
  Sizes sizes;
  double seconds;
};

struct Fit {
  std::vector<double> constants;  // in the order of the law, to four digits
  std::vector<bool> determined;   // per constant: the measurements say something about it; false: it is the law's start
  double error    = 0;            // mean absolute relative error over all samples
  double held_out = 0;            // the same in 5-fold cross-validation, each sample by a fit without its fold
};

// Minimises the mean of |log(predicted / measured)| over at most a few hundred of the samples, by
// coordinate descent on the logarithms of the constants: every step tries each constant up and down, keeps what is
// better with a longer step, and halves the step otherwise. It begins at the start of all constants, and once more at
// the other start of those that have one; the better end counts. Constants that refine a law (Use::refining) come last,
// while the others keep what they have. The same samples give the same constants.
Fit fit(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples);

// The same with the constants of the clock alone (Use::clock), where samples are few; the others stay as `rest` has
// them.
Fit fit_clock(const LawDef& law, const Hardware& hardware, const std::vector<Sample>& samples, const Fit& rest);

// |predicted / measured - 1|, averaged over `samples`; 0 without any.
double mean_error(const LawDef& law, const Hardware& hardware, const std::vector<double>& constants,
                  const std::vector<Sample>& samples);

}  // namespace foreflow::cost
