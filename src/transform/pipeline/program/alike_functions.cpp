#include "transform/pipeline/program/alike_functions.h"

#include <map>

#include "foreflow/transform/recompute.h"

namespace foreflow::transform {

uint32_t AlikeFunctions::number(const Outlined& outlined) {
  words_ = {outlined.parameters.size(), outlined.sums.size(), outlined.function.results.size()};
  add_parameters(outlined);
  add_ops(outlined.function);
  for (const ir::ValueId id : outlined.function.results) words_.push_back(static_cast<uint64_t>(id));
  return known_.number(words_);
}

void AlikeFunctions::add_parameters(const Outlined& outlined) {
  for (const std::vector<ir::ValueId>* ids : {&outlined.parameters, &outlined.sums}) {
    for (const ir::ValueId id : *ids) words_.push_back(values_.number(ir::index(id)));
  }
  for (const ir::ParameterRole role : outlined.function.parameters) words_.push_back(static_cast<uint64_t>(role));
}

void AlikeFunctions::add_ops(const ir::Function& function) {
  std::map<int64_t, uint64_t> segments;  // by their number in the program: in the function, from 0
  for (const ir::Op& op : function.ops) {
    words_.push_back(reinterpret_cast<uint64_t>(op.def));
    words_.push_back(attributes_.of(op.attributes));
    if (op.attributes->find(kRecompute) != nullptr)
      words_.push_back(segments.emplace(op.attributes->get_int(kRecompute), segments.size()).first->second);
    words_.push_back(op.result_count);
    const auto inputs = function.inputs(op);
    words_.push_back(inputs.size());
    for (const ir::ValueId id : inputs) words_.push_back(static_cast<uint64_t>(id));
  }
}

}  // namespace foreflow::transform
