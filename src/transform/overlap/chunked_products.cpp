#include "transform/overlap/chunked_products.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"
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
      if (op.is_call() || !ir::sums_over_devices(*op.def) || !is_of_shards(op)) continue;
      if (std::optional<SumCut> cut = cut_of_sum(o)) {
        for (const auto& products : cut->products) found_.delayed.insert(products.begin(), products.end());
        found_.delayed.insert(cut->additions.begin(), cut->additions.end());
        found_.sums[o] = std::move(*cut);
      } else if (const std::vector<size_t> products = added_gradients(o); !products.empty()) {
        add_sum_of_several(o, products);
      }
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (!op.is_call() && op.def->communication == ir::Communication::all_gather) find_gather(o);
    }
    return std::move(found_);
  }

 private:
  struct Reader {
    size_t op, operand;
  };
  // Gathered rows that a product reads as this operand.
  struct Rows {
    ProductCut cut;
    size_t operand;
    bool whole;  // as in GatherCut
  };

  const ir::Type& type(ValueId id) const { return instance_.values[ir::index(id)].type; }

  // The devices of a tensor-parallel group follow each other; those of other groups, such as contexts, lie further
  // apart.
  bool is_of_shards(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    for (size_t i = 1; i < inputs.size(); ++i) {
      if (ir::device_of(type(inputs[i])).index != ir::device_of(type(inputs[i - 1])).index + 1) return false;
    }
    return true;
  }

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

  // The products that an operand of a sum adds up, and the additions. Gradients of x of several MatMulGrads are summed
  // in another way (added_gradients).
  struct Terms {
    std::vector<size_t> products, additions;
  };
  std::optional<Terms> terms_of(ValueId operand) const {
    Terms terms;
    std::vector<ValueId> open{operand};
    while (!open.empty()) {
      const ValueId id    = open.back();
      const int32_t maker = makers_[ir::index(id)];
      open.pop_back();
      if (maker < 0 || uses_[ir::index(id)] != 1 || found_.postponed.contains(static_cast<size_t>(maker)))
        return std::nullopt;
      const ir::Op& op = nth(function_.ops, maker);
      if (op.is_call() || op.first_result != ir::index(id)) return std::nullopt;
      if (!op.def->sums_operands) {
        terms.products.push_back(static_cast<size_t>(maker));
        continue;
      }
      terms.additions.push_back(static_cast<size_t>(maker));
      for (const ValueId term : function_.inputs(op)) {
        if (type(term).dims != type(operand).dims) return std::nullopt;
        open.push_back(term);
      }
    }
    std::sort(terms.products.begin(), terms.products.end());
    const bool is_gradient = is_product_gradient(function_.ops[terms.products[0]]);
    return is_gradient && terms.products.size() > 1 ? std::nullopt : std::optional(std::move(terms));
  }

  // Returns true if the products of a sum can be computed where it stands without keeping their operands for much
  // longer.
  bool are_before(size_t sum, const std::vector<size_t>& products) const {
    const size_t devices = function_.inputs(function_.ops[sum]).size();
    if (products.size() == 1) return products[0] + devices >= sum;
    return std::none_of(function_.ops.begin() + static_cast<std::ptrdiff_t>(products[0]),
                        function_.ops.begin() + static_cast<std::ptrdiff_t>(sum),
                        [](const ir::Op& op) { return op.is_call() || op.def->role == ir::Role::communication; });
  }

  std::optional<SumCut> cut_of_sum(size_t sum) const {
    const ir::Op& op  = function_.ops[sum];
    const auto inputs = function_.inputs(op);
    std::optional<ProductCut> cut;
    SumCut found{};
    for (const ValueId id : inputs) {
      std::optional<Terms> terms = terms_of(id);
      if (!terms || !are_before(sum, terms->products)) return std::nullopt;
      found.products.push_back(std::move(terms->products));
      found.additions.insert(found.additions.end(), terms->additions.begin(), terms->additions.end());
      for (const size_t o : found.products.back()) {
        const ir::Op& product = function_.ops[o];
        if (product.def != function_.ops[found.products[0][0]].def) return std::nullopt;
        const std::optional<ProductCut> own = first_cut(product);
        if (!own || (cut && *own != *cut)) return std::nullopt;
        cut = own;
      }
    }
    if (!cut || inputs.size() < 2) return std::nullopt;
    found.rows           = *cut;
    const int64_t parted = parted_dimension(*op.def, *op.attributes, type(inputs[0]).dims.size());
    if (static_cast<int64_t>(cut->output) != parted) return found;
    found.whole = is_product_gradient(function_.ops[found.products[0][0]]);
    if (found.whole) return found;
    found.interleaved = true;
    const int64_t own =
        type(inputs[0]).dims[cut->output] / static_cast<int64_t>(ir::ranks_of(*op.attributes, inputs.size()));
    return can_be_cut(own, chunks_) ? std::optional(std::move(found)) : std::nullopt;
  }

  void find_gather(size_t o) {
    if (found_.postponed.contains(o)) return;
    const ir::Op& gather = function_.ops[o];
    const auto inputs    = function_.inputs(gather);
    if (inputs.size() < 2) return;
    const auto rank      = static_cast<int64_t>(type(inputs[0]).dims.size());
    const int64_t stated = gather.attributes->int_or("axis", 0);
    const auto axis      = static_cast<size_t>(stated < 0 ? stated + rank : stated);
    GatherCut cut{false, false, std::vector<std::vector<size_t>>(inputs.size())};
    std::map<size_t, Rows> products;
    std::vector<size_t> others;
    bool is_returned = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId id = function_.output(gather, i);
      const auto& all  = readers_[ir::index(id)];
      is_returned      = is_returned || all.size() != static_cast<size_t>(uses_[ir::index(id)]);
      for (const Reader& reader : all) {
        const std::optional<Rows> rows = gathered_rows(function_.ops[reader.op], reader, axis);
        if (!rows) {
          others.push_back(reader.op);
          continue;
        }
        if (found_.postponed.contains(reader.op)) return;
        if (!products.empty() && products.begin()->second.whole != rows->whole) return;
        products[reader.op] = *rows;
        cut.readers[i].push_back(reader.op);
      }
    }
    if (products.empty() && !is_returned) return find_ahead(o, others);
    if (std::any_of(cut.readers.begin(), cut.readers.end(), [](const auto& of_device) { return of_device.empty(); }))
      return;
    cut.whole  = products.begin()->second.whole;
    cut.joined = is_returned || !others.empty();
    if (cut.whole && cut.joined) return;
    if (std::any_of(others.begin(), others.end(), [&](size_t reader) { return reader < cut.first(); })) return;
    for (const auto& [product, rows] : products) {
      if (!cut.whole && (found_.delayed.contains(product) || !can_start_at(cut.first(), product, rows.operand))) return;
    }
    for (const auto& [product, rows] : products) {
      if (!cut.whole) found_.rings[product] = {o, rows.cut};
      if (cut.whole && !found_.delayed.contains(product)) found_.beside.insert(product);
    }
    found_.gathers[o] = std::move(cut);
  }

  // Rows that only gradients of weights read, in a backward pass that is split, are gathered beside the gradients of
  // other weights before them, one of each device.
  void find_ahead(size_t gather, const std::vector<size_t>& readers) {
    const ir::Op& op = function_.ops[gather];
    if (!std::all_of(readers.begin(), readers.end(), [&](size_t reader) { return are_rows_of_gradients(reader); }))
      return;
    size_t first = gather;
    size_t found = 0;
    for (size_t o = gather; o-- > 0 && found < op.result_count;) {
      if (!is_gradient_of_weight(function_.ops[o])) continue;
      first = o;
      ++found;
    }
    const auto inputs = function_.inputs(op);
    if (found == 0 || std::any_of(inputs.begin(), inputs.end(),
                                  [&](ValueId id) { return makers_[ir::index(id)] >= static_cast<int32_t>(first); }))
      return;
    found_.ahead[first].push_back(gather);
    found_.begun.insert(gather);
    found_.gathers[gather] = {true, false, {}};
  }

  // Returns true if an op only makes a matrix of rows, for gradients of weights.
  bool are_rows_of_gradients(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || !op.def->aliases_operand || op.result_count != 1) return false;
    const auto& readers = readers_[op.first_result];
    return readers.size() == static_cast<size_t>(uses_[op.first_result]) &&
           std::all_of(readers.begin(), readers.end(),
                       [&](const Reader& reader) { return is_gradient_of_weight(function_.ops[reader.op]); });
  }

  // Returns true if all operands of a product but one are there when op `first` starts.
  bool can_start_at(size_t first, size_t product, size_t gathered) const {
    const auto inputs = function_.inputs(function_.ops[product]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_later =
          inputs[i] != ValueId::none && i != gathered && makers_[ir::index(inputs[i])] >= static_cast<int32_t>(first);
      if (is_later) return false;
    }
    return true;
  }

  // The products of which every operand of a sum adds up gradients of x. Empty: there are none.
  std::vector<size_t> added_gradients(size_t sum) const {
    std::vector<size_t> products;
    std::vector<ValueId> open;
    for (const ValueId id : function_.inputs(function_.ops[sum])) open.push_back(id);
    while (!open.empty()) {
      const ValueId id    = open.back();
      const int32_t maker = makers_[ir::index(id)];
      open.pop_back();
      if (maker < 0 || uses_[ir::index(id)] != 1) return {};
      const ir::Op& op = nth(function_.ops, maker);
      if (op.is_call() || op.first_result != ir::index(id)) return {};
      if (is_product_gradient(op)) {
        if (cuts_of(op).empty()) return {};
        products.push_back(static_cast<size_t>(maker));
      } else if (op.def->sums_operands) {
        for (const ValueId term : function_.inputs(op)) open.push_back(term);
      } else {
        return {};
      }
    }
    std::sort(products.begin(), products.end());
    return products;
  }

  void add_sum_of_several(size_t sum, const std::vector<size_t>& products) {
    std::set<ValueId> later;
    for (const size_t product : products) later.insert(function_.output(function_.ops[product], 1));
    std::vector<size_t> readers;
    for (size_t o = products.front() + 1; o < sum; ++o) {
      const ir::Op& op  = function_.ops[o];
      const auto inputs = function_.inputs(op);
      if (std::none_of(inputs.begin(), inputs.end(), [&](ValueId id) { return later.contains(id); })) continue;
      const bool is_moved = found_.late.contains(o) || found_.delayed.contains(o);
      if (is_moved || found_.sums.contains(o) || found_.sums_of_several.contains(o)) return;
      // A collective with devices of other groups, such as contexts, cannot wait for this group.
      const bool is_of_others =
          op.is_call() || (op.def->role == ir::Role::communication &&
                           !std::all_of(inputs.begin(), inputs.end(), [&](ValueId id) { return later.contains(id); }));
      if (is_of_others) return;
      readers.push_back(o);
      for (size_t i = 0; i < op.result_count; ++i) later.insert(function_.output(op, i));
    }
    // A reader of an earlier sum, too, such as the exchange of several weights, waits for both.
    for (auto& [other, of] : found_.sums_of_several)
      std::erase_if(of.readers, [&](size_t o) { return std::binary_search(readers.begin(), readers.end(), o); });
    found_.late.insert(products.begin(), products.end());
    found_.postponed.insert(readers.begin(), readers.end());
    found_.sums_of_several[sum] = {products, std::move(readers)};
  }

  // How a product reads rows that are gathered along `axis`.
  std::optional<Rows> gathered_rows(const ir::Op& product, const Reader& reader, size_t axis) const {
    if (product.is_call()) return std::nullopt;
    const std::vector<ProductCut> cuts = cuts_of(product);
    const auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const ProductCut& one) { return one.input == axis; });
    if (cut == cuts.end()) return std::nullopt;
    const bool whole = is_product_gradient(product) && reader.operand == 0;
    if (!whole && reader.operand != rows_operand(product)) return std::nullopt;
    return Rows{*cut, reader.operand, whole};
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

size_t GatherCut::first() const {
  const auto before = [](const auto& a, const auto& b) { return a.front() < b.front(); };
  return std::min_element(readers.begin(), readers.end(), before)->front();
}

ChunkedProducts chunked_products(const ir::Function& function, const interpret::Instance<Mixed>& instance,
                                 const std::vector<int32_t>& uses, const std::vector<int32_t>& makers, int chunks) {
  return Finder(function, instance, uses, makers, chunks).run();
}

}  // namespace foreflow::transform
