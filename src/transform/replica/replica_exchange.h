// Writes the collectives of one replica with all others. Such a collective has the operands of this replica and states
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

  // The contribution of one device to an exchange. Several devices of a replica take part where its ranks hold copies
  // of the weights.
  struct Member {
    ir::Device device;
    Values values;
    std::vector<ir::Type> types = {};  // of gradients that are summed
  };

  // Sums the gradients of the members: all-reduces them, or reduce-scatters them if they are sharded, so that every
  // rank of every replica has its row of the sum. The sums of a member form one value. With overlap it is on the stream
  // of communication. If reduce-scatters are limited, the devices wait for the sums that they began before, and then
  // pack.
  Values sum(const std::vector<Member>& members);
  // The sum that `device` began last, or what was made of it on the stream of communication; none: there is none.
  ir::ValueId begun(const ir::Device& device) const;
  void set_begun(const ir::Device& device, ir::ValueId sum);
  // The sums of as many gradients as there are `types`, in these types, from what `sum` made of them.
  Values unpack_sums(ir::ValueId packed, const std::vector<ir::Type>& types);
  // Gathers weights from their rows, which the members have; `names` are those of one member after the other. The
  // weights of a member form one value, on the stream of communication.
  Values gather(const std::vector<Member>& members, const std::vector<std::string>& names);
  // Unpacks the `count` values that were packed into one.
  Values unpack(ir::ValueId packed, size_t count);
  // The weights of all members, from what `gather` made for these names; the new names tell that they were gathered.
  Values unpack_gathered(const Values& packed, const std::vector<std::string>& names);
  // Moves a value from the stream of communication to the main stream of the device.
  ir::ValueId arrive(ir::ValueId value, const ir::Device& device);

  // The row of a value that rank `rank` of `ranks` of this replica has. Its elements, padded with zeros, are taken as a
  // matrix with one row for each rank of the first replica, then of the next one, and so on.
  ir::ValueId own_row(ir::ValueId value, const ir::Type& type, size_t rank, size_t ranks);
  // The value whose elements form such a matrix.
  ir::ValueId from_rows(ir::ValueId matrix, const ir::Type& type, size_t ranks);

  // Returns true if a weight of this type travels in Float32.
  bool widens(const ir::Type& type) const;
  // The row of a weight of this type as it travels, and the weight from what was gathered of it.
  ir::ValueId to_gather(ir::ValueId row, const ir::Type& type);
  ir::ValueId from_gathered(ir::ValueId matrix, const ir::Type& type, size_t ranks);

 private:
  ir::ValueId depart(ir::ValueId value, const ir::Device& device);
  ir::ValueId pack(const Values& values);
  int64_t rows_for(size_t ranks) const { return how_.ways * static_cast<int64_t>(how_.all_ranks(ranks)); }
  ir::ValueId rows(ir::ValueId value, const ir::Type& type, size_t ranks);
  ir::ValueId cast(ir::ValueId value, ir::DType dtype);
  // Returns true if a gradient of this type travels in another one.
  bool converts(const ir::Type& type) const;
  Values collective(const char* op, Values values, ir::Attributes attributes);

  ir::FunctionBuilder& builder_;
  const DataParallel how_;
  std::map<ir::Device, ir::ValueId> begun_;  // kept if reduce-scatters are limited
};

}  // namespace foreflow::transform
