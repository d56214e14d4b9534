// Writes what replicas exchange: sums of gradients, parts of weights and states, and the update between them.
#pragma once

#include <set>
#include <unordered_map>

#include "exchange_plan.h"
#include "foreflow/ir/builder.h"

namespace foreflow::transform {

using Copies = std::vector<ir::ValueId>;  // one per replica, or a single one on no device

// A program that is being written once for each replica: what they have of its values so far, and on which devices.
struct Replicas {
  ir::FunctionBuilder& builder;
  const ir::Function& function;
  const interpret::Values<LaidOut>& values;
  std::unordered_map<size_t, Copies>& copies;  // by value
  int ways;
  int32_t group;  // devices of one replica

  ir::Device device(ir::Device device, int way) const {
    if (device.placed()) device.index += way * group;
    return device;
  }
  std::string name(const ir::Value& value, int way) const {
    return value.name.empty() || ways == 1 ? value.name : value.name + ".r" + std::to_string(way + 1);
  }
};

class ReplicaExchange {
 public:
  ReplicaExchange(const ExchangePlan& plan, const DataParallel& how, const Replicas& replicas);

  // How a parameter or result of the program is spread, where the plan says so: flat.
  bool is_flat(ir::ValueId id) const { return flat_.contains(id); }
  // The plan writes this op.
  bool writes(size_t o) const { return ops_.contains(o); }
  // Where anything happens, ascending; before op `o` or, at its end, behind all ops.
  const std::set<size_t>& places() const { return places_; }
  // Writes all that happens there. Parameters have copies by now.
  void at(size_t o);

 private:
  using Values = std::vector<ir::ValueId>;

  const ir::Type& type(ir::ValueId id) const { return replicas_.values[ir::index(id)].value.type; }
  const TrainedWeight& weight(size_t number) const { return plan_.weights[number]; }
  Copies& copies(ir::ValueId id) { return replicas_.copies[ir::index(id)]; }

  ir::ValueId to_stream(ir::ValueId value, ir::ValueId owner, int way);
  ir::ValueId from_stream(ir::ValueId value, ir::ValueId owner, int way);
  ir::ValueId pack(const Values& values);
  Values unpack(ir::ValueId packed, size_t count);
  ir::ValueId rows(ir::ValueId value, const ir::Type& type);
  ir::ValueId own_row(ir::ValueId value, const ir::Type& type, int way);
  ir::ValueId from_rows(ir::ValueId value, const ir::Type& type);

  void sum(const Bucket& bucket, size_t number);
  void add_up(const Bucket& bucket, const Values& reduced);
  Values gradients(const Bucket& bucket, size_t number, int way);
  Values step(const Bucket& bucket, const Values& gradients, int way);
  Values all_gather(const std::vector<Values>& parts, const std::vector<size_t>& weights);
  void update();
  void assign(const Bucket& bucket, const Values& gathered);

  void gather(size_t window);
  void open(size_t window);

  const ExchangePlan& plan_;
  const DataParallel how_;
  const Replicas replicas_;
  std::set<ir::ValueId> flat_;
  std::set<size_t> ops_, places_;
  std::map<ir::ValueId, Copies> parts_;  // of weights that are gathered when they are used
  std::map<size_t, Values> reduced_;     // by bucket: per replica
  std::map<size_t, Copies> so_far_;      // by weight: sums over microbatches
  std::map<size_t, Values> gathered_;    // by window: per replica
  std::vector<size_t> next_;             // by window: the next one of its device
};

}  // namespace foreflow::transform
