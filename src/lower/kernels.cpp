#include "lower/kernels.h"

#include <algorithm>

#include "foreflow/lower/pointwise.h"

namespace foreflow::lower {

bool is_pointwise(const cost::Application& application, const ir::Work& work) {
  const ir::OpDef& def = application.call.def;
  if (application.on_host || work.kernels != 1 || def.role != ir::Role::compute || def.attention || def.reduction ||
      def.loss || def.vocabulary.kind != ir::VocabularyForm::Kind::none || application.outputs.empty())
    return false;
  const ir::Type& made = application.outputs[0];
  if (!made.is_tensor()) return false;
  constexpr double kFlopForEach = 64;  // a tanh counts a few, a product of matrices twice its inner dimension
  const auto count              = static_cast<double>(ir::element_count(made.dims));
  if (def.product != ir::Product::none || work.flops.value() > kFlopForEach * count) return false;
  return std::any_of(application.call.inputs.begin(), application.call.inputs.end(), [&](const ir::Type& type) {
    return type.is_tensor() && ir::element_count(type.dims) == ir::element_count(made.dims);
  });
}

std::optional<cost::Application> joined_at_best(cost::Application application) {
  if (!is_pointwise(application, application.call.def.work(application.call, application.outputs))) return std::nullopt;
  application.joined = true;
  for (const ir::Type& type : application.call.inputs) {
    if (type.is_tensor()) application.kept = std::max(application.kept, 2 * ir::bytes_of(type));
  }
  return application;
}

ir::ValueId Kernels::passed_on(const ir::Op& op, ir::ValueId last) const {
  const int32_t buffer = live_.buffer_of[ir::index(last)];
  for (const ir::ValueId id : function_.inputs(op)) {
    if (id != ir::ValueId::none && live_.buffer_of[ir::index(id)] == buffer) return id;
  }
  return ir::ValueId::none;
}

bool Kernels::dies(size_t o, ir::ValueId value) const {
  const int32_t buffer = live_.buffer_of[ir::index(value)];
  const auto freed     = live_.freed_after(o);
  // An op that works in place writes over what nothing else reads.
  const bool replaced = live_.buffer_of[function_.ops[o].first_result] == buffer;
  return replaced || std::find(freed.begin(), freed.end(), buffer) != freed.end();
}

ir::ValueId Kernels::place(size_t o, const ir::Work& work, ir::ValueId last, cost::Application& application) const {
  if (!on_ || work.kernels == 0) return last;  // no kernels: a view
  if (!is_pointwise(application, work)) return ir::ValueId::none;
  const ir::Op& op         = function_.ops[o];
  const ir::ValueId passed = last == ir::ValueId::none ? last : passed_on(op, last);
  if (passed != ir::ValueId::none) {
    const Bytes size   = ir::bytes_of(instance_.values[ir::index(passed)].type);
    application.kept   = dies(o, passed) ? 2 * size : size;
    application.joined = true;
  }
  return function_.output(op, 0);
}

}  // namespace foreflow::lower
