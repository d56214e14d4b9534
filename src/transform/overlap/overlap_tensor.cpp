// Computes tensor-parallel products in chunks, so that the sum of one chunk travels while the next chunk is computed:
//
//   %y.1 = MatMul(%x.1, %w.1)                  %a1.1, %b1.1 = Split[axis = 0, num_outputs = 2](%x.1)     // and on D2
//   %y.2 = MatMul(%x.2, %w.2)           ->     %v1 = MatMul(%a1.1, %w.1)                                 // and on D2
//   %z.1, %z.2 = MPIAllreduce(%y.1, %y.2)      %v2 = Send(%v1, 1.tp)                                     // and on D2
//                                              %v3, %v4 = MPIAllreduce(%v2, ..)
//                                              ..                                        // the same with %b1.1
//                                              %z.1 = Concat[axis = 0](Send(%v3, 1), ..)  // before its first use
//
// Transformer Engine does the same with user buffers. A MatMulGrad whose first result is summed becomes two products.
// The second one, the gradient of the weight, hides the sum of the last chunk, as in Megatron-LM.
#include <algorithm>
#include <optional>

#include "foreflow/ir/text.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/passes.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/awaited.h"
#include "transform/rewrite/op_types.h"
#include "transform/rewrite/product_cuts.h"
#include "transform/rewrite/stated_devices.h"

namespace foreflow::transform {
namespace {

using interpret::Mixed;
using ir::Device;
using ir::ValueId;

constexpr std::string_view kTensorStream = "tp";

class TensorOverlapper {
 public:
  TensorOverlapper(const ir::Function& function, const interpret::Instance<Mixed>* instance,
                   std::vector<bool>& names_devices, const ir::OpTable& ops, int chunks)
      : function_(function),
        instance_(instance),
        names_devices_(names_devices),
        chunks_(chunks),
        uses_(ir::uses_of(function)),
        makers_(ir::makers_of(function)),
        builder_(function.name, ops),
        map_(function.values.size()),
        awaited_(function, builder_, map_) {}

  ir::Function run() {
    find_products();
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (delayed_.contains(o)) continue;
      if (const auto found = cuts_.find(o); found != cuts_.end()) {
        write_chunks(op, found->second);
        continue;
      }
      awaited_.fetch(function_.inputs(op));
      copy_op(builder_, function_, op.is_call() ? on_stated_devices(o) : op, map_);
    }
    names_devices_.push_back(calls_naming_ || !cuts_.empty());
    awaited_.fetch(function_.results);
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  const ir::Type& type(ValueId id) const { return instance_->values[ir::index(id)].type; }

  // States the devices of a call whose function sums chunks, since such a function names streams.
  ir::Op on_stated_devices(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (!names_devices_[static_cast<size_t>(op.callee)]) return op;
    calls_naming_ = true;
    return with_stated_devices(builder_, function_, o, instance_);
  }

  void find_products() {
    for (size_t o = 0; instance_ != nullptr && o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call() || (op.def->name != "MPIAllreduce" && op.def->name != "MPIReduceScatter")) continue;
      if (const std::optional<ProductCut> cut = cut_of(o)) {
        cuts_[o] = *cut;
        for (const ValueId id : function_.inputs(op)) delayed_.insert(static_cast<size_t>(makers_[ir::index(id)]));
      }
    }
  }

  // How to cut the products of sum `sum`. Its operands must be computed by equal products directly before it, and must
  // not be read by any other op.
  std::optional<ProductCut> cut_of(size_t sum) const {
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
      const std::optional<ProductCut> own = cut_of_product(product);
      if (!own) return std::nullopt;
      cut = own;
    }
    if (!cut || inputs.size() < 2) return std::nullopt;
    const int64_t parted = parted_dimension(*op.def, *op.attributes, type(inputs[0]).dims.size());
    if (static_cast<int64_t>(cut->output) == parted) return std::nullopt;
    return cut;
  }

  // The first way to cut the product.
  std::optional<ProductCut> cut_of_product(const ir::Op& op) const {
    const OpTypes types(function_, op, instance_->values);
    for (const ProductCut& cut : product_cuts(types.call())) {
      if (can_be_cut(types.inputs[0].dims[cut.input], chunks_)) return cut;
    }
    return std::nullopt;
  }

