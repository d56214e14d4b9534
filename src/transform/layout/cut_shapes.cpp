#include "transform/layout/cut_shapes.h"

#include <map>
#include <optional>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using LaidOutValues = interpret::Values<LaidOut>;

using Shape = std::optional<std::vector<int64_t>>;

struct ReshapeTypes {
  std::vector<ir::Type> inputs;
  ir::Type output;
  Layout from, to;

  ReshapeTypes(const ir::Function& function, const ir::Op& op, const LaidOutValues& values)
      : output(values[op.first_result].value.type), to(values[op.first_result].layout) {
    for (const ValueId id : function.inputs(op)) inputs.push_back(values[ir::index(id)].value.type);
    from = values[ir::index(function.inputs(op)[0])].layout;
  }

  // Returns true if the stated shape makes the part of the result from the part of the operand.
  bool fits(const ir::Op& op, int ways) {
    inputs[0] = local_type(inputs[0], from, ways);
    const std::vector<const ir::Array*> known(inputs.size(), nullptr);
    try {
      return op.def->infer({*op.def, *op.attributes, inputs, known, 1})[0].dims == local_type(output, to, ways).dims;
    } catch (const Error&) {
      return false;
    }
  }
};

// The dimensions of the result, with that open which is cut. Nothing if the stated shape is right.
Shape cut_shape(const ir::Function& function, const ir::Op& op, const LaidOutValues& values, int ways) {
  ReshapeTypes types(function, op, values);
  const ir::Dims& dims = types.output.dims;
  if (!types.from.is_split() || !types.to.is_split() || ir::element_count(dims) <= 0) return std::nullopt;
  if (types.fits(op, ways)) return std::nullopt;
  std::vector<int64_t> shape(dims.begin(), dims.end());
  nth(shape, types.to.dim) = -1;
  return shape;
}

// The same, found once for equal ops on equal values of one interpretation.
class CutShapes {
 public:
  explicit CutShapes(int ways) : ways_(ways) {}

  const Shape& operator()(const ir::Function& function, const ir::Op& op, const LaidOutValues& values) {
    words_of(function, op, attributes_.of(op.attributes), values, words_);
    words_.push_back(values.number(op.first_result));
    const uint32_t number = known_.number(words_);
    if (number == shapes_.size()) shapes_.push_back(cut_shape(function, op, values, ways_));
    return shapes_[number];
  }

 private:
  const int ways_;
  ir::AttributeKeys attributes_;
  SequenceTable known_;
  std::vector<Shape> shapes_;  // by number in known_
  std::vector<uint64_t> words_;
};

bool states_shape(const ir::Op& op) {
  return !op.is_call() && op.def->sizes == ir::Sizes::shape && op.attributes->find("shape") != nullptr;
}

}  // namespace

ir::Module with_cut_shapes(ir::Module module, const LayoutInterpretation& layouts, int ways) {
  // Per function and op; nothing where the calls of a function disagree.
  std::map<std::pair<size_t, size_t>, Shape> shapes;
  CutShapes shape_of(ways);
  for (const auto& instance : layouts.instances) {
    const ir::Function& function = module.functions[instance.function];
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (!states_shape(function.ops[o])) continue;
      const Shape& shape         = shape_of(function, function.ops[o], instance.values);
      const auto [known, is_new] = shapes.try_emplace({instance.function, o}, shape);
      if (!is_new && known->second != shape) known->second.reset();
    }
  }
  for (const auto& [place, shape] : shapes) {
    if (!shape) continue;
    ir::Op& op                = module.functions[place.first].ops[place.second];
    ir::Attributes attributes = *op.attributes;
    attributes.erase("allowzero");
    attributes.set("shape", *shape);
    op.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
  }
  return module;
}

}  // namespace foreflow::transform
