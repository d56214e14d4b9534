// Lower bounds of the time in which replicas exchange gradients and weights, in the messages into which buckets pack
// them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "foreflow/scenario/stage_demand.h"
#include "search/bounds/group_shapes.h"

namespace foreflow::search {

// The exchanges of one stage for one microbatch; zero where nothing is exchanged.
struct StageExchange {
  Seconds forward, backward;  // the gathers of the weights that forward passes and gradients of activations read
  // The sums of the gradients that a whole backward pass makes. Where it is split, `input_grad` and `weight_grad` are
  // parts of them.
  Seconds whole, input_grad, weight_grad;
  Seconds largest_gather;  // of those of a forward pass
};

// The least number of bytes that travels where gradients of `gradients` bytes are summed over replicas
// (strategy.reduce_dtype).
Bytes least_summed(const scenario::Scenario& scenario, Bytes gradients);

class ReplicaExchange {
 public:
  // All arguments must live as long.
  ReplicaExchange(const scenario::Scenario& scenario, GroupShapes& shapes, const Arrangement& where);

  int ways() const { return ways_; }

  // An all-reduce of gradients.
  Seconds all_reduce(Bytes bytes) const;
  // An all-reduce of two devices of the first replica: the first ones of the groups that have these stages of a pipe.
  Seconds pair(size_t device, size_t partner, Bytes bytes) const;
  // A reduce-scatter of gradients or an all-gather; 0 where a formula of the cost model gives its time, or it is not
  // known which ranks take part.
  Seconds half(collective::Kind kind, Bytes bytes) const;

  // Returns the exchanges of every microbatch with ZeRO 2 and 3. `sums`: true if it sums its gradients.
  StageExchange of_stage(const transform::StageNeed& need, bool sums) const;

  // How long the passes of a stage take at least with ZeRO 3 where the exchanges travel beside the tasks. `waits` is
  // how long a device waits for each of StageModel::messages. Zero where it is not known.
  struct Passes {
    Seconds forward, whole, input_grad;
  };
  Passes passes(const transform::StageNeed& need, bool sums, const std::vector<Seconds>& waits) const;

 private:
  // The messages of one kind, and the times that are known.
  struct Known {
    std::optional<scenario::Message> message;
    std::vector<std::pair<double, Seconds>> times = {};  // by bytes
  };

  // Returns true if it is not known which ranks gather and scatter. Where contexts and replicas do so in one group,
  // some weights may have fewer copies than others.
  bool is_unknown() const { return ways_ == 1 || strategy_.sums_once(); }
  Known& known(collective::Kind kind) const;
  void add_gathers(const transform::StageNeed::Trained& device, StageExchange& exchange) const;
  void add_sums(const transform::StageNeed::Trained& device, StageExchange& exchange) const;
  Seconds sums(const std::vector<Bytes>& gradients) const;
  Seconds pass(const transform::StageNeed::Trained& device, const std::vector<transform::StageNeed::Step>& steps,
               bool sums, const std::vector<Seconds>& waits) const;

  const scenario::Scenario& scenario_;
  const scenario::Strategy& strategy_;
  GroupShapes& shapes_;
  const Arrangement& where_;
  const int ways_, step_;
  // The groups that sum gradients at the same time: those of replicas, or those of the ranks of all replicas where one
  // sum is taken over contexts as well. Empty if experts are summed over fewer ranks, or if stages differ.
  ShiftedGroups groups_;
  mutable std::vector<std::pair<collective::Kind, Known>> known_;
};

}  // namespace foreflow::search
