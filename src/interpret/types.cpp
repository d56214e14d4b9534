#include "foreflow/interpret/types.h"

#include "foreflow/ir/countable.h"

namespace foreflow::interpret {
namespace {

using ir::Type;

bool conflict(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

[[noreturn]] void contradiction(const Type& inferred, const Type& annotation) {
  throw Error("annotation", "is annotated " + ir::to_string(annotation) + " but is " + ir::to_string(inferred));
}

ir::Dims refined_dims(const Type& inferred, const Type& annotation) {
  if (!inferred.ranked) return annotation.dims;
  if (!annotation.ranked) return inferred.dims;
  if (inferred.dims.size() != annotation.dims.size()) contradiction(inferred, annotation);
  ir::Dims dims = inferred.dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (conflict(dims[i], annotation.dims[i])) contradiction(inferred, annotation);
    if (dims[i] < 0) dims[i] = annotation.dims[i];
  }
  return dims;
}

void check_size(const Type& type) {
  if (!ir::is_countable(type.dims))
    throw ir::UncountablePartError("type", ir::to_string(type) + " has more than 2^56 elements");
  for (const Type& element : type.elements) check_size(element);
}

std::vector<Type> checked(std::vector<Type> types) {
  for (const Type& type : types) check_size(type);
  return types;
}

// The members that all types have, without padding. For a tuple only its kind and its device count.
struct Head {
  Type::Kind kind;
  ir::DType dtype;
  bool ranked;
  uint8_t rank;
  ir::Device device;
};

template <class T>
void append_bytes(std::string& key, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

ir::Device common_device(std::span<const Type> inputs) {
  ir::Device device;
  for (const Type& input : inputs) {
    const ir::Device here = ir::device_of(input);
    if (!here.placed()) continue;
    if (device.placed() && here != device) {
      throw Error("devices", "operands live on D" + ir::to_string(device) + " and D" + ir::to_string(here) +
                                 "; Send one of them first");
    }
    device = here;
  }
  return device;
}

std::vector<Type> infer_placed(const ir::Op& op, std::span<const Type> inputs,
                               std::span<const ir::Array* const> known) {
  const ir::OpCall call{*op.def, *op.attributes, inputs, known, op.result_count};
  if (op.def->role == ir::Role::communication) return checked(op.def->infer(call));
  const ir::Device device   = common_device(inputs);
  std::vector<Type> outputs = checked(op.def->infer(call));
  if (!device.placed()) return outputs;
  for (Type& output : outputs) output = ir::moved(std::move(output), device);
  return outputs;
}

Type refined(Type inferred, const Type& annotation) {
  const ir::Device stated = annotation.device;
  const ir::Device lives  = ir::device_of(inferred);
  if (stated.placed() && lives.placed() && stated != lives) contradiction(inferred, annotation);
  if (inferred.kind == Type::Kind::unknown || annotation.kind == Type::Kind::unknown) {
    Type result             = inferred.kind == Type::Kind::unknown ? annotation : inferred;
    const ir::Device device = lives.placed() ? lives : stated;
    return device.placed() ? ir::moved(std::move(result), device) : result;
  }
  if (inferred.is_tuple() || annotation.is_tuple()) {
    if (!inferred.is_tuple() || !annotation.is_tuple() || inferred.elements.size() != annotation.elements.size())
      contradiction(inferred, annotation);
    for (size_t i = 0; i < inferred.elements.size(); ++i)
      inferred.elements[i] = refined(std::move(inferred.elements[i]), annotation.elements[i]);
    return inferred;
  }
  if (inferred.dtype != annotation.dtype) contradiction(inferred, annotation);
  inferred.dims   = refined_dims(inferred, annotation);
  inferred.ranked = inferred.ranked || annotation.ranked;
  if (!lives.placed()) inferred.device = stated;
  return inferred;
}

void append_key(const Type& type, std::string& key) {
  if (type.is_tuple()) {
    append_bytes(key, Head{type.kind, {}, false, 0, type.device});
    append_bytes(key, type.elements.size());
    for (const Type& element : type.elements) append_key(element, key);
    return;
  }
  append_bytes(key, Head{type.kind, type.dtype, type.ranked, static_cast<uint8_t>(type.dims.size()), type.device});
  key.append(reinterpret_cast<const char*>(type.dims.begin()), type.dims.size() * sizeof(int64_t));
}

std::vector<Type> TypeDomain::apply(const ir::Op& op, std::span<const Type> inputs) const {
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  return infer_placed(op, inputs, known);
}

std::vector<Type> parameter_types(const ir::Function& function) {
  std::vector<Type> types;
  types.reserve(function.parameters.size());
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& annotation = function.values[i].annotation;
    types.push_back(annotation == nullptr ? Type() : *annotation);
  }
  return types;
}

}  // namespace foreflow::interpret
