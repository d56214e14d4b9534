// Writes what one replica exchanges with the others. Every message is a collective of all replicas: it has the operand
// of this one and says in an attribute how many there are.
#pragma once

#include "foreflow/ir/builder.h"
#include "foreflow/transform/replica.h"

namespace foreflow::transform {

class ReplicaExchange {
 public:
  using Values = std::vector<ir::ValueId>;

  ReplicaExchange(ir::FunctionBuilder& builder, const DataParallel& how) : builder_(builder), how_(how) {}

  // Gradients of these types on `device`, all-reduced, or reduce-scattered so that every replica has its row of the
  // sum. The sums are one value, on the stream of communication where that is one of its own.
  ir::ValueId sum(const Values& gradients, const std::vector<ir::Type>& types, const ir::Device& device);
  // Rows of every replica of the weights of these names as whole matrices: one value, on the stream of communication.
  ir::ValueId gather(const Values& rows, const std::vector<std::string>& names, const ir::Device& device);
  // One value as the `count` that were packed.
  Values unpack(ir::ValueId packed, size_t count);
  // And with names that say that they were gathered.
  Values unpack_gathered(ir::ValueId packed, const std::vector<std::string>& names);
  // From the stream of communication to the device.
  ir::ValueId arrive(ir::ValueId value, const ir::Device& device);

  // This replica's row of the elements of a value, which is a matrix with a row for each replica, zeros behind the
  // last.
  ir::ValueId own_row(ir::ValueId value, const ir::Type& type);
  // That matrix as the value.
  ir::ValueId from_rows(ir::ValueId matrix, const ir::Type& type);

 private:
  ir::ValueId depart(ir::ValueId value, const ir::Device& device);
  ir::ValueId pack(const Values& values);
  ir::ValueId rows(ir::ValueId value, const ir::Type& type);
  ir::ValueId collective(const char* op, ir::ValueId value, ir::Attributes attributes);

  ir::FunctionBuilder& builder_;
  const DataParallel how_;
};

}  // namespace foreflow::transform
