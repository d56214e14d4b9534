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
//
// With sequence parallelism a chunk has rows of every device (interleaved_rows.h), and operands are gathered:
//
//   gathered operand            what happens
//   rows of a product           They travel round a ring: those of one device are multiplied while those of the next
//                               device arrive.
//   dy of a MatMulGrad          The same for the gradient of x; that of the weight follows when all rows are there.
//   x of a MatMulGrad           One gather, beside the gradient of x, whose sum is then one collective beside the
//                               gradient of the weight.
//   rows of the gradient of     Only in a backward pass that is split: one gather, beside the gradients of other
//   a weight                    weights that are computed before.
//
// Several products may read the same rows, as those of queries, keys and values do. They process the rows of one device
// together before those of the next, as a single product with all their weights would. The gradients that they give for
// their common x are added up, and the result is summed over the devices:
//   1. beside the gradients of the weights; or,
//   2. in a backward pass that is split, where the gradients of weights are computed elsewhere, chunk by chunk.
#include <algorithm>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/shared_attributes.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/passes.h"
#include "transform/overlap/chunked_products.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/awaited.h"
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
    if (instance_ != nullptr) cuts_ = chunked_products(function_, *instance_, uses_, makers_, chunks_);
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) write(o);
    names_devices_.push_back(calls_naming_ || !cuts_.empty());
    awaited_.fetch(function_.results);
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  void write(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (const auto ahead = cuts_.ahead.find(o); ahead != cuts_.ahead.end()) {
      for (const size_t gather : ahead->second) write_gather(gather, cuts_.gathers.at(gather));
    }
    if (cuts_.delayed.contains(o) || cuts_.postponed.contains(o) || cuts_.begun.contains(o)) return;
    if (const auto sum = cuts_.sums.find(o); sum != cuts_.sums.end()) return write_sum(op, sum->second);
    if (const auto gather = cuts_.gathers.find(o); gather != cuts_.gathers.end())
      return write_gather(o, gather->second);
    if (const auto sum = cuts_.sums_of_several.find(o); sum != cuts_.sums_of_several.end())
      return write_sum_of_several(op, sum->second);
    if (const auto ring = cuts_.rings.find(o); ring != cuts_.rings.end()) {
      const size_t gather = ring->second.gather;
      return cuts_.gathers.at(gather).first() == o ? write_ring(gather) : void();
    }
    if (cuts_.beside.contains(o)) return write_beside(o);
    if (cuts_.late.contains(o)) return write_gradient_of_rows(op);
    copy(o);
  }

  void copy(size_t o) {
    const ir::Op& op = function_.ops[o];
    awaited_.fetch(function_.inputs(op));
    copy_op(builder_, function_, op.is_call() ? on_stated_devices(o) : op, map_);
  }

  const ir::Type& type(ValueId id) const { return instance_->values[ir::index(id)].type; }

  // States the devices of a call whose function sums chunks, since such a function names streams.
  ir::Op on_stated_devices(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (!nth(names_devices_, op.callee)) return op;
    calls_naming_ = true;
    return with_stated_devices(builder_, function_, o, instance_);
  }

  ValueId to_stream(ValueId value, ValueId on_device) {
    return builder_.op("Send", {value}, {{"to", Device(ir::device_of(type(on_device)).index, kTensorStream)}});
  }
  ValueId to_device(ValueId value, ValueId of_device) {
    return builder_.op("Send", {value}, {{"to", ir::device_of(type(of_device))}});
  }

  // The collective of one chunk: its results on the stream, by device.
  std::vector<ValueId> communicate(const ir::Op& collective, const std::vector<ValueId>& terms) {
    const auto first =
        ir::index(builder_.append(collective.def, -1, collective.attributes, terms, collective.result_count));
    std::vector<ValueId> results;
    for (size_t i = 0; i < terms.size(); ++i) results.push_back(static_cast<ValueId>(first + i));
    return results;
  }

  void write_sum(const ir::Op& sum, const SumCut& cut) {
    const auto inputs  = function_.inputs(sum);
    const auto devices = inputs.size();
    const auto owners  = cut.interleaved ? static_cast<int64_t>(ir::ranks_of(*sum.attributes, devices)) : 1;
    const Rows rows{cut.rows.input, owners, cut.whole ? 1 : chunks_};
    std::vector<std::vector<std::vector<ValueId>>> pieces(devices);  // per device and product, of what is cut
    for (size_t i = 0; i < devices; ++i) {
      for (const size_t o : cut.products[i]) pieces[i].push_back(pieces_of(function_.ops[o], rows));
    }
    std::vector<std::vector<ValueId>> summed(devices);  // per device, chunk by chunk
    for (size_t chunk = 0; chunk < static_cast<size_t>(rows.chunks); ++chunk) {
      std::vector<ValueId> terms;
      for (size_t i = 0; i < devices; ++i) terms.push_back(multiply_all(cut.products[i], pieces[i], chunk));
      for (size_t i = 0; cut.whole && i < devices; ++i)
        fetch_rows_of_weight_gradient(function_.ops[cut.products[i][0]]);
      for (size_t i = 0; i < devices; ++i) terms[i] = to_stream(terms[i], inputs[i]);
      const std::vector<ValueId> results = communicate(sum, terms);
      for (size_t i = 0; i < devices; ++i) summed[i].push_back(results[i]);
    }
    for (const auto& products : cut.products) weight_gradient(function_.ops[products[0]]);
    for (size_t i = 0; i < devices; ++i) {
      awaited_.expect(function_.output(sum, i), [this, parts = summed[i], device = inputs[i], axis = cut.rows.output] {
        std::vector<ValueId> here;
        for (const ValueId part : parts) here.push_back(to_device(part, device));
        return join_rows(builder_, here, axis);
      });
    }
  }

  // The chunks of the operand of a product that is cut, when all operands are there.
  std::vector<ValueId> pieces_of(const ir::Op& product, const Rows& rows) {
    const auto operands = function_.inputs(product);
    for (size_t i = is_product_gradient(product) ? 1 : 0; i < operands.size(); ++i) awaited_.fetch(operands[i]);
    const ValueId cut = operands[rows_operand(product)];
    return rows.chunks == 1 ? std::vector{map_(cut)} : split_rows(builder_, map_(cut), type(cut).dims, rows);
  }

  // One chunk of the products that an operand of a sum adds up.
  ValueId multiply_all(const std::vector<size_t>& products, const std::vector<std::vector<ValueId>>& pieces,
                       size_t chunk) {
    ValueId sum = multiply(function_.ops[products[0]], pieces[0][chunk]);
    for (size_t p = 1; p < products.size(); ++p)
      sum = builder_.op("Add", {sum, multiply(function_.ops[products[p]], pieces[p][chunk])});
    return sum;
  }

  // The sum of several gradients of x, beside those of the weights.
  void write_sum_of_several(const ir::Op& sum, const SumOfSeveral& of) {
    const auto inputs = function_.inputs(sum);
    awaited_.fetch(inputs);
    for (const size_t product : of.products) fetch_rows_of_weight_gradient(function_.ops[product]);
    std::vector<ValueId> terms;
    for (const ValueId id : inputs) terms.push_back(to_stream(map_(id), id));
    const std::vector<ValueId> results = communicate(sum, terms);
    for (const size_t product : of.products) weight_gradient(function_.ops[product]);
    for (const size_t reader : of.readers) copy(reader);
    for (size_t i = 0; i < inputs.size(); ++i) {
      awaited_.expect(function_.output(sum, i),
                      [this, result = results[i], device = inputs[i]] { return to_device(result, device); });
    }
  }

  void write_gradient_of_rows(const ir::Op& product) {
    const auto inputs = function_.inputs(product);
    awaited_.fetch(inputs[1]);
    awaited_.fetch(inputs[2]);
    define(function_.output(product, 0), multiply(product, map_(inputs[2])));
  }

  // A gather at once, or the first step of a ring.
  void write_gather(size_t o, const GatherCut& cut) {
    const ir::Op& gather = function_.ops[o];
    const auto inputs    = function_.inputs(gather);
    awaited_.fetch(inputs);
    std::vector<ValueId> moving;
    for (const ValueId id : inputs) moving.push_back(to_stream(map_(id), id));
    if (!cut.whole) {
      moving_[o] = shifted(gather, moving);
      return;
    }
    const std::vector<ValueId> results = communicate(gather, moving);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId whole = function_.output(gather, i);
      awaited_.expect(whole, [this, result = results[i], whole] { return to_device(result, whole); });
    }
  }

  // Round the ring: each device gets what the one before it had.
  std::vector<ValueId> shifted(const ir::Op& gather, const std::vector<ValueId>& moving) {
    const size_t n = ir::ranks_of(*gather.attributes, moving.size());
    ir::Attributes attributes;
    if (n > moving.size()) attributes.set(std::string(ir::kShards), static_cast<int64_t>(n));
    return builder_.emit("MPIShift", moving, attributes, moving.size());
  }

  // A product whose x is gathered beside it.
  void write_beside(size_t o) {
    const ir::Op& product = function_.ops[o];
    write_gradient_of_rows(product);
    if (!cuts_.late.contains(o)) weight_gradient(product);
  }

  // The products of one device that read rows of a ring.
  struct OfDevice {
    ValueId whole;  // what they read
    std::vector<size_t> products;
    std::vector<ValueId> here;                // rows by owner, which device of the group has them before
    std::vector<std::vector<ValueId>> parts;  // of results, by product and owner
  };

  // All products of all devices that read what `gather` gathers. In step s, device i has the rows of device i - s. The
  // stream hands over the rows of a step before it fetches those of the next one, while the former are multiplied.
  void write_ring(size_t g) {
    const ir::Op& gather = function_.ops[g];
    const auto inputs    = function_.inputs(gather);
    const size_t n       = ir::ranks_of(*gather.attributes, inputs.size());
    std::vector<OfDevice> devices;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<size_t>& products = cuts_.gathers.at(g).readers[i];
      const std::vector<ValueId> none(n);
      devices.push_back({function_.output(gather, i), products, none, {products.size(), none}});
      for (const size_t product : products) fetch_factors(function_.ops[product]);
    }
    std::vector<ValueId> moving = moving_.at(g);
    for (size_t step = 0; step < n; ++step) {
      for (size_t i = 0; i < devices.size(); ++i) {
        OfDevice& device                = devices[i];
        device.here[(i + n - step) % n] = step == 0 ? map_(inputs[i]) : to_device(moving[i], device.whole);
      }
      if (step > 0 && step + 1 < n) moving = shifted(gather, moving);
      for (size_t i = 0; i < devices.size(); ++i) multiply_rows((i + n - step) % n, devices[i]);
    }
    for (const OfDevice& device : devices) join(device, cuts_.gathers.at(g).joined);
  }

  // Fetches what the rows are multiplied by.
  void fetch_factors(const ir::Op& product) {
    const auto inputs = function_.inputs(product);
    for (size_t i = is_product_gradient(product) ? 1 : 0; i < inputs.size(); ++i) {
      if (i != rows_operand(product)) awaited_.fetch(inputs[i]);
    }
  }

  void multiply_rows(size_t owner, OfDevice& device) {
    for (size_t p = 0; p < device.products.size(); ++p)
      device.parts[p][owner] = multiply(function_.ops[device.products[p]], device.here[owner]);
  }

  void join(const OfDevice& device, bool is_joined) {
    for (size_t p = 0; p < device.products.size(); ++p) {
      const ValueId y = function_.output(function_.ops[device.products[p]], 0);
      define(y, join_rows(builder_, device.parts[p], cuts_.rings.at(device.products[p]).rows.output));
    }
    const bool has_gradients = std::any_of(device.products.begin(), device.products.end(),
                                           [&](size_t o) { return is_product_gradient(function_.ops[o]); });
    if (!has_gradients && !is_joined) return;
    define(device.whole, join_rows(builder_, device.here, cuts_.rings.at(device.products[0]).rows.input));
    for (const size_t o : device.products) {
      if (!cuts_.late.contains(o)) weight_gradient(function_.ops[o]);
    }
  }

  void define(ValueId old, ValueId made) {
    builder_.take_name(made, function_.value(old).name);
    builder_.annotate(made, function_.value(old).annotation);
    map_.set(old, made);
  }

  // The scales are updated before the first piece.
  ValueId multiply(const ir::Op& product, ValueId rows) {
    const auto inputs        = function_.inputs(product);
    const ir::Attribute* own = product.attributes->find(ir::kFp8Updates);
    const bool updates       = own != nullptr && updated_.insert(&product).second;
    if (is_product_gradient(product)) {
      ir::Attributes attributes = attributes_of_rows_gradient(product);
      if (updates) attributes.set(std::string(ir::kFp8Updates), *own);
      return builder_.op(kRowsGradient, {rows, map_(inputs[1])}, std::move(attributes));
    }
    std::vector<ValueId> operands = copies(inputs, map_);
    operands[0]                   = rows;
    if (own == nullptr || updates) return builder_.append(product.def, -1, product.attributes, operands, 1);
    ir::Attributes attributes = *product.attributes;
    attributes.erase(ir::kFp8Updates);
    return builder_.append(product.def, -1, shared_(std::move(attributes)), operands, 1);
  }

  // Before the sum that travels beside the gradient of the weight, as the stream hands over in its own order.
  void fetch_rows_of_weight_gradient(const ir::Op& product) {
    if (is_product_gradient(product)) awaited_.fetch(function_.inputs(product)[0]);
  }

  // Emits the gradient of the weight, dw[h, f] = x[.., s, h]^T dy[.., s, f], for all rows at once.
  void weight_gradient(const ir::Op& product) {
    if (!is_product_gradient(product) || uses_[product.first_result + 1] == 0) return;
    const auto inputs = function_.inputs(product);
    awaited_.fetch(inputs[0]);
    const auto as_rows = [&](ValueId id) {
      return builder_.op("Reshape", {map_(id)}, {{"shape", std::vector<int64_t>{-1, type(id).dims.back()}}});
    };
    define(function_.output(product, 1), builder_.op(kWeightGradient, {as_rows(inputs[0]), as_rows(inputs[2])},
                                                     attributes_of_weight_gradient(product)));
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
  ChunkedProducts cuts_;
  std::set<const ir::Op*> updated_;  // products in fp8 whose scales have been updated
  ir::SharedAttributes shared_;
  std::map<size_t, std::vector<ValueId>> moving_;  // per ring, by its gather: what arrives first, by device
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
  return {
      "overlap_tensor",
      "tensor-parallel products in chunks (2), so that sums and gathered rows of one travel while another is computed",
      {"chunks"},
      [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
        return transform::overlap_tensor(module, ops, degree_argument(arguments, "chunks", 2));
      }};
}
}  // namespace definitions::overlap_tensor

}  // namespace foreflow::transform
