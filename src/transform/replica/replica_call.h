// Rewrites a function in which replicas exchange gradients or weights.
#pragma once

#include <map>
#include <string>

#include "foreflow/ir/builder.h"
#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// The exchanges inside one call, in terms of the called function. A value id beyond its values refers to one of the
// additional parameters, `extra`.
struct CallExchange {
  // The gradients that are summed before op `at`, over the replicas and over `devices`: those of the first device, then
  // those of the next one. adds[i] is the op that adds gradient i to its running sum, of which each rank keeps its row;
  // kNoOp: gradient i begins the sum. If `packed`, all sums of a device form one result.
  struct Sum {
    size_t at;
    std::vector<ir::Device> devices;
    std::vector<ir::ValueId> gradients;
    std::vector<size_t> adds;
    bool packed;
  };
  // The weights that must be whole on `devices` from op `at` on, those of the first device before those of the next
  // one.
  //   1. If their gather began earlier, `arriving` has its result on each device. Otherwise they are gathered here.
  //   2. After that the gather of the weights `next` begins. They are the weights of opens[next_open]; if next_open is
  //      kNoOp, they are those of a later call, and the function returns them.
  struct Open {
    size_t at;
    std::vector<ir::Device> devices;
    std::vector<ir::ValueId> weights;
    std::vector<ir::ValueId> arriving = {};
    std::vector<ir::ValueId> next     = {};
    size_t next_open                  = kNoOp;
    // If weights are converted when they arrive, the value for each weight that is read in place of a new conversion:
    // an additional parameter, or a weight that was opened before. ValueId::none means that the weight is converted
    // here. If the list is empty, all weights are.
    std::vector<ir::ValueId> held = {};
  };
  std::vector<Sum> sums;                    // ascending by `at`
  std::map<ir::Device, ir::ValueId> begun;  // per device: the sum that began last before the call; it must wait for it
  std::vector<Open> opens;                  // ascending by `at`
  std::vector<ir::ValueId> keeps;           // weights of `opens` that the function returns converted
  // An additional parameter. The types of gathered weights are not used; names serve readers of the program only.
  struct Extra {
    ir::Type type;
    std::string name;
    ir::ParameterRole role = ir::ParameterRole::weight;
  };
  std::vector<Extra> extra;

  bool empty() const { return sums.empty() && opens.empty(); }
  std::string key() const;  // equal if and only if the exchanges are equal
  // The indices of the results that the function keeps, ascending. They are followed by the packed sums and then by the
  // weights gathered for later calls and by those kept for them, each in the order of its list.
  std::vector<size_t> remaining(const ir::Function& function) const;
};

// `function` with the exchanges in it. Its parameters state no types; they get those of the arguments of its calls.
ir::Function with_exchange(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           const CallExchange& exchange, const ir::OpTable& ops, const DataParallel& how,
                           std::string name);

}  // namespace foreflow::transform
