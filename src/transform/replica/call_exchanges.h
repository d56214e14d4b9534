// The exchanges that a plan demands inside the calls of one replica's entry, and what the calls are given for them.
#pragma once

#include <map>
#include <utility>

#include "transform/replica/converted_weights.h"
#include "transform/replica/replica_call.h"
#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {

// The entry of a replica and what was written of it before a call.
struct EntrySoFar {
  const ir::Module& module;
  const ExchangePlan& plan;
  const LayoutInterpretation& layouts;
  const DataParallel& how;
  const ReplicaExchange& messages;
  const ConvertedWeights& converted;
  const std::vector<ir::ValueId>&map, &given;                  // by value: its latest copy, and its first one
  const std::vector<size_t>& next;                             // by window: the next window of its device, or kNoOp
  const std::map<size_t, std::vector<ir::ValueId>>& gathered;  // by window: the results of a gather that has begun
  const std::map<std::pair<size_t, size_t>, ir::ValueId>&
      kept;  // by (call, weight): the weight that the call converted
};

struct CallExchanges {
  CallExchange inside;
  std::vector<ir::ValueId> additional;  // the arguments for `inside.extra`
  std::vector<size_t> handed_on;        // windows whose gather begins in the call and ends in a later call
  std::vector<size_t> kept;             // weights that the call returns converted, in the order of `inside.keeps`
};

class CallExchangeFinder {
 public:
  explicit CallExchangeFinder(const EntrySoFar& so_far);

  // The exchanges inside the call that is op `o` of the entry.
  CallExchanges of(size_t o);

 private:
  const ir::Type& type(ir::ValueId id) const;
  const ir::Type& weight_type(size_t number) const { return type(so_far_.plan.weights[number].weight); }
  const std::string& name_of(size_t number) const { return entry_.value(so_far_.plan.weights[number].weight).name; }
  const Window& window(size_t number) const { return so_far_.plan.windows[number]; }
  ir::Device device_inside(const ir::Device& device) const;
  bool was_opened(size_t number, size_t count) const;

  void add_sums();
  void add_begun(const ir::Device& device, const ir::Device& outside);
  void add_opens();
  CallExchange::Open open(size_t opened);
  void hold(size_t opened);
  void add_kept();
  std::vector<ir::ValueId> weights_inside(size_t opened, const std::vector<ir::Device>& devices);
  ir::ValueId additional(ir::ValueId value, const ir::Type& type, std::string name,
                         ir::ParameterRole role = ir::ParameterRole::weight);

  const EntrySoFar so_far_;
  const ir::Function& entry_;
  std::vector<size_t> argument_;  // by value of the entry: its position among the arguments of the call; kNoOp: none
  // State of one execution of of(): the call, and the windows that it needs.
  size_t call_ = 0;
  std::vector<size_t> opened_;
  CallExchanges found_;
};

}  // namespace foreflow::transform
