#include <fmt/core.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"

namespace foreflow::cli::definitions::infer_command {
namespace {

struct Options {
  std::string file, function;
  std::vector<std::string> inputs;
};

std::string shown(const interpret::Mixed& value) {
  constexpr int64_t kShownNumbers = 8;
  const std::string type          = ir::to_string(value.type);
  if (!value.known || value.known->is_tuple() || value.known->size() > kShownNumbers) return type;
  return type + " = " + ir::to_string(ir::Attribute(*value.known));
}

// Every function instance, in the order of interpretation; one line a value.
std::string to_text(const ir::Module& module, const interpret::MixedInterpretation& interpretation) {
  std::string text;
  for (const auto& instance : interpretation.instances) {
    const ir::Function& function = module.functions[instance.function];
    text += "@" + function.name + "\n";
    for (size_t i = 0; i < instance.values.size(); ++i) {
      const std::string& name = function.values[i].name;
      text += fmt::format("  %{}: {}\n", name.empty() ? "v" + std::to_string(i) : name, shown(instance.values[i]));
    }
  }
  return text;
}

void run(const Options& options) {
  ir::Module module  = read_program(options.file);
  const size_t entry = ir::find_entry(module, options.function);
  for (const std::string& setting : options.inputs) state_type(module.functions[entry], setting);
  show(to_text(module, interpret::interpret_mixed(module, entry)));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("FILE.distir", options->file, "the program")->required();
  command.add_option("--input", options->inputs, "NAME=TYPE: the type of a parameter; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--function", options->function, "the function; the last one by default");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"infer", "print every value with its inferred type, once per distinct call",
          "foreflow infer mlp.distir --input 'x=Tensor[Float32, (64, 512)]'", declare};
}

}  // namespace foreflow::cli::definitions::infer_command
