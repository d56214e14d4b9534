#include "cli/output.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"

namespace foreflow::cli {

void write_if_given(const std::string& path, std::string_view text) {
  if (!path.empty()) write_file(path, text);
}

void check_extension(const std::string& path, std::string_view what, const std::vector<std::string>& names) {
  static const std::vector<std::string> kKnown = {".distir", ".distirb", ".dot", ".json",
                                                  ".onnx",   ".png",     ".svg", ".xml"};
  const std::string extension                  = std::filesystem::path(path).extension().string();
  if (std::find(kKnown.begin(), kKnown.end(), extension) == kKnown.end()) return;
  if (std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return std::filesystem::path(name).extension() == extension; }))
    return;
  throw Error("-o " + path, "writes " + std::string(what) + "; name it " + list_or(names));
}

void show(std::string_view text) { std::cout << escape::terminal_lines(text); }

void make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) throw Error(path, "cannot be made a folder: " + problem.message());
}

void answer(const std::string& json_path, const Json& json, std::string_view text) {
  if (json_path != "-") show(text);
  write_if_given(json_path, json.dump());
}

std::string data_folder() {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path command   = fs::read_symlink("/proc/self/exe", problem);
  const fs::path beside    = command.parent_path() / "share/foreflow",
                 installed = command.parent_path() / "../share/foreflow";
  return fs::weakly_canonical(fs::is_directory(beside / "scenarios", problem) ? beside : installed, problem).string();
}

int default_workers() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace foreflow::cli
