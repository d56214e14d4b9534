#include "transform/samples/sample_values.h"

#include <algorithm>

#include "foreflow/transform/layout.h"
#include "transform/rewrite/op_types.h"
#include "transform/samples/sample_gathers.h"

namespace foreflow::transform {
namespace {

using interpret::Mixed;
using ir::ValueId;

// Without the sizes that it states for its parameters.
ir::Module without_types(ir::Module module) {
  ir::Function& entry = module.functions.back();
  for (size_t i = 0; i < entry.parameters.size(); ++i) entry.values.annotate(i, nullptr);
  return module;
}

interpret::MixedInterpretation interpret_with(const ir::Module& module, const std::vector<ir::Type>& types) {
  std::vector<Mixed> arguments;
  for (const ir::Type& type : types) arguments.push_back(Mixed::of(type));
  return interpret::interpret_mixed(module, module.functions.size() - 1, arguments);
}

// The numbers of a value of `batch` samples, seen as [before, batch, rest of a sample].
struct SampleNumbers {
  const ir::Array& numbers;
  int64_t before = 1, batch, behind = 1;

  SampleNumbers(const ir::Array& array, size_t dim, int64_t samples) : numbers(array), batch(samples) {
    const ir::Dims& dims = array.dims();
    for (size_t i = 0; i < dim; ++i) before *= dims[i];
    for (size_t i = dim; i < dims.size(); ++i) behind *= dims[i];
    behind /= batch;
  }
  double at(int64_t outer, int64_t sample, int64_t inner) const {
    return numbers.at((outer * batch + sample) * behind + inner);
  }
};

// Returns true if sample 0 is the same in a batch of its own.
bool equal_alone(const SampleNumbers& of, const Mixed& alone) {
  if (!alone.known || alone.known->size() != of.before * of.behind) return false;
  for (int64_t outer = 0; outer < of.before; ++outer) {
    for (int64_t inner = 0; inner < of.behind; ++inner) {
      if (of.at(outer, 0, inner) != alone.known->at(outer * of.behind + inner)) return false;
    }
  }
  return true;
}

bool equal_for_all(const SampleNumbers& of) {
  for (int64_t outer = 0; outer < of.before; ++outer) {
    for (int64_t sample = 1; sample < of.batch; ++sample) {
      for (int64_t inner = 0; inner < of.behind; ++inner) {
        if (of.at(outer, sample, inner) != of.at(outer, 0, inner)) return false;
      }
    }
  }
  return true;
}

bool is_equal(const Mixed& a, const Mixed& b) {
  if (!a.known || !b.known || a.known->is_tuple() || b.known->is_tuple()) return false;
  if (a.known->dims() != b.known->dims() || a.known->dtype() != b.known->dtype()) return false;
  for (int64_t i = 0; i < a.known->size(); ++i) {
    if (a.known->at(i) != b.known->at(i)) return false;
  }
  return true;
}

// Ops that fill a new dimension with copies.
bool stretches(const ir::OpDef& def) {
  return def.sizes == ir::Sizes::expanded || def.sizes == ir::Sizes::filled || def.sizes == ir::Sizes::repeated;
}

class SampleFinder {
 public:
  SampleFinder(const ir::Module& module, SampleValues& found) : function_(module.entry()), found_(found) {}

  void run() {
    const size_t count = function_.values.size();
    found_.contents.assign(count, Content::shared);
    found_.same_for_all_b.assign(count, false);
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const bool data          = function_.parameters[i] == ir::ParameterRole::data;
      found_.contents[i]       = data ? Content::data : Content::shared;
      found_.same_for_all_b[i] = !data;
    }
    for (const ir::Op& op : function_.ops) {
      const bool data = op.is_call() || depends_on_data(op);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const ValueId id                     = function_.output(op, i);
        found_.contents[ir::index(id)]       = data ? Content::data : content_of(op, id);
        found_.same_for_all_b[ir::index(id)] = !data && keeps_for_all(op, id);
      }
    }
  }

 private:
  bool depends_on_data(const ir::Op& op) const {
    if (op.def->role == ir::Role::shape) return false;
    const auto inputs = function_.inputs(op);
    return std::any_of(inputs.begin(), inputs.end(), [&](ValueId id) { return found_.content(id) == Content::data; });
  }

