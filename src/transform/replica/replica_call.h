// A function in which replicas exchange something while they are at work.
#pragma once

#include <string>

#include "foreflow/ir/builder.h"
#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// What happens inside one call, in terms of the called function. Ids behind its values are of parameters that it gets
// in addition.
struct CallExchange {
  // Before op `at` gradients on `device` are summed. adds[i]: the op that adds the i-th to a sum so far, which is kept
  // by rows; kNoOp: that sum begins. `packed`: all of them are one result.
  struct Sum {
    size_t at;
    ir::Device device;
    std::vector<ir::ValueId> gradients;
    std::vector<size_t> adds;
    bool packed;
  };
  // Before op `at` weights are there: gathered here, unless they were so before, which leaves `arriving`. Then the
  // gather of `next` begins, which is that of opens[next_open]; kNoOp: a result for a later call.
  struct Open {
    size_t at;
    ir::Device device;
    std::vector<ir::ValueId> weights;
    ir::ValueId arriving          = ir::ValueId::none;
    std::vector<ir::ValueId> next = {};
    size_t next_open              = kNoOp;
  };
  std::vector<Sum> sums;    // in the order of `at`
  std::vector<Open> opens;  // in the order of `at`
  // The additional parameters; types of gathered weights do not matter, names only say what is what.
  struct Extra {
    ir::Type type;
    std::string name;
  };
  std::vector<Extra> extra;

  bool empty() const { return sums.empty() && opens.empty(); }
  std::string key() const;  // equal for equal exchanges
  // Which results of the function remain, in their order. Behind them come packed sums, then what is gathered for later
  // calls, each in the order of its list.
  std::vector<size_t> remaining(const ir::Function& function) const;
};

// `function` with the exchange in it. Its parameters state no types: they are those of the calls.
ir::Function with_exchange(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           const CallExchange& exchange, const ir::OpTable& ops, const DataParallel& how,
                           std::string name);

}  // namespace foreflow::transform
