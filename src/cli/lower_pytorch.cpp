#include "cli/lower_pytorch.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <random>

#include "cli/output.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/half.h"
#include "foreflow/ir/narrow.h"
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
    case ir::DType::f8:
    case ir::DType::f8e4m3fnuz:
    case ir::DType::f8e5m2:
    case ir::DType::f8e5m2fnuz:
    case ir::DType::f8e8m0:
    case ir::DType::f4e2m1: return filled<uint8_t>(type, [&] { return ir::float_to_narrow(type.dtype, real()); });
    case ir::DType::i64: return filled<int64_t>(type, bit);
    case ir::DType::i32: return filled<int32_t>(type, bit);
    case ir::DType::i16: return filled<int16_t>(type, bit);
    case ir::DType::i8:
    case ir::DType::i4: return filled<int8_t>(type, bit);
    case ir::DType::u64: return filled<uint64_t>(type, bit);
    case ir::DType::u32: return filled<uint32_t>(type, bit);
    case ir::DType::u16: return filled<uint16_t>(type, bit);
    case ir::DType::u8:
    case ir::DType::u4: return filled<uint8_t>(type, bit);
    case ir::DType::boolean: return filled<bool>(type, bit);
  }
  return {};
}

// `path` has no extension yet.
void write_array(const std::string& path, const std::string& name, const ir::Array& array) {
  if (!array.is_tuple()) return onnx::write_tensor_file(path + ".pb", {name, array});
  for (size_t i = 0; i < array.elements().size(); ++i) {
    const std::string number = "." + std::to_string(i);
    write_array(path + number, name + number, array.elements()[i]);
  }
}

void write_arrays(const std::string& folder, const ir::Function& function, std::span<const ir::ValueId> ids,
                  const std::vector<ir::Array>& arrays) {
  const lower::PortNames names(function);
  std::map<std::string, bool> is_tuple;
  for (size_t i = 0; i < ids.size(); ++i) is_tuple.emplace(names(ids[i]), arrays[i].is_tuple());
  const auto stems = lower::file_stems(is_tuple);
  make_folder(folder);
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string name = names(ids[i]);
    write_array(path_in(folder, stems.at(name)), name, arrays[i]);
  }
}

}  // namespace

std::map<ir::Device, ir::Module> projected(const ir::Module& module,
                                           const interpret::MixedInterpretation& interpretation, lower::Grain grain) {
  std::optional<Progress> progress;
  return lower::project(module, interpretation, ops::table(), grain, [&](size_t done, size_t total) {
    if (!progress) progress.emplace("project", total);
    progress->update(done);
  });
}

void write_pytorch(const std::string& folder, const ir::Module& module,
                   const interpret::MixedInterpretation& interpretation, const std::string& title,
                   lower::Products products) {
  const auto programs      = projected(module, interpretation, lower::Grain::gpu);
  const std::string script = lower::pytorch_script(programs, title, products);
  if (folder == "-") return write_file("-", script);
  write_file(path_in(folder, "run.py"), script);
  show(fmt::format("{}: torchrun --nproc-per-node {} run.py\n", escape::terminal(folder), programs.size()));
}

std::vector<ir::Array> example_arguments(const ir::Module& module, uint64_t seed) {
  const ir::Function& entry = module.entry();
  std::mt19937_64 random(seed);
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::TypeRef& type = entry.values[i].annotation;
    arguments.push_back(random_array(type == nullptr ? ir::Type() : *type, random, "%" + entry.values[i].name));
  }
  return arguments;
}

void write_example(const std::string& folder, const ir::Module& module, const std::vector<ir::Array>& arguments) {
  const ir::Function& entry = module.entry();
  std::vector<ir::ValueId> parameters;
  for (size_t i = 0; i < entry.parameters.size(); ++i) parameters.push_back(static_cast<ir::ValueId>(i));
  write_arrays(path_in(folder, "example/inputs"), entry, parameters, arguments);
  const size_t number = module.functions.size() - 1;
  Progress progress("compute the example", interpret::computed_ops(module, number));
  size_t done        = 0;
  const auto results = interpret::evaluate(module, number, arguments, [&] { progress.update(++done); });
  write_arrays(path_in(folder, "example/outputs"), entry, entry.results, results);
}

}  // namespace foreflow::cli
