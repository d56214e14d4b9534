#include <algorithm>
#include <map>
#include <optional>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/elementwise.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

// A shape that still fits when a dimension that batches, tensors or experts are split by shrinks: 0 keeps the operand's
// dimension while both agree, -1 takes what is left where they first differ.
std::vector<int64_t> split_free_shape(const ir::Dims& from, const ir::Dims& to) {
  std::vector<int64_t> shape(to.begin(), to.end());
  if (shape.empty() || ir::element_count(to) <= 0) return shape;
  size_t i = 0;
  for (; i < to.size() && i < from.size() && from[i] == to[i]; ++i) shape[i] = 0;
  if (i < to.size()) shape[i] = -1;
  return shape;
}

// The same for a broadcast: 1 keeps the operand's dimension.
std::vector<int64_t> split_free_stretch(const ir::Dims& from, const ir::Dims& to) {
  std::vector<int64_t> shape(to.begin(), to.end());
  const size_t more = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[more + i]) shape[more + i] = 1;
  }
  return shape;
}

// The first slice of an array along its first dimension, if all such slices are equal; nothing otherwise.
std::optional<ir::Array> unrepeated(const ir::Array& array) {
  const ir::Dims& dims = array.dims();
  if (array.is_tuple() || dims.empty() || dims[0] < 2 || array.size() == 0) return std::nullopt;
  const int64_t part = array.size() / dims[0];
  for (int64_t i = part; i < array.size(); ++i) {
    if (array.at(i) != array.at(i - part)) return std::nullopt;
  }
  return part_of(array, Layout::split(0), static_cast<int>(dims[0]), 0);
}

// A Resize to stated sizes as one of the axes that change, or else of the last, so that the others may be split.
// Nothing if the sizes are not simply the result's.
std::optional<ir::Attributes> with_axes(ir::Attributes attributes, const ir::Type& from, const ir::Type& to) {
  const std::string mode = attributes.string_or("coordinate_transformation_mode", "half_pixel");
  if (attributes.string_or("keep_aspect_ratio_policy", "stretch") != "stretch" || mode == "tf_crop_and_resize" ||
      !from.resolved() || !to.resolved() || from.dims.size() != to.dims.size())
    return std::nullopt;
  std::vector<int64_t> axes, sizes;
  for (size_t axis = 0; axis < to.dims.size(); ++axis) {
    if (from.dims[axis] == to.dims[axis]) continue;
    axes.push_back(static_cast<int64_t>(axis));
    sizes.push_back(to.dims[axis]);
  }
  if (axes.empty() && !to.dims.empty()) {
    axes.push_back(static_cast<int64_t>(to.dims.size()) - 1);
    sizes.push_back(to.dims.back());
  }
  attributes.set("axes", axes);
  attributes.set("sizes", sizes);
  return attributes;
}

constexpr size_t kSizes = 3, kGradientOfResized = 4;  // operands of Resize and its gradient

class Resolver {
 public:
  explicit Resolver(const ir::Module& module)
      : module_(module),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        builder_(function_.name, no_ops()),
        map_(function_.values.size()) {}

  ir::Module run() {
    find_constant_row();
    builder_.reserve(function_.ops.size(), function_.values.size(), function_.operands.size());
    copy_parameters(builder_, function_, map_);
    for (const ir::Op& op : function_.ops) write(op);
    std::vector<ir::ValueId> results;
    for (const ir::ValueId id : function_.results) results.push_back(map_(id));
    ir::Module result{module_.source, {module_.functions.begin(), module_.functions.end() - 1}};
    result.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(result, ir::Names::unique);
    return result;
  }

 private:
  // Known numbers come from constants, so a program that has any has the row of Constant.
  void find_constant_row() {
    for (const ir::Op& op : function_.ops) {
      if (!op.is_call() && op.def->name == "Constant") constant_ = op.def;
    }
  }

