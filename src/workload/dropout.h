// Dropout (Srivastava et al., 2014) of a family in training.
#pragma once

#include "foreflow/workload/workload.h"
#include "workload/network.h"

namespace foreflow::workload {

// Drops the fraction `ratio` of the elements and scales the others up. The mask, one byte per element, is kept for the
// backward pass. Each use draws by a seed of its own, so runs repeat. Nothing is written where the ratio is 0.
class Dropout {
 public:
  explicit Dropout(double ratio) : ratio_(ratio) {}

  // The results are called NAME.dropped and NAME.mask where there is a name.
  Value operator()(Network& net, Value x, const std::string& name = "");

 private:
  double ratio_;
  int64_t uses_ = 0;
};

// Key `dropout`: 0 unless stated, and 0 in inference. Throws Error unless it is at least 0 and less than 1.
double read_dropout(const FilledValues& values, Mode mode);
Key dropout_key(std::string_view doc);

}  // namespace foreflow::workload
