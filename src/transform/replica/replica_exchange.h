// Writes the collectives of one replica with all others. Such a collective has the operand of this replica and states
// the number of replicas in an attribute (ir::kReplicas).
#pragma once

#include <map>

#include "foreflow/ir/builder.h"
#include "foreflow/transform/replica.h"

namespace foreflow::transform {

class ReplicaExchange {
 public:
  using Values = std::vector<ir::ValueId>;

  ReplicaExchange(ir::FunctionBuilder& builder, const DataParallel& how) : builder_(builder), how_(how) {}

  // Sums gradients of these types on `device`: all-reduces them, or reduce-scatters them if they are sharded, so that
  // every replica has its row of the sum. The sums form one value. With overlap it is on the stream of communication.
  // If reduce-scatters are limited, the device waits for the sum that it began before, and then packs.
  ir::ValueId sum(const Values& gradients, const std::vector<ir::Type>& types, const ir::Device& device);
  // The sum that `device` began last, or what was made of it on the stream of communication; none: there is none.
  ir::ValueId begun(const ir::Device& device) const;
  void set_begun(const ir::Device& device, ir::ValueId sum);
  // The sums of as many gradients as there are `types`, in these types, from what `sum` made of them.
  Values unpack_sums(ir::ValueId packed, const std::vector<ir::Type>& types);
  // Gathers the weights of these names from their rows. They form one value, on the stream of communication.
  ir::ValueId gather(const Values& rows, const std::vector<std::string>& names, const ir::Device& device);
  // Unpacks the `count` values that were packed into one.
  Values unpack(ir::ValueId packed, size_t count);
  // The same for weights of these names; the new names tell that they were gathered.
  Values unpack_gathered(ir::ValueId packed, const std::vector<std::string>& names);
  // Moves a value from the stream of communication to the main stream of the device.
  ir::ValueId arrive(ir::ValueId value, const ir::Device& device);

  // This replica's row of a value. Its elements, padded with zeros, are taken as a matrix with one row per replica.
  ir::ValueId own_row(ir::ValueId value, const ir::Type& type);
  // The value whose elements form such a matrix.
  ir::ValueId from_rows(ir::ValueId matrix, const ir::Type& type);

  // Whether a weight of this type travels in Float32.
  bool widens(const ir::Type& type) const;
  // The row of a weight of this type as it travels, and the weight from what was gathered of it.
  ir::ValueId to_gather(ir::ValueId row, const ir::Type& type);
  ir::ValueId from_gathered(ir::ValueId matrix, const ir::Type& type);

 private:
  ir::ValueId depart(ir::ValueId value, const ir::Device& device);
  ir::ValueId pack(const Values& values);
  ir::ValueId rows(ir::ValueId value, const ir::Type& type);
  ir::ValueId cast(ir::ValueId value, ir::DType dtype);
  // Whether a gradient of this type travels in another one.
  bool converts(const ir::Type& type) const;
  ir::ValueId collective(const char* op, ir::ValueId value, ir::Attributes attributes);

  ir::FunctionBuilder& builder_;
  const DataParallel how_;
  std::map<ir::Device, ir::ValueId> begun_;  // kept if reduce-scatters are limited
};

}  // namespace foreflow::transform