  // The dimensions of the tensor that the op fills with one number; nothing for other ops, or if they are not known. An
  // operand would hold those of a part once the data are split, while the readers of the op take its result for whole.
  std::optional<std::vector<int64_t>> filled_dims(const ir::Op& op) const {
    if (op.is_call() || op.def->sizes != ir::Sizes::filled) return std::nullopt;
    const ir::Type& made = values_[op.first_result].type;
    if (!made.resolved()) return std::nullopt;
    return std::vector<int64_t>(made.dims.begin(), made.dims.end());
  }

  ir::AttributesRef filling(const ir::Op& op, std::vector<int64_t> dims) {
    ir::Attributes stated = *op.attributes;
    stated.set("shape", std::move(dims));
    return builder_.share(std::move(stated));
  }

  void write_filled(const ir::Op& op, std::vector<int64_t> dims) {
    const ir::ValueId made = function_.output(op, 0);
    const ir::ValueId copy = builder_.append(op.def, -1, filling(op, std::move(dims)), {}, 1);
    builder_.set_name(copy, function_.value(made).name);
    builder_.annotate(copy, function_.value(made).annotation);
    map_.set(made, copy);
    if (!values_[ir::index(made)].known) filled_.emplace(made, &op);
  }

  bool computed_early(const ir::Op& op) const {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (!values_[op.first_result + i].known) return false;
    }
    return op.result_count > 0;
  }

  void write(const ir::Op& op) {
    if (auto dims = filled_dims(op)) return write_filled(op, *std::move(dims));
    if (op.is_call() || op.def->role == ir::Role::constant || op.def->role == ir::Role::communication ||
        computed_early(op)) {
      return copy_op(builder_, function_, op, map_);
    }
    std::vector<ir::ValueId> operands;
    for (size_t i = 0; i < function_.inputs(op).size(); ++i) {
      const ir::ValueId id = function_.inputs(op)[i];
      operands.push_back(stretches(op, i) ? one_part(id) : as_constant(id));
    }
    ir::AttributesRef attributes = op.attributes;
    const auto inputs            = function_.inputs(op);
    const bool resolved          = values_[op.first_result].type.resolved();
    if (op.def->sizes == ir::Sizes::expanded && resolved && values_[ir::index(inputs[0])].type.resolved()) {
      operands.resize(1);
      ir::Attributes shaped = *op.attributes;
      shaped.set("shape",
                 split_free_stretch(values_[ir::index(inputs[0])].type.dims, values_[op.first_result].type.dims));
      attributes = builder_.share(std::move(shaped));
    }
    if (op.def->sizes == ir::Sizes::shape && resolved) {
      operands.resize(1);
      ir::Attributes shaped = *op.attributes;
      shaped.erase("allowzero");  // 0 keeps a dimension
      shaped.set("shape",
                 split_free_shape(values_[ir::index(inputs[0])].type.dims, values_[op.first_result].type.dims));
      attributes = builder_.share(std::move(shaped));
    }
    if (auto axes = resized_axes(op)) {
      for (size_t i = 1; i < std::min(operands.size(), kGradientOfResized); ++i) operands[i] = ir::ValueId::none;
      attributes = builder_.share(std::move(*axes));
    }
    const auto first = static_cast<int32_t>(builder_.append(op.def, op.callee, attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::ValueId old = function_.output(op, i), copy = static_cast<ir::ValueId>(first + static_cast<int32_t>(i));
      builder_.set_name(copy, function_.value(old).name);
      builder_.annotate(copy, function_.value(old).annotation);
      map_.set(old, copy);
    }
  }

  // The attributes of a Resize to stated sizes, or its gradient, that name the axes.
  std::optional<ir::Attributes> resized_axes(const ir::Op& op) const {
    const bool gradient = op.def->gradient_of == ir::GradientOf::resize;
    const auto inputs   = function_.inputs(op);
    const bool by_sizes =
        op.attributes->find("sizes") != nullptr || (inputs.size() > kSizes && inputs[kSizes] != ir::ValueId::none);
    if (!by_sizes || op.def->sizes != ir::Sizes::resized) return std::nullopt;
    const size_t resized = gradient ? ir::index(inputs[kGradientOfResized]) : op.first_result;
    return with_axes(*op.attributes, values_[ir::index(inputs[0])].type, values_[resized].type);
  }

  // The numbers themselves in place of what computed them.
  ir::ValueId as_constant(ir::ValueId id) {
    if (id == ir::ValueId::none || ir::index(id) < function_.parameters.size()) return map_(id);
    const interpret::Mixed& value = values_[ir::index(id)];
    if (!value.known || constant_ == nullptr || is_constant(id)) return map_(id);
    const auto [known, fresh] = constants_.emplace(id, ir::ValueId::none);
    if (fresh) {
      const auto attributes = builder_.share({{"value", *value.known}});
      known->second         = builder_.append(constant_, -1, attributes, {}, 1);
    }
    return known->second;
  }

  // Returns true if one part of an operand of known numbers is as good as all of them, since the op stretches it: a
  // mask that was stretched to the batch when it was computed would hold the batch together.
  bool stretches(const ir::Op& op, size_t operand) const {
    const ir::ValueId id = function_.inputs(op)[operand];
    if (id == ir::ValueId::none) return false;
    const bool known = constant_ != nullptr && values_[ir::index(id)].known, filled = filled_.contains(id);
    if (!known && !filled) return false;
    OpTypes types(function_, op, values_);
    ir::Type& type = types.inputs[operand];
    if (type.dims.empty() || type.dims[0] < 2 || !is_elementwise(types.call())) return false;
    if (!filled && !unrepeated(*types.known[operand])) return false;
    type.dims[0]         = 1;
    types.known[operand] = nullptr;
    try {
      return op.def->infer(types.call()) == moved_nowhere(types.outputs);
    } catch (const Error&) {  // a number for each channel, say
      return false;
    }
  }

  static std::vector<ir::Type> moved_nowhere(std::vector<ir::Type> types) {
    for (ir::Type& type : types) type = ir::moved(type, {});
    return types;
  }

  ir::ValueId one_part(ir::ValueId id) {
    const auto [known, fresh] = parts_.emplace(id, ir::ValueId::none);
    if (!fresh) return known->second;
    if (const auto filled = filled_.find(id); filled != filled_.end()) {
      std::vector<int64_t> dims = *filled_dims(*filled->second);
      dims[0]                   = 1;
      known->second = builder_.append(filled->second->def, -1, filling(*filled->second, std::move(dims)), {}, 1);
    } else {
      known->second = builder_.append(constant_, -1,
                                      builder_.share({{"value", *unrepeated(*values_[ir::index(id)].known)}}), {}, 1);
    }
    return known->second;
  }

  bool is_constant(ir::ValueId id) {
    if (from_constant_.empty()) {
      from_constant_.resize(function_.values.size());
      for (const ir::Op& op : function_.ops) {
        if (!op.is_call() && op.def->role == ir::Role::constant) from_constant_[op.first_result] = true;
      }
    }
    return from_constant_[ir::index(id)];
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  const ir::OpDef* constant_ = nullptr;
  std::map<ir::ValueId, ir::ValueId> constants_, parts_;  // and of constants that repeat, one part
  std::map<ir::ValueId, const ir::Op*> filled_;  // tensors of one number with too many elements to be known: their ops
  std::vector<bool> from_constant_;
};

}  // namespace

ir::Module resolve(const ir::Module& module) { return Resolver(module).run(); }

namespace definitions::resolve {
PassDef row() {
  return {
      "resolve",
      "write shapes that are computed from other shapes into the ops that use them",
      {},
      [](const ir::Module& module, const ir::OpTable&, const PassArguments&) { return transform::resolve(module); }};
}
}  // namespace definitions::resolve

}  // namespace foreflow::transform
