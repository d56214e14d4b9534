#include "cli/program_file.h"

#include "foreflow/binary/program_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::cli {

ir::Module read_program(const std::string& path) {
  ir::Module module = binary::read_program(path, ops::table());
  if (module.functions.empty()) throw Error(path, "has no function; write func @main(...) { ... }");
  return module;
}

bool is_onnx(const std::string& path) { return path.ends_with(".onnx"); }

std::pair<std::string, std::string> split_setting(const std::string& setting, const std::string& option) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) throw Error(option + " " + setting, "write NAME=VALUE");
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

}  // namespace foreflow::cli
