#include "transform/pipeline/overlapped/overlapped_messages.h"

#include <algorithm>
#include <limits>

#include "foreflow/base/nth.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/transform/recompute.h"

namespace foreflow::transform {
namespace {

bool is_message(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::communication; }

size_t gathered_axis(const ir::Op& gather, size_t rank) {
  const int64_t stated = gather.attributes->int_or("axis", 0);
  return static_cast<size_t>(stated < 0 ? stated + static_cast<int64_t>(rank) : stated);
}

std::optional<ProductCut> cut_along(const std::vector<ProductCut>& cuts, size_t axis) {
  const auto cut = std::find_if(cuts.begin(), cuts.end(), [axis](const ProductCut& one) { return one.input == axis; });
  return cut == cuts.end() ? std::nullopt : std::optional(*cut);
}

}  // namespace

OverlappedMessages::OverlappedMessages(const ir::Function& function, const interpret::Values<LaidOut>& values,
                                       const std::vector<int32_t>& makers, int parts)
    : function_(function), values_(values), makers_(makers), readers_(function), parts_(parts) {}

std::vector<int64_t> OverlappedMessages::lengths_of(const ir::Op& sum) const {
  const auto inputs = function_.inputs(sum);
  if (!ir::sums_over_devices(*sum.def) || inputs.empty()) return {};
  // The gradient of a weight is the second result of a product, and is not cut.
  const ir::Op* maker = maker_of(inputs[0]);
  if (maker == nullptr || maker->first_result != ir::index(inputs[0])) return {};
  std::vector<int64_t> lengths;
  for (const auto& [cut, length] : cuts_of_sum(sum, *maker)) lengths.push_back(length);
  return lengths;
}

// The ways to cut a product whose results are summed, with what chunks must divide: where the sum parts these rows over
// the devices, those of one of them.
std::vector<std::pair<ProductCut, int64_t>> OverlappedMessages::cuts_of_sum(const ir::Op& sum,
                                                                            const ir::Op& product) const {
  const auto inputs                 = function_.inputs(sum);
  const size_t rank                 = values_[ir::index(inputs[0])].value.type.dims.size();
  const int64_t parted              = parted_dimension(*sum.def, *sum.attributes, rank);
  const std::vector<ir::Type> types = types_of(product);
  std::vector<std::pair<ProductCut, int64_t>> cuts;
  for (const ProductCut& cut : cuts_of(product)) {
    const int64_t length = types[0].dims[cut.input];
    const auto ranks     = static_cast<int64_t>(ir::ranks_of(*sum.attributes, inputs.size()));
    cuts.emplace_back(cut, static_cast<int64_t>(cut.output) == parted ? length / ranks : length);
  }
  return cuts;
}

bool OverlappedMessages::may_run_beside(const ir::Op& op) const {
  const bool gathers = op.def->communication == ir::Communication::all_gather;
  return gathers ? !product_readers(op).empty() || only_gradients_of_weights_read(op)
                 : !added(function_.inputs(op)).empty();
}

std::map<size_t, OverlappedMessages::Beside> OverlappedMessages::computes_beside(const std::vector<Seconds>& seconds,
                                                                                 const ProductPieces& pieces,
                                                                                 const Share& share) const {
  std::map<size_t, Beside> beside;
  size_t free = 0;  // no gather counts ops from this one on
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    const ir::Op& op = function_.ops[o];
    if (!is_message(op) || op.attributes->find(kRecompute) != nullptr) continue;
    Seconds all;
    if (op.def->communication != ir::Communication::all_gather) {
      const auto operands = function_.inputs(op);
      const Added added   = this->added(operands);
      for (const size_t product : added.products) all += seconds[product];
      if (added.in_chunks) all = on_one_device(this->added(operands.first(1)), seconds, share);
      if (all > Seconds(0)) beside.emplace(o, Beside{all});
      continue;
    }
    const std::vector<size_t> products = product_readers(op);
    if (o < free || products.empty()) continue;
    const size_t end  = *std::max_element(products.begin(), products.end()) + 1;
    bool has_messages = false;
    for (free = o + 1; free < end; ++free) {
      has_messages = has_messages || is_message(function_.ops[free]);
      all += seconds[free];
    }
    if (!has_messages) beside.emplace(o, Beside{all, gathered(op, seconds, pieces, share)});
  }
  return beside;
}

Seconds OverlappedMessages::on_one_device(const Added& added, const std::vector<Seconds>& seconds,
                                          const Share& share) const {
  Seconds all;
  for (const auto& ops : {added.products, added.additions}) {
    for (const size_t op : ops) all += (1 / share(function_.ops[op])) * seconds[op];
  }
  return all;
}

// Rows go round a ring, but for x of a MatMulGrad. Nothing where products read them in both ways.
std::optional<StageModel::Gathered> OverlappedMessages::gathered(const ir::Op& gather,
                                                                 const std::vector<Seconds>& seconds,
                                                                 const ProductPieces& pieces,
                                                                 const Share& share) const {
  const size_t axis = gathered_axis(gather, values_[gather.first_result].value.type.dims.size());
  const auto ranks  = static_cast<int>(ir::ranks_of(*gather.attributes, gather.result_count));
  std::optional<StageModel::Gathered> all;
  for (size_t value = gather.first_result; value < gather.first_result + gather.result_count; ++value) {
    for (const int32_t reader : readers_[value]) {
      const ir::Op& product = nth(function_.ops, reader);
      const auto cut        = cut_along(cuts_of(product), axis);
      if (!cut) continue;
      const bool as_rows = ir::index(function_.inputs(product)[rows_operand(product)]) == value;
      const int ways     = as_rows ? ranks : 1;
      if (all && all->ways != ways) return std::nullopt;
      if (!all) all = StageModel::Gathered{ways, {}, {}, {}};
      all->readers += nth(seconds, reader);
      all->rows += share(product) * pieces.rows(product, *cut, ways);
      all->late += share(product) * pieces.weight_gradient(product);
    }
  }
  return all;
}

