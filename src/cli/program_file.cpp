#include "cli/program_file.h"

#include "cli/output.h"
#include "cli/remarks.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/binary/program_file.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"

namespace foreflow::cli {
namespace {

size_t parameter_number(const ir::Function& function, const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.values[i].name == name) return i;
    names.push_back(function.values[i].name);
  }
  throw Error(where, "@" + function.name + " has no parameter \"" + name + "\"" + suggestion(name, names));
}

ir::Dims parse_dims(const std::string& text, const std::string& where) {
  ir::Dims dims;
  if (text.empty()) return dims;  // a scalar
  for (const std::string& word : split(text, ',')) {
    const auto dim = parse_number<int64_t>(word);
    if (!dim || *dim < 0) throw Error(where, "\"" + word + "\" is no dimension; write INPUT=1,128");
    dims.push_back(*dim);
  }
  return dims;
}

}  // namespace

ir::Module read_program(const std::string& path) {
  ir::Module module = binary::read_program(path, ops::table());
  if (module.functions.empty()) throw Error(path, "has no function; write func @main(...) { ... }");
  return module;
}

void check_program_name(const std::string& path) {
  check_extension(path, "a program", {"FILE.distir", "FILE.distirb"});
}

bool is_onnx(const std::string& path) { return path.ends_with(".onnx"); }

namespace {

// Refuses a second setting of the same name, unless it says the same.
template <class T>
void set_once(std::map<std::string, T>& all, const std::string& name, T value, const std::string& option,
              const std::string& setting) {
  const auto [entry, fresh] = all.emplace(name, value);
  if (!fresh && entry->second != value)
    throw Error(option + " " + setting, "contradicts an earlier " + option + " of \"" + name + "\"; give one");
}

}  // namespace

scenario::InputSizes parse_sizes(const std::vector<std::string>& shapes, const std::vector<std::string>& dims) {
  scenario::InputSizes sizes;
  for (const std::string& setting : shapes) {
    const auto [name, words] = split_setting(setting, "--shape");
    set_once(sizes.shapes, name, parse_dims(words, "--shape " + setting), "--shape", setting);
  }
  for (const std::string& setting : dims) {
    const auto [name, word] = split_setting(setting, "--dim");
    const auto size         = parse_number<int64_t>(word);
    if (!size || *size < 0) throw Error("--dim " + setting, "\"" + word + "\" is no dimension; write batch=8");
    set_once(sizes.dims, name, *size, "--dim", setting);
  }
  return sizes;
}

ir::Module read_program_or_model(const std::string& path, const scenario::InputSizes& sizes) {
  if (is_onnx(path)) {
    remark_on_opset(path);
    return scenario::with_sizes(onnx::import_model(path, ops::table(), onnx::Numbers::skip), sizes);
  }
  if (!sizes.shapes.empty())
    throw Error("--shape " + sizes.shapes.begin()->first, "is for .onnx models; a program states its shapes itself");
  if (!sizes.dims.empty())
    throw Error("--dim " + sizes.dims.begin()->first, "is for .onnx models; a program states its shapes itself");
  return read_program(path);
}

std::pair<std::string, std::string> split_setting(const std::string& setting, const std::string& option) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) throw Error(option + " " + setting, "write NAME=VALUE");
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

void state_type(ir::Function& function, const std::string& setting) {
  const auto [name, type] = split_setting(setting, "--input");
  const std::string where = "--input " + setting;
  function.values[parameter_number(function, name, where)].annotation =
      std::make_shared<const ir::Type>(ir::parse_type(type, where));
}

}  // namespace foreflow::cli
