#include "cli/lower_pytorch.h"

#include <fmt/core.h>

#include <filesystem>
#include <iostream>
#include <random>

#include "cli/output.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/half.h"
#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::cli {
namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

template <class T, class Draw>
ir::Array filled(const ir::Type& type, Draw draw) {
  ir::Array array(type.dtype, type.dims);
  for (T& value : array.mutable_data<T>()) value = static_cast<T>(draw());
  return array;
}

ir::Array random_array(const ir::Type& type, std::mt19937_64& random, const std::string& where) {
  if (!type.resolved())
    throw Error(where, "is " + ir::to_string(type) + "; --example needs the type of every parameter");
  if (type.is_tuple()) {
    std::vector<ir::Array> elements;
    for (const ir::Type& element : type.elements) elements.push_back(random_array(element, random, where));
    return ir::Array::tuple(std::move(elements));
  }
  // Not a distribution of <random>: those differ between standard libraries.
  const auto real = [&] { return static_cast<float>(random() >> 40U) * 0x1p-24F; };
  const auto bit  = [&] { return random() >> 63U; };
  switch (type.dtype) {
    case ir::DType::f64: return filled<double>(type, real);
    case ir::DType::f32: return filled<float>(type, real);
    case ir::DType::f16: return filled<uint16_t>(type, [&] { return ir::float_to_half(real()); });
    case ir::DType::bf16: return filled<uint16_t>(type, [&] { return ir::float_to_bfloat(real()); });
    case ir::DType::f8: return filled<uint8_t>(type, [&] { return ir::float_to_float8(real()); });
    case ir::DType::i64: return filled<int64_t>(type, bit);
    case ir::DType::i32: return filled<int32_t>(type, bit);
    case ir::DType::i16: return filled<int16_t>(type, bit);
    case ir::DType::i8: return filled<int8_t>(type, bit);
    case ir::DType::u64: return filled<uint64_t>(type, bit);
    case ir::DType::u32: return filled<uint32_t>(type, bit);
    case ir::DType::u16: return filled<uint16_t>(type, bit);
    case ir::DType::u8: return filled<uint8_t>(type, bit);
    case ir::DType::boolean: return filled<bool>(type, bit);
  }
  return {};
}

void write_array(const std::string& folder, const std::string& name, const ir::Array& array) {
  if (!array.is_tuple()) return onnx::write_tensor_file(path_in(folder, lower::file_stem(name) + ".pb"), {name, array});
  for (size_t i = 0; i < array.elements().size(); ++i) {
    write_array(folder, name + "." + std::to_string(i), array.elements()[i]);
  }
}

}  // namespace

void write_pytorch(const std::string& folder, const ir::Module& module,
                   const interpret::MixedInterpretation& interpretation, const std::string& title) {
  const auto programs      = lower::project(module, interpretation, ops::table(), lower::Grain::gpu);
  const std::string script = lower::pytorch_script(programs, title);
  if (folder == "-") return write_file("-", script);
  write_file(path_in(folder, "run.py"), script);
  std::cout << fmt::format("{}: torchrun --nproc-per-node {} run.py\n", folder, programs.size());
}

void write_example(const std::string& folder, const ir::Module& module, uint64_t seed) {
  const ir::Function& entry = module.entry();
  std::mt19937_64 random(seed);
  std::vector<ir::Array> arguments;
  const std::string inputs = path_in(folder, "example/inputs"), outputs = path_in(folder, "example/outputs");
  make_folder(inputs);
  make_folder(outputs);
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::TypeRef& type = entry.values[i].annotation;
    arguments.push_back(random_array(type == nullptr ? ir::Type() : *type, random, "%" + entry.values[i].name));
    write_array(inputs, lower::port_name(entry, static_cast<ir::ValueId>(i)), arguments.back());
  }
  const auto results = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (size_t i = 0; i < results.size(); ++i) {
    write_array(outputs, lower::port_name(entry, entry.results[i]), results[i]);
  }
}

}  // namespace foreflow::cli
