#include "cli/remarks.h"

#include <filesystem>
#include <iostream>
#include <set>

#include "foreflow/base/escape.h"

namespace foreflow::cli {

namespace {

void print_remark(const std::string& remark) {
  if (!remark.empty()) std::cerr << escape::terminal("foreflow: note: " + remark) << "\n";
}

}  // namespace

void remark_on_scales(const onnx::Imported& imported) { print_remark(onnx::scale_remark(imported)); }

void remark_on_opset(const std::string& path) { print_remark(onnx::opset_remark(path)); }

void remark_on_opsets(const scenario::Scenario& scenario) {
  if (scenario.workload.source == scenario::Workload::Source::onnx) remark_on_opset(scenario.workload.path);
  for (const scenario::Job& job : scenario.jobs) remark_on_opsets(job.scenario);
}

namespace {

void collect_models(const Json& json, bool is_model, std::set<std::string>& models) {
  if (const std::string* name = json.if_string(); name != nullptr && is_model) models.insert(*name);
  if (const auto* items = json.if_array()) {
    for (const Json& item : *items) collect_models(item, is_model, models);
  }
  if (const auto* members = json.if_object()) {
    for (const auto& [key, value] : *members) collect_models(value, key == "onnx", models);
  }
}

}  // namespace

void remark_on_opsets(const Json& source, const std::string& file) {
  std::set<std::string> models;
  collect_models(source, false, models);
  for (const std::string& model : models) remark_on_opset((std::filesystem::path(file).parent_path() / model).string());
}

}  // namespace foreflow::cli
