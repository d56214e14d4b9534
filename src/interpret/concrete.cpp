#include "foreflow/interpret/concrete.h"

#include <algorithm>
#include <new>

#include "foreflow/base/memory.h"

namespace foreflow::interpret {
namespace {

bool left_out(const Concrete& value) { return value.type.kind == ir::Type::Kind::unknown; }

Bytes size_of(std::span<const ir::Type> values) {
  Bytes size;
  for (const ir::Type& value : values) size += value.resolved() ? ir::bytes_of(value) : Bytes(0);
  return size;
}

// A kernel may need more than its results take.
std::vector<ir::Array> run_kernel(const ir::OpCall& call, std::span<const ir::Type> outputs) {
  const Bytes size = size_of(outputs);
  const auto named = [&] {
    return outputs.size() == 1 ? "its result " + ir::to_string(outputs[0]) : std::string("all its results");
  };
  check_memory(size, named);
  try {
    return call.def.eval(call);
  } catch (const std::bad_alloc&) {
    throw MemoryError(named() + " takes " + format(size) + ", its computation more; " + format(available_memory()) +
                      " are available here");
  }
}

}  // namespace

std::vector<Concrete> ConcreteDomain::apply(const ir::Op& op, std::span<const Concrete> inputs) const {
  std::vector<ir::Type> types;
  std::vector<const ir::Array*> known;
  for (const Concrete& input : inputs) {
    types.push_back(input.type);
    known.push_back(left_out(input) ? nullptr : &input.numbers);
  }
  const std::vector<ir::Type> outputs = infer_placed(op, types, known);
  if (op.def->eval == nullptr) throw ir::OpError(op.def->name, "has no reference kernel");
  std::vector<ir::Array> numbers = run_kernel({*op.def, *op.attributes, types, known, op.result_count}, outputs);
  std::vector<Concrete> results;
  for (size_t i = 0; i < numbers.size(); ++i) {
    ir::Type type = ir::moved(numbers[i].type(), ir::device_of(outputs[i]));
    results.push_back({std::move(numbers[i]), refined(std::move(type), outputs[i])});
  }
  if (computed) computed();
  return results;
}

Concrete ConcreteDomain::refine(Concrete value, const ir::Type& annotation) const {
  value.type = refined(std::move(value.type), annotation);
  return value;
}

void ConcreteDomain::append_key(const Concrete& value, std::string& key) const {
  interpret::append_key(value.type, key);
  if (value.numbers.is_tuple()) {
    for (const ir::Array& element : value.numbers.elements()) append_key(Concrete::of(element), key);
    return;
  }
  key.append(reinterpret_cast<const char*>(value.numbers.bytes()), value.numbers.byte_count());
}

std::vector<ir::Array> evaluate(const ir::Module& module, size_t entry, const std::vector<ir::Array>& arguments,
                                const std::function<void()>& computed) {
  std::vector<Concrete> values;
  for (const ir::Array& argument : arguments) values.push_back(Concrete::of(argument));
  const auto interpretation = Interpreter<ConcreteDomain>(module, {computed}).run(entry, std::move(values));
  std::vector<ir::Array> results;
  for (const ir::ValueId id : module.functions[entry].results)
    results.push_back(interpretation.entry().values[ir::index(id)].numbers);
  return results;
}

size_t computed_ops(const ir::Module& module, size_t entry) {
  constexpr size_t kMost = 1'000'000'000'000'000;
  std::vector<size_t> counts;  // of each function; callees come before callers
  for (size_t f = 0; f <= entry; ++f) {
    size_t count = 0;
    for (const ir::Op& op : module.functions[f].ops)
      count = std::min(kMost, count + (op.is_call() ? counts[static_cast<size_t>(op.callee)] : 1));
    counts.push_back(count);
  }
  return counts.back();
}

}  // namespace foreflow::interpret