  void write_chunks(const ir::Op& sum, const ProductCut& cut) {
    const auto inputs = function_.inputs(sum);
    std::vector<std::vector<ValueId>> pieces;  // per device, of its operand that is cut
    for (const ValueId id : inputs) {
      const ir::Op& product = product_of(id);
      awaited_.fetch(function_.inputs(product));
      pieces.push_back(builder_.emit("Split", {map_(rows_of(product))},
                                     {{"axis", static_cast<int64_t>(cut.input)}, {"num_outputs", int64_t{chunks_}}},
                                     static_cast<size_t>(chunks_)));
    }
    std::vector<std::vector<ValueId>> summed(inputs.size());  // per device, chunk by chunk
    for (size_t chunk = 0; chunk < static_cast<size_t>(chunks_); ++chunk) {
      std::vector<ValueId> terms;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const ValueId part = multiply(product_of(inputs[i]), pieces[i][chunk]);
        terms.push_back(
            builder_.op("Send", {part}, {{"to", Device(ir::device_of(type(inputs[i])).index, kTensorStream)}}));
      }
      const auto first = ir::index(builder_.append(sum.def, -1, sum.attributes, terms, sum.result_count));
      for (size_t i = 0; i < inputs.size(); ++i) summed[i].push_back(static_cast<ValueId>(first + i));
    }
    for (const ValueId id : inputs) weight_gradient(product_of(id));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Device device = ir::device_of(type(inputs[i]));
      awaited_.expect(function_.output(sum, i), [this, parts = summed[i], device, axis = cut.output] {
        std::vector<ValueId> here;
        for (const ValueId part : parts) here.push_back(builder_.op("Send", {part}, {{"to", device}}));
        return builder_.op("Concat", here, {{"axis", static_cast<int64_t>(axis)}});
      });
    }
  }

  const ir::Op& product_of(ValueId id) const { return function_.ops[static_cast<size_t>(makers_[ir::index(id)])]; }
  ValueId rows_of(const ir::Op& product) const {
    return function_.inputs(product)[product.def->name == "MatMulGrad" ? 2 : 0];
  }

  ValueId multiply(const ir::Op& product, ValueId rows) {
    const auto inputs = function_.inputs(product);
    if (product.def->name == "MatMulGrad")
      return builder_.op("FusedMatMul", {rows, map_(inputs[1])}, {{"transB", int64_t{1}}});
    std::vector<ValueId> operands = copies(inputs, map_);
    operands[0]                   = rows;
    return builder_.append(product.def, -1, product.attributes, operands, 1);
  }

  // Emits the gradient of the weight, dw[h, f] = x[.., s, h]^T dy[.., s, f], for all rows at once.
  void weight_gradient(const ir::Op& product) {
    if (product.def->name != "MatMulGrad" || uses_[product.first_result + 1] == 0) return;
    const auto inputs  = function_.inputs(product);
    const auto as_rows = [&](ValueId id) {
      return builder_.op("Reshape", {map_(id)}, {{"shape", std::vector<int64_t>{-1, type(id).dims.back()}}});
    };
    const ValueId old = function_.output(product, 1);
    const ValueId dw  = builder_.op("Gemm", {as_rows(inputs[0]), as_rows(inputs[2])}, {{"transA", int64_t{1}}});
    builder_.set_name(dw, function_.value(old).name);
    builder_.annotate(dw, function_.value(old).annotation);
    map_.set(old, dw);
  }

  const ir::Function& function_;
  const interpret::Instance<Mixed>* instance_;  // null: the function has several that differ
  std::vector<bool>& names_devices_;            // of the functions above
  bool calls_naming_ = false;
  const int chunks_;
  const std::vector<int32_t> uses_;
  const std::vector<int32_t> makers_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  Awaited awaited_;
  std::map<size_t, ProductCut> cuts_;  // by sum
  std::set<size_t> delayed_;           // products that are written where their sum stands
};

}  // namespace

ir::Module overlap_tensor(const ir::Module& module, const ir::OpTable& ops, int chunks) {
  if (chunks == 1) return module;
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto instances                                = instance_by_function(module, interpretation);
  std::vector<bool> names_devices;
  ir::Module result;
  result.source = module.source;
  for (size_t f = 0; f < module.functions.size(); ++f)
    result.functions.push_back(TensorOverlapper(module.functions[f], instances[f], names_devices, ops, chunks).run());
  ir::verify(result);
  return result;
}

namespace definitions::overlap_tensor {
PassDef row() {
  return {"overlap_tensor",
          "tensor-parallel products in chunks (2), so that sums of one travel while the next is computed",
          {"chunks"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return transform::overlap_tensor(module, ops, degree_argument(arguments, "chunks", 2));
          }};
}
}  // namespace definitions::overlap_tensor

}  // namespace foreflow::transform
