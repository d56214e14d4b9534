#include "transform/pipeline/overlapped_messages.h"

#include <algorithm>

#include "foreflow/transform/recompute.h"

namespace foreflow::transform {

OverlappedMessages::OverlappedMessages(const ir::Function& function, const interpret::Values<LaidOut>& values,
                                       const std::vector<int32_t>& makers, int parts)
    : function_(function), values_(values), makers_(makers), parts_(parts) {
  for (const ir::Op& op : function_.ops) {
    if (!op.is_call() && op.def->name == "MPIAllgather") readers_[op.first_result];
  }
  for (size_t o = 0; o < function_.ops.size() && !readers_.empty(); ++o) {
    for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
      const auto found = id == ir::ValueId::none ? readers_.end() : readers_.find(ir::index(id));
      if (found != readers_.end()) found->second.push_back(o);
    }
  }
}

std::vector<int64_t> OverlappedMessages::lengths_of(const ir::Op& sum) const {
  const bool sums   = sum.def->name == "MPIAllreduce" || sum.def->name == "MPIReduceScatter";
  const auto inputs = function_.inputs(sum);
  if (!sums || inputs.empty()) return {};
  // The gradient of a weight is the second result of a product, and is not cut.
  const ir::Op* maker = maker_of(inputs[0]);
  if (maker == nullptr || maker->first_result != ir::index(inputs[0])) return {};
  const size_t rank                 = values_[ir::index(inputs[0])].value.type.dims.size();
  const int64_t parted              = parted_dimension(*sum.def, *sum.attributes, rank);
  const std::vector<ir::Type> types = types_of(*maker);
  std::vector<int64_t> lengths;
  for (const ProductCut& cut : cuts_of(*maker)) {
    if (static_cast<int64_t>(cut.output) != parted) lengths.push_back(types[0].dims[cut.input]);
  }
  return lengths;
}

bool OverlappedMessages::may_run_beside(const ir::Op& op) const {
  return op.def->name == "MPIAllgather" ? only_products_read(op) : !added_gradients(op).empty();
}

std::map<size_t, Seconds> OverlappedMessages::computes_beside(const std::vector<Seconds>& seconds) const {
  std::map<size_t, Seconds> beside;
  size_t free = 0;  // no gather counts ops from this one on
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || op.def->role != ir::Role::communication || op.attributes->find(kRecompute) != nullptr) continue;
    Seconds all;
    if (op.def->name != "MPIAllgather") {
      for (const size_t product : added_gradients(op)) all += seconds[product];
      if (all > Seconds(0)) beside.emplace(o, all);
    } else if (o >= free && only_products_read(op)) {
      const size_t last = readers_.at(op.first_result).back();
      for (free = o; free <= last; ++free) all += seconds[free];
      beside.emplace(o, all);
    }
  }
  return beside;
}

// The products whose gradients of x a sum adds up; empty: it adds up something else.
std::vector<size_t> OverlappedMessages::added_gradients(const ir::Op& sum) const {
  std::vector<size_t> products;
  std::vector<ir::ValueId> open(function_.inputs(sum).begin(), function_.inputs(sum).end());
  while (!open.empty()) {
    const ir::ValueId id = open.back();
    const ir::Op* op     = maker_of(id);
    open.pop_back();
    if (op == nullptr) return {};
    if (op->def->name == "Add") {
      open.insert(open.end(), function_.inputs(*op).begin(), function_.inputs(*op).end());
    } else if (op->def->name == "MatMulGrad" && op->first_result == ir::index(id)) {
      products.push_back(static_cast<size_t>(makers_[ir::index(id)]));
    } else {
      return {};
    }
  }
  return products;
}

// Whether every op that reads what is gathered is a product of its rows.
bool OverlappedMessages::only_products_read(const ir::Op& gather) const {
  const auto rank      = static_cast<int64_t>(values_[gather.first_result].value.type.dims.size());
  const int64_t stated = gather.attributes->int_or("axis", 0);
  const auto axis      = static_cast<size_t>(stated < 0 ? stated + rank : stated);
  const auto& readers  = readers_.at(gather.first_result);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](size_t reader) {
    const std::vector<ProductCut> cuts = cuts_of(function_.ops[reader]);
    return std::any_of(cuts.begin(), cuts.end(), [axis](const ProductCut& cut) { return cut.input == axis; });
  });
}

// The op that makes a value; null: it is a parameter or the result of a call.
const ir::Op* OverlappedMessages::maker_of(ir::ValueId id) const {
  const int32_t maker = id == ir::ValueId::none ? -1 : makers_[ir::index(id)];
  if (maker < 0 || function_.ops[static_cast<size_t>(maker)].is_call()) return nullptr;
  return &function_.ops[static_cast<size_t>(maker)];
}

std::vector<ProductCut> OverlappedMessages::cuts_of(const ir::Op& op) const {
  if (op.is_call()) return {};
  const std::vector<ir::Type> types = types_of(op);
  const std::vector<const ir::Array*> known(types.size(), nullptr);
  return product_cuts({*op.def, *op.attributes, types, known, op.result_count});
}

// Of the operands, on one part of the batch.
std::vector<ir::Type> OverlappedMessages::types_of(const ir::Op& op) const {
  std::vector<ir::Type> types;
  for (const ir::ValueId id : function_.inputs(op)) {
    const LaidOut* value = id == ir::ValueId::none ? nullptr : &values_[ir::index(id)];
    types.push_back(value == nullptr ? ir::Type() : local_type(value->value.type, value->layout, parts_));
  }
  return types;
}

}  // namespace foreflow::transform
