#include <fmt/core.h>

#include <set>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "foreflow/base/escape.h"
#include "foreflow/interpret/devices.h"
#include "foreflow/interpret/mixed.h"

namespace foreflow::cli::definitions::check_command {
namespace {

// The number of devices, each with all its streams.
size_t device_count(const ir::Module& module) {
  std::set<int32_t> numbers;
  for (const ir::Device& device : interpret::devices_of(interpret::locate(module, module.functions.size() - 1)))
    numbers.insert(device.index);
  return numbers.size();
}

// Parsing verifies; locating values finds ops with operands on two devices, interpretation those whose operands do not
// fit.
void run(const std::string& file) {
  const ir::Module module = read_program(file);
  size_t ops              = 0;
  for (const ir::Function& function : module.functions) ops += function.ops.size();
  const size_t devices      = device_count(module);
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const size_t unresolved   = interpret::unresolved(module, interpretation).size();
  std::string text = fmt::format("{}: ok, {} function{}, {} ops", escape::terminal(file), module.functions.size(),
                                 module.functions.size() == 1 ? "" : "s", ops);
  if (devices > 0) text += fmt::format(", on {} device{}", devices, devices == 1 ? "" : "s");
  if (unresolved > 0) text += fmt::format(", {} value{} of unknown shape", unresolved, unresolved == 1 ? "" : "s");
  show(text + "\n");
}

Action declare(CLI::App& command) {
  const auto file = std::make_shared<std::string>();
  command.add_option("FILE.distir", *file, "the program")->required();
  return [file] { run(*file); };
}

}  // namespace

CommandDef row() { return {"check", "verify a program: form, types, devices", "foreflow check mlp.distir", declare}; }

}  // namespace foreflow::cli::definitions::check_command
