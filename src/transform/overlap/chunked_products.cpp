#include "transform/overlap/chunked_products.h"

#include <algorithm>
#include <optional>

#include "foreflow/ir/replicas.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using interpret::Mixed;
using ir::ValueId;

class Finder {
 public:
  Finder(const ir::Function& function, const interpret::Instance<Mixed>& instance, const std::vector<int32_t>& uses,
         const std::vector<int32_t>& makers, int chunks)
      : function_(function), instance_(instance), uses_(uses), makers_(makers), chunks_(chunks) {}

  ChunkedProducts run() {
    find_readers();
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call() || (op.def->name != "MPIAllreduce" && op.def->name != "MPIReduceScatter")) continue;
      if (const std::optional<SumCut> cut = cut_of_sum(o)) {
        found_.sums[o] = *cut;
        for (const ValueId id : function_.inputs(op))
          found_.delayed.insert(static_cast<size_t>(makers_[ir::index(id)]));
      } else if (std::vector<size_t> products = added_gradients(o); !products.empty()) {
        found_.late.insert(products.begin(), products.end());
        found_.sums_of_several[o] = std::move(products);
      }
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (!function_.ops[o].is_call() && function_.ops[o].def->name == "MPIAllgather") find_gather(o);
    }
    return std::move(found_);
  }

 private:
  struct Reader {
    size_t op, operand;
  };

  const ir::Type& type(ValueId id) const { return instance_.values[ir::index(id)].type; }
  const ir::Op& product_of(ValueId id) const { return function_.ops[static_cast<size_t>(makers_[ir::index(id)])]; }

  void find_readers() {
    readers_.resize(function_.values.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const auto inputs = function_.inputs(function_.ops[o]);
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] != ValueId::none) readers_[ir::index(inputs[i])].push_back({o, i});
      }
    }
  }

  // The ways to cut a product into chunks; empty: it is none.
  std::vector<ProductCut> cuts_of(const ir::Op& op) const {
    return product_cuts(OpTypes(function_, op, instance_.values).call());
  }

  // The first dimension that the chunks divide.
  std::optional<ProductCut> first_cut(const ir::Op& op) const {
    const ir::Dims& dims = type(function_.inputs(op)[0]).dims;
    for (const ProductCut& cut : cuts_of(op)) {
      if (can_be_cut(dims[cut.input], chunks_)) return cut;
    }
    return std::nullopt;
  }

  std::optional<SumCut> cut_of_sum(size_t sum) const {
    const ir::Op& op  = function_.ops[sum];
    const auto inputs = function_.inputs(op);
    std::optional<ProductCut> cut;
    for (const ValueId id : inputs) {
      const int32_t maker = makers_[ir::index(id)];
      if (maker < 0 || uses_[ir::index(id)] != 1 || static_cast<size_t>(maker) + inputs.size() < sum)
        return std::nullopt;
      const ir::Op& product = product_of(id);
      if (product.is_call() || product.first_result != ir::index(id) || product.def != product_of(inputs[0]).def)
        return std::nullopt;
      const std::optional<ProductCut> own = first_cut(product);
      if (!own) return std::nullopt;
      cut = own;
    }
    if (!cut || inputs.size() < 2) return std::nullopt;
    const int64_t parted = parted_dimension(*op.def, *op.attributes, type(inputs[0]).dims.size());
    if (static_cast<int64_t>(cut->output) != parted) return SumCut{*cut};
    if (is_product_gradient(product_of(inputs[0]))) return SumCut{*cut, false, true};
    const int64_t own =
        type(inputs[0]).dims[cut->output] / static_cast<int64_t>(ir::ranks_of(*op.attributes, inputs.size()));
    return can_be_cut(own, chunks_) ? std::optional(SumCut{*cut, true}) : std::nullopt;
  }

  void find_gather(size_t o) {
    const ir::Op& gather = function_.ops[o];
    const auto inputs    = function_.inputs(gather);
    const auto rank      = static_cast<int64_t>(type(inputs[0]).dims.size());
    const int64_t stated = gather.attributes->int_or("axis", 0);
    const auto axis      = static_cast<size_t>(stated < 0 ? stated + rank : stated);
    std::map<size_t, GatheredRows> products;
    std::map<ValueId, std::vector<size_t>> readers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId id = function_.output(gather, i);
      const auto& all  = readers_[ir::index(id)];
      if (inputs.size() < 2 || all.empty() || all.size() != static_cast<size_t>(uses_[ir::index(id)])) return;
      for (const Reader& reader : all) {
        const ir::Op& product = function_.ops[reader.op];
        if (product.is_call()) return;
        const std::optional<GatheredRows> rows = gathered_rows(product, reader, axis);
        if (!rows || (!products.empty() && products.begin()->second.whole != rows->whole)) return;
        if (!rows->whole && (found_.delayed.contains(reader.op) || !can_start_with(product, all.front()))) return;
        products[reader.op] = *rows;
        readers[id].push_back(reader.op);
      }
    }
    const bool whole  = products.begin()->second.whole;
    found_.gathers[o] = {whole};
    if (!whole) found_.readers.merge(readers);
    for (const auto& [product, rows] : products) {
      if (!found_.delayed.contains(product)) found_.gathered[product] = rows;
    }
  }

  // Whether the other operands of a product are there when the first reader of the same rows starts.
  bool can_start_with(const ir::Op& product, const Reader& first) const {
    const auto inputs = function_.inputs(product);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_later = inputs[i] != ValueId::none && i != first.operand &&
                            makers_[ir::index(inputs[i])] >= static_cast<int32_t>(first.op);
      if (is_later) return false;
    }
    return true;
  }

  // The products of which every operand of a sum adds up gradients of x, if their gradients of weights may be computed
  // after the sum has started. Empty: there are none.
  std::vector<size_t> added_gradients(size_t sum) const {
    std::vector<size_t> products;
    std::vector<ValueId> open;
    for (const ValueId id : function_.inputs(function_.ops[sum])) open.push_back(id);
    while (!open.empty()) {
      const ValueId id    = open.back();
      const int32_t maker = makers_[ir::index(id)];
      open.pop_back();
      if (maker < 0 || uses_[ir::index(id)] != 1) return {};
      const ir::Op& op = function_.ops[static_cast<size_t>(maker)];
      if (op.is_call() || op.first_result != ir::index(id)) return {};
      if (is_product_gradient(op)) {
        if (cuts_of(op).empty() || is_read_before(function_.output(op, 1), sum)) return {};
        products.push_back(static_cast<size_t>(maker));
      } else if (op.def->name == "Add") {
        for (const ValueId term : function_.inputs(op)) open.push_back(term);
      } else {
        return {};
      }
    }
    std::sort(products.begin(), products.end());
    return products;
  }

  bool is_read_before(ValueId id, size_t op) const {
    const auto& all = readers_[ir::index(id)];
    return !all.empty() && all.front().op < op;
  }

  std::optional<GatheredRows> gathered_rows(const ir::Op& product, const Reader& reader, size_t axis) const {
    const std::vector<ProductCut> cuts = cuts_of(product);
    const auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const ProductCut& one) { return one.input == axis; });
    if (cut == cuts.end()) return std::nullopt;
    if (is_product_gradient(product) && reader.operand == 0) return GatheredRows{*cut, true};
    return reader.operand == rows_operand(product) ? std::optional(GatheredRows{*cut, false}) : std::nullopt;
  }

  const ir::Function& function_;
  const interpret::Instance<Mixed>& instance_;
  const std::vector<int32_t>& uses_;
  const std::vector<int32_t>& makers_;
  const int chunks_;
  std::vector<std::vector<Reader>> readers_;  // by value, in the order of the ops
  ChunkedProducts found_;
};

}  // namespace

bool is_product_gradient(const ir::Op& product) { return product.def->name == "MatMulGrad"; }

size_t rows_operand(const ir::Op& product) { return is_product_gradient(product) ? 2 : 0; }

ChunkedProducts chunked_products(const ir::Function& function, const interpret::Instance<Mixed>& instance,
                                 const std::vector<int32_t>& uses, const std::vector<int32_t>& makers, int chunks) {
  return Finder(function, instance, uses, makers, chunks).run();
}

}  // namespace foreflow::transform
