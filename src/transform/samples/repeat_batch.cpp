#include "foreflow/transform/repeat_batch.h"

#include <algorithm>
#include <optional>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/layout.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using interpret::Mixed;
using ir::ValueId;
using Ints = std::vector<int64_t>;

// Data of rank 1 may be lengths, one for each sample, or numbers that all samples share.
enum class Lists : uint8_t { count_samples, are_shared };

class BatchRepeater {
 public:
  BatchRepeater(const ir::Module& module, const ir::OpTable& ops, int64_t times, Lists lists)
      : module_(module),
        function_(module.entry()),
        before_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        times_(times),
        lists_(lists),
        builder_(function_.name, ops),
        map_(function_.values.size()) {}

  ir::Module run() {
    const int64_t batch = batch_size();
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i, batch);
    for (const ir::Op& op : function_.ops) write(op);
    ir::Module result{module_.source, {}};
    result.functions.push_back(builder_.finish(copies(function_.results, map_)));
    ir::verify(result);
    return result;
  }

 private:
  const Mixed& before(ValueId id) const { return before_.entry().values[ir::index(id)]; }
  const Mixed& now(ValueId id) const { return now_[ir::index(map_(id))]; }

  int64_t batch_size() const {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const ir::Type& type = before(static_cast<ValueId>(i)).type;
      if (function_.parameters[i] == ir::ParameterRole::data && type.is_tensor() && !type.dims.empty())
        return type.dims[0];
    }
    throw Error(module_.source, "has no data with a dimension that counts samples");
  }

  void parameter(size_t i, int64_t batch) {
    const auto id        = static_cast<ValueId>(i);
    const size_t rank    = before(id).type.dims.size();
    const bool is_list   = rank == 1 && lists_ == Lists::are_shared;
    Mixed value          = before(id);
    const bool of_sample = function_.parameters[i] == ir::ParameterRole::data && value.type.is_tensor() && rank > 0 &&
                           !is_list && value.type.dims[0] == batch;
    if (of_sample) value = Mixed::of(enlarged(value.type, 0));
    map_.set(id, builder_.parameter(function_.values[i].name, function_.parameters[i], value.type));
    note(std::move(value), of_sample ? std::optional<size_t>(0) : std::nullopt);
  }

  ir::Type enlarged(ir::Type type, size_t dim) const {
    type.dims[dim] *= times_;
    return type;
  }

  // Records what is known about the value that was made last.
  void note(Mixed value, std::optional<size_t> samples, bool is_mixed = false) {
    now_.push_back(std::move(value));
    samples_.push_back(samples);
    mixes_.push_back(is_mixed);
  }

  // The dimension that has `times` as many elements as before. Nothing if there is none, or any other difference.
  std::optional<size_t> samples_of(const ir::Type& old, const ir::Type& made) const {
    if (!old.is_tensor() || !made.is_tensor() || old.dims.size() != made.dims.size()) return std::nullopt;
    for (size_t i = 0; i < old.dims.size(); ++i) {
      if (made.dims[i] != old.dims[i]) return made == enlarged(old, i) ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
  }
  std::optional<size_t> samples_of(ValueId id) const {
    return id == ValueId::none ? std::nullopt : samples_of(before(id).type, now(id).type);
  }

  // Returns true if results of these types go on with the samples that come in.
  bool goes_on(const ir::Op& op, const std::vector<Mixed>& results) const {
    const bool may_end = op.def->role == ir::Role::shape || op.def->reduction || op.def->loss;
    for (size_t i = 0; i < results.size(); ++i) {
      const ir::Type& old = before(function_.output(op, i)).type;
      if (samples_of(old, results[i].type)) continue;
      if (results[i].type != old || (i == 0 && !may_end)) return false;
    }
    return true;
  }

  // Returns true if the op does to each part of the batch what it does to another, so that results go on with samples
  // in their order. What it makes of all samples together must not meet samples again.
  bool keeps_apart(const ir::Op& op, const std::vector<ValueId>& operands, const std::vector<Mixed>& values,
                   const std::vector<Mixed>& results) const {
    std::vector<ir::Type> types;
    std::vector<const ir::Array*> known;
    std::vector<Layout> parts, kept;
    for (size_t i = 0; i < operands.size(); ++i) {
      types.push_back(values[i].type);
      known.push_back(values[i].known ? &*values[i].known : nullptr);
      if (operands[i] != ValueId::none && mixes_[ir::index(operands[i])]) return false;
      const auto dim = operands[i] == ValueId::none ? std::nullopt : samples_[ir::index(operands[i])];
      parts.push_back(dim ? Layout::split(static_cast<int32_t>(*dim)) : Layout::whole());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const auto dim = samples_of(before(function_.output(op, i)).type, results[i].type);
      kept.push_back(dim ? Layout::split(static_cast<int32_t>(*dim)) : Layout::whole());
    }
    const Decision decision =
        decide({*op.def, *op.attributes, types, known, op.result_count}, parts, static_cast<int>(times_));
    return decision.inputs == parts && decision.outputs == kept;
  }

  std::optional<std::vector<Mixed>> tried(const ir::Op& op, const std::vector<ValueId>& operands) const {
    std::vector<Mixed> values;
    for (const ValueId id : operands) values.push_back(id == ValueId::none ? Mixed{} : now_[ir::index(id)]);
    try {
      auto results = interpret::MixedDomain().apply(op, values);
      if (!goes_on(op, results)) return std::nullopt;
      const bool ends = results.empty() || !samples_of(before(function_.output(op, 0)).type, results[0].type);
      return ends || keeps_apart(op, operands, values, results) ? std::optional(std::move(results)) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void write(const ir::Op& op) {
    if (op.is_call()) cannot_go_on(op);
    const auto inputs = function_.inputs(op);
    const auto first =
        std::find_if(inputs.begin(), inputs.end(), [&](ValueId id) { return samples_of(id).has_value(); });
    std::vector<ValueId> operands = copies(inputs, map_);
    if (first == inputs.end()) return append_as_it_is(op, operands);
    if (op.def->sizes == ir::Sizes::shape) return write_reshape(op);
    if (op.def->sizes == ir::Sizes::expanded && first == inputs.begin()) operands[1] = open_shape(op);
    if (auto results = tried(op, operands)) return append(op, op.attributes, operands, std::move(*results));
    if (auto results = with_repeated(op, operands, map_(*first), *samples_of(*first)))
      return append(op, op.attributes, operands, std::move(*results));
    cannot_go_on(op);
  }

  void append_as_it_is(const ir::Op& op, const std::vector<ValueId>& operands) {
    std::vector<Mixed> values;
    for (const ValueId id : operands) values.push_back(id == ValueId::none ? Mixed{} : now_[ir::index(id)]);
    append(op, op.attributes, operands, interpret::MixedDomain().apply(op, values));
  }

  void append(const ir::Op& op, const ir::AttributesRef& attributes, const std::vector<ValueId>& operands,
              std::vector<Mixed> results) {
    const size_t made = ir::index(builder_.append(op.def, op.callee, attributes, operands, op.result_count));
    const bool reads =
        op.def->role != ir::Role::shape && std::any_of(operands.begin(), operands.end(), [&](ValueId id) {
          return id != ValueId::none && (samples_[ir::index(id)] || mixes_[ir::index(id)]);
        });
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const auto id = static_cast<ValueId>(made + i);
      builder_.set_name(id, function_.values[op.first_result + i].name);
      map_.set(function_.output(op, i), id);
      const auto samples = samples_of(before(function_.output(op, i)).type, results[i].type);
      note(std::move(results[i]), samples, reads && !samples);
    }
  }

  // Samples are counted along the dimension that has as many elements before it as the operand's.
  void write_reshape(const ir::Op& op) {
    const ValueId x     = function_.inputs(op)[0];
    const ir::Type& old = before(function_.output(op, 0)).type;
    const auto from     = samples_of(x);
    int64_t ahead = 1, passed = 1;
    if (!from || !old.resolved()) cannot_go_on(op);
    for (size_t i = 0; i < *from; ++i) ahead *= before(x).type.dims[i];
    size_t dim = 0;
    while (dim < old.dims.size() && passed != ahead) passed *= old.dims[dim++];
    if (dim == old.dims.size()) cannot_go_on(op);
    Ints shape(old.dims.begin(), old.dims.end());
    shape[dim] = -1;
    append(op, builder_.share({{"shape", shape}}), {map_(x)}, {Mixed::of(enlarged(old, dim))});
  }

  // The shape to which Expand stretches, with 1 where samples are counted.
  ValueId open_shape(const ir::Op& op) {
    const ir::Type& old = before(function_.output(op, 0)).type;
    const ValueId x     = function_.inputs(op)[0];
    if (!old.resolved()) cannot_go_on(op);
    Ints shape(old.dims.begin(), old.dims.end());
    shape[old.dims.size() - before(x).type.dims.size() + *samples_of(x)] = 1;
    const ir::Array numbers = ir::Array::of_ints({static_cast<int64_t>(shape.size())}, shape);
    const ValueId made      = builder_.op("Constant", {}, {{"value", numbers}});
    note(Mixed::of(numbers), std::nullopt);
    return made;
  }

  // Repeats those operands without samples that have one element where `like` counts them.
  std::optional<std::vector<Mixed>> with_repeated(const ir::Op& op, std::vector<ValueId>& operands, ValueId like,
                                                  size_t like_dim) {
    const auto inputs = function_.inputs(op);
    const size_t rank = now_[ir::index(like)].type.dims.size();
    bool any          = false;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == ValueId::none || samples_of(inputs[i])) continue;
      const ir::Type& type = now_[ir::index(operands[i])].type;
      if (!type.is_tensor() || type.dims.size() != rank || type.dims[like_dim] != 1) continue;
      operands[i] = repeated(operands[i], like_dim, like, like_dim);
      any         = true;
    }
    return any ? tried(op, operands) : std::nullopt;
  }

  ValueId repeated(ValueId x, size_t dim, ValueId like, size_t like_dim) {
    const ValueId made = builder_.op(
        "RepeatLike", {x, like}, {{"dim", static_cast<int64_t>(dim)}, {"like_dim", static_cast<int64_t>(like_dim)}});
    ir::Type type = now_[ir::index(x)].type;
    type.dims[dim] *= now_[ir::index(like)].type.dims[like_dim];
    note(Mixed::of(std::move(type)), dim, mixes_[ir::index(x)]);
    return made;
  }

  [[noreturn]] void cannot_go_on(const ir::Op& op) const {
    throw Error(ir::describe(module_, function_, op),
                "cannot go on with more samples than the model was made for, or would mix them");
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation before_;
  const int64_t times_;
  const Lists lists_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  // Per value that is made:
  std::vector<Mixed> now_;
  std::vector<std::optional<size_t>> samples_;  // the dimension that counts samples
  std::vector<bool> mixes_;                     // made of all samples together
};

}  // namespace

ir::Module repeat_batch(const ir::Module& module, const ir::OpTable& ops, int64_t times) {
  try {
    return BatchRepeater(module, ops, times, Lists::count_samples).run();
  } catch (const Error&) {  // a list may be shared; if not, this says why
    return BatchRepeater(module, ops, times, Lists::are_shared).run();
  }
}

}  // namespace foreflow::transform