  bool keeps_for_all(const ir::Op& op, ValueId result) const {
    if (is_equal(found_.whole_of(result), found_.one_of(result))) return true;
    const auto inputs = function_.inputs(op);
    if (op.def->role == ir::Role::shape || !op.def->foldable) return false;
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](ValueId id) { return id == ValueId::none || found_.same_for_all_b[ir::index(id)]; });
  }

  Content content_of(const ir::Op& op, ValueId result) const {
    const auto dim = found_.dim_of(result);
    if (!dim)
      return found_.whole_of(result).type.dims == found_.one_of(result).type.dims ? Content::shared : Content::other;
    const Mixed& small = found_.small_of(result);
    if (small.known && !small.known->is_tuple()) {
      if (small.known->size() == 0) return Content::other;
      const SampleNumbers numbers(*small.known, dim->dim, found_.small_batch);
      if (!equal_alone(numbers, found_.small_one.entry().values[ir::index(result)])) return Content::other;
      return equal_for_all(numbers) ? Content::same : Content::index;
    }
    return is_same(op, result) ? Content::same : Content::other;
  }

  // Returns true if the samples of a result whose numbers are not known are equal: the op repeats what it takes for
  // every sample, or treats every sample by itself.
  bool is_same(const ir::Op& op, ValueId result) const {
    if (find_sample_gather(function_, op, nullptr, found_, Content::same) != SampleGather::none) return true;
    std::vector<Layout> arriving;
    bool any          = false;
    const auto inputs = function_.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId id = inputs[i];
      const bool same  = found_.content(id) == Content::same;
      if (!same && found_.content(id) != Content::shared) return false;
      const bool states_sizes = i > 0 && (op.def->role == ir::Role::view || stretches(*op.def) || fits_size(op));
      if (!same && !states_sizes && id != ValueId::none && !found_.same_for_all_b[ir::index(id)] &&
          op.def->sizes != ir::Sizes::filled)
        return false;
      const auto dim = same ? found_.dim_of(id) : std::nullopt;
      arriving.push_back(dim ? Layout::split(static_cast<int32_t>(dim->dim)) : Layout::whole());
      any = any || same;
    }
    if (!op.def->foldable || op.result_count != 1) return false;
    if (!any) return stretches(*op.def);
    if (fits_size(op)) return keeps_samples(inputs[0], result);
    const OpTypes types(function_, op, found_.small.entry().values);
    const Decision decision = decide(types.call(), arriving, static_cast<int>(found_.small_batch));
    const auto dim          = static_cast<int32_t>(found_.dim_of(result)->dim);
    return decision.inputs == arriving && decision.outputs[0] == Layout::split(dim);
  }

  // Brings operand 0 to sizes that are stated for the whole batch, so its factors keep no split.
  static bool fits_size(const ir::Op& op) {
    const bool resizes = op.def->sizes == ir::Sizes::resized && op.def->gradient_of == ir::GradientOf::none;
    return resizes || op.def->sizes == ir::Sizes::expanded;
  }

  // Returns true if the result has a sample for each one of the operand. New dimensions come first (Expand).
  bool keeps_samples(ValueId operand, ValueId result) const {
    const auto from = found_.dim_of(operand), to = found_.dim_of(result);
    const size_t fresh = found_.whole_of(result).type.dims.size() - found_.whole_of(operand).type.dims.size();
    return from && to && from->dim + fresh == to->dim && from->per == to->per;
  }

  const ir::Function& function_;
  SampleValues& found_;
};

}  // namespace

std::optional<SampleDim> SampleValues::dim_of(ValueId id) const {
  const ir::Type &all = whole_of(id).type, &single = one_of(id).type, &few = small_of(id).type;
  if (!all.is_tensor() || !single.is_tensor() || !few.is_tensor() || !all.resolved() || !single.resolved() ||
      !few.resolved() || all.dims.size() != single.dims.size() || all.dims.size() != few.dims.size())
    return std::nullopt;
  std::optional<SampleDim> found;
  for (size_t i = 0; i < all.dims.size(); ++i) {
    if (all.dims[i] == single.dims[i]) continue;
    if (found || single.dims[i] == 0 || all.dims[i] % single.dims[i] != 0 || few.dims[i] % small_batch != 0)
      return std::nullopt;
    found = SampleDim{i, single.dims[i]};
  }
  return found;
}

std::optional<std::vector<int64_t>> SampleValues::steps_of(ValueId id) const {
  const auto dim     = dim_of(id);
  const Mixed& small = small_of(id);
  if (!dim || dim->dim != 0 || !small.known || small.known->is_tuple() || ir::is_float(small.known->dtype()))
    return std::nullopt;
  const SampleNumbers numbers(*small.known, 0, small_batch);
  std::vector<int64_t> steps;
  for (int64_t inner = 0; inner < numbers.behind; ++inner) {
    const double step = numbers.at(0, 1, inner) - numbers.at(0, 0, inner);
    for (int64_t sample = 1; sample < small_batch; ++sample) {
      if (numbers.at(0, sample, inner) - numbers.at(0, 0, inner) != step * static_cast<double>(sample))
        return std::nullopt;
    }
    steps.push_back(static_cast<int64_t>(step));
  }
  return steps;
}

std::optional<SampleValues> find_sample_values(const ir::Module& module, const OtherBatches& others) {
  SampleValues found;
  const ir::Module opened = without_types(module);
  std::vector<ir::Type> whole;
  const ir::Function& entry = module.entry();
  for (size_t i = 0; i < entry.parameters.size(); ++i)
    whole.push_back(entry.values[i].annotation == nullptr ? ir::Type() : *entry.values[i].annotation);
  try {
    found.whole = interpret_with(opened, whole);
    found.one   = interpret_with(opened, others.one);
  } catch (const Error&) {
    return std::nullopt;
  }
  try {
    found.small       = interpret_with(opened, others.small);
    found.small_one   = interpret_with(opened, others.small_one);
    found.small_batch = others.small_batch;
  } catch (const Error&) {  // other sizes have to be large: a patch does not fit into a small image
    found.small       = found.whole;
    found.small_one   = found.one;
    found.small_batch = others.batch;
  }
  SampleFinder(module, found).run();
  return found;
}

}  // namespace foreflow::transform