std::vector<Seconds> OverlappedMessages::Beside::times() const {
  if (!gathered) return {computes};
  return {computes, Seconds(gathered->ways), gathered->readers, gathered->rows, gathered->late};
}

std::vector<Seconds> OverlappedMessages::chunks(const ir::Op& sum, const ProductPieces& pieces) const {
  constexpr int kMost = 4;  // more have no price
  std::vector<Seconds> chunks;
  for (int count = 2; count <= kMost; ++count)
    chunks.push_back(chunk(sum, pieces, count).value_or(Seconds(std::numeric_limits<double>::infinity())));
  return chunks;
}

// Nothing where `chunks` does not divide it.
std::optional<Seconds> OverlappedMessages::chunk(const ir::Op& sum, const ProductPieces& pieces, int chunks) const {
  const ir::Op* product = maker_of(function_.inputs(sum)[0]);
  const Added several   = added(function_.inputs(sum).first(1));
  if (product == nullptr || (!several.empty() && !several.in_chunks)) return std::nullopt;
  if (!several.empty()) product = &function_.ops[several.products.front()];
  for (const auto& [cut, length] : cuts_of_sum(sum, *product)) {
    if (!can_be_cut(length, chunks)) continue;
    if (several.empty()) return pieces.rows(*product, cut, chunks);
    Seconds all;
    for (const size_t one : several.products) all += pieces.rows(function_.ops[one], cut, chunks);
    for (const size_t one : several.additions) all += pieces.addition(function_.ops[one], cut.output, chunks);
    return all;
  }
  return std::nullopt;
}

// Returns the ops whose results the operands of a sum add up: gradients of x, or, chunk by chunk, several other
// products. Empty if it adds up anything else.
OverlappedMessages::Added OverlappedMessages::added(std::span<const ir::ValueId> operands) const {
  Added added;
  size_t gradients = 0;
  std::vector<ir::ValueId> open(operands.begin(), operands.end());
  while (!open.empty()) {
    const ir::ValueId id = open.back();
    const ir::Op* op     = maker_of(id);
    open.pop_back();
    if (op == nullptr || op->first_result != ir::index(id)) return {};
    const auto number = static_cast<size_t>(makers_[ir::index(id)]);
    if (op->def->sums_operands) {
      open.insert(open.end(), function_.inputs(*op).begin(), function_.inputs(*op).end());
      added.additions.push_back(number);
    } else if (!cuts_of(*op).empty()) {
      added.products.push_back(number);
      gradients += is_product_gradient(*op) ? 1 : 0;
    } else {
      return {};
    }
  }
  added.in_chunks = gradients == 0;
  const bool one  = added.in_chunks && added.additions.empty();
  return one || (gradients > 0 && gradients < added.products.size()) ? Added() : added;
}

// The products that read what is gathered along the rows; other ops may, too.
std::vector<size_t> OverlappedMessages::product_readers(const ir::Op& gather) const {
  const size_t axis = gathered_axis(gather, values_[gather.first_result].value.type.dims.size());
  std::vector<size_t> products;
  for (size_t value = gather.first_result; value < gather.first_result + gather.result_count; ++value) {
    for (const int32_t reader : readers_[value]) {
      if (cut_along(cuts_of(nth(function_.ops, reader)), axis)) products.push_back(static_cast<size_t>(reader));
    }
  }
  return products;
}

// Returns true if all that reads what is gathered makes it a matrix of rows, for gradients of weights.
bool OverlappedMessages::only_gradients_of_weights_read(const ir::Op& gather) const {
  for (size_t value = gather.first_result; value < gather.first_result + gather.result_count; ++value) {
    for (const int32_t reader : readers_[value]) {
      const ir::Op& view = nth(function_.ops, reader);
      if (!view.def->aliases_operand || view.result_count != 1) return false;
      for (const int32_t product : readers_[view.first_result]) {
        if (!is_gradient_of_weight(nth(function_.ops, product))) return false;
      }
    }
  }
  return true;
}

// The op that makes a value; null: it is a parameter or the result of a call.
const ir::Op* OverlappedMessages::maker_of(ir::ValueId id) const {
  const int32_t maker = id == ir::ValueId::none ? -1 : makers_[ir::index(id)];
  if (maker < 0 || nth(function_.ops, maker).is_call()) return nullptr;
  return &nth(function_.ops, maker);
}

std::vector<ProductCut> OverlappedMessages::cuts_of(const ir::Op& op) const {
  if (op.is_call()) return {};
  const std::vector<ir::Type> types = types_of(op);
  const std::vector<const ir::Array*> known(types.size(), nullptr);
  return product_cuts({*op.def, *op.attributes, types, known, op.result_count});
}

// The types of the operands, on one part of the batch.
std::vector<ir::Type> OverlappedMessages::types_of(const ir::Op& op) const {
  std::vector<ir::Type> types;
  for (const ir::ValueId id : function_.inputs(op)) {
    const LaidOut* value = id == ir::ValueId::none ? nullptr : &values_[ir::index(id)];
    types.push_back(value == nullptr ? ir::Type() : local_type(value->value.type, value->layout, parts_));
  }
  return types;
}

}  // namespace foreflow::transform
