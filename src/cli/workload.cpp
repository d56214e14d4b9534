#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "foreflow/base/text.h"
#include "foreflow/binary/program_file.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/workload/preset.h"

namespace foreflow::cli::definitions::workload_command {
namespace {

constexpr std::string_view kGpt2 = "gpt2";  // a graph, not a family: written node for node as the real export has it

struct Options {
  std::string name, output = "-", dtype = "f32", mode = "training";
  int64_t batch = 1;
  std::map<std::string, std::string> sizes;  // option -> its text; empty: not given
};

const char* const kWhere = "foreflow workload";

int64_t parse_size(const std::string& key, const std::string& text) {
  if (const auto value = parse_number<int64_t>(text)) return *value;
  throw Error("--" + key, "\"" + text + "\" is no whole number");
}

std::string gpt2_graph(const Options& options) {
  onnx::Gpt2Size size;
  std::map<std::string, int64_t*> fields = {{"layers", &size.layers},
                                            {"heads", &size.heads},
                                            {"hidden", &size.hidden},
                                            {"vocabulary", &size.vocabulary},
                                            {"positions", &size.positions}};
  std::vector<std::string> keys;
  for (const auto& [key, field] : fields) keys.push_back(key);
  for (const auto& [key, text] : options.sizes) {
    if (text.empty()) continue;
    const auto field = fields.find(key);
    if (field == fields.end()) throw Error("--" + key, "gpt2 has no such size; it has " + list_or(keys));
    *field->second = parse_size(key, text);
  }
  return onnx::write_gpt2(size);
}

ir::DType parse_dtype(const std::string& name) {
  const auto dtype = ir::find_dtype(name);
  if (!dtype || !ir::is_arithmetic(*dtype))
    throw Error("--dtype", "\"" + name + "\" is no floating-point type; use f64, f32, f16, bf16 or f8");
  return *dtype;
}

void refuse_gpt_inference(const workload::WorkloadDef& family, const Json& sizes, const Options& options) {
  if (!family.traits.infers_by_export || options.mode != "inference" || sizes.find("phase") != nullptr) return;
  throw Error("--mode inference",
              "of gpt is the graph of its ONNX export; give a --phase, or use foreflow workload gpt2 -o FILE.onnx");
}

double parse_real(const std::string& key, const std::string& text) {
  if (const auto number = parse_number<double>(text)) return *number;
  throw Error("--" + key, "\"" + text + "\" is no number; write one such as 1.25");
}

Json parse_key(const workload::Key& key, const std::string& text) {
  switch (key.kind) {
    case workload::Key::Kind::word: return text;
    case workload::Key::Kind::boolean:
      if (text == "true" || text == "false") return text == "true";
      throw Error("--" + std::string(key.name), "\"" + text + "\" is neither true nor false");
    case workload::Key::Kind::number: return parse_real(std::string(key.name), text);
    case workload::Key::Kind::integer: break;
  }
  return parse_size(std::string(key.name), text);
}

std::vector<std::string> key_names(const workload::WorkloadDef& family) {
  std::vector<std::string> names;
  for (const workload::Key& key : family.keys) names.emplace_back(key.name);
  return names;
}

ir::Module family_program(const Options& options) {
  const workload::WorkloadDef& family = workload::find_model(options.name, kWhere);
  Json sizes                          = Json::object().set("model", options.name);
  for (const auto& [key, text] : options.sizes) {
    if (text.empty()) continue;
    const auto known = std::find_if(family.keys.begin(), family.keys.end(),
                                    [&name = key](const workload::Key& row) { return row.name == name; });
    if (known == family.keys.end())
      throw Error("--" + key, options.name + " has no such size; it has " + list_or(key_names(family)));
    sizes.set(key, parse_key(*known, text));
  }
  sizes = workload::with_preset(sizes);
  refuse_gpt_inference(family, sizes, options);
  if (options.batch < 1) throw Error("--batch", std::to_string(options.batch) + " is too small; use 1 or more");
  const workload::Request request{workload::read_key_values(JsonView(sizes, kWhere), family.keys), options.batch,
                                  parse_dtype(options.dtype), workload::mode_named(options.mode, "--mode")};
  return family.build(request, ops::table()).module;
}

// The graph, or the program that it is in DistIR.
void write_gpt2(const Options& options) {
  const std::string graph = gpt2_graph(options), extension = std::filesystem::path(options.output).extension();
  if (extension == ".distir" || extension == ".distirb") {
    const onnx::Imported imported = onnx::import_bytes(graph, options.name, ops::table(), onnx::Numbers::skip);
    return binary::write_program(options.output, imported.module);
  }
  check_extension(options.output, "an ONNX graph", {"FILE.onnx", "FILE.distir", "FILE.distirb"});
  write_file(options.output, graph);
}

void run(const Options& options) {
  if (options.name == kGpt2 && options.output == "-")
    throw Error(kWhere, "an ONNX graph is no text; give -o FILE.onnx");
  if (options.name == kGpt2) return write_gpt2(options);
  check_program_name(options.output);
  binary::write_program(options.output, family_program(options));
}

// The sizes of all families and of the graph, with those that have them.
std::map<std::string, std::string> all_sizes() {
  std::map<std::string, std::vector<std::string>> owners;
  for (const workload::WorkloadDef& family : workload::workloads()) {
    for (const std::string& key : key_names(family)) owners[key].emplace_back(family.name);
  }
  owners["positions"].emplace_back(kGpt2);
  std::map<std::string, std::string> docs;
  for (const auto& [key, names] : owners) docs.emplace(key, "of " + join(names));
  return docs;
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command
      .add_option("NAME", options->name,
                  "a model family or preset (foreflow list workloads, which also explains the sizes), or gpt2 for the "
                  "graph of the ONNX export")
      ->required();
  for (const auto& [key, doc] : all_sizes()) command.add_option("--" + key, options->sizes[key], doc);
  command.add_option("--batch", options->batch, "samples in one iteration")->capture_default_str();
  command.add_option("--dtype", options->dtype, "f64, f32, f16, bf16 or f8")->capture_default_str();
  command.add_option("--mode", options->mode, "training (with the loss) or inference")->capture_default_str();
  writes(command
             .add_option("-o,--output", options->output,
                         "FILE.distir or FILE.distirb; for gpt2 also FILE.onnx (- for stdout)")
             ->capture_default_str());
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"workload", "write a model family's program, or GPT-2's weightless ONNX graph",
          "foreflow workload gpt2 --layers 24 --hidden 2048 --heads 16 -o gpt2_xl.onnx", declare};
}

}  // namespace foreflow::cli::definitions::workload_command
