#include "cli/files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char *kReads = "reads", *kReadsNamed = "reads NAME=FILE", *kReadsScenario = "reads a scenario",
                     *kWrites = "writes", *kKeeps = "keeps", *kWritesOutputs = "writes output_N.pb",
                     *kWritesRanks = "writes DN.distir";

// Files that go into a folder. Their names have this beginning and this end, with a number between.
struct Numbered {
  const char* mark;
  std::string_view begin, end;
};
constexpr Numbered kNumbered[] = {{kWritesOutputs, "output_", ".pb"}, {kWritesRanks, "D", ".distir"}};

bool is_one(const Numbered& numbered, std::string_view name) {
  if (!name.starts_with(numbered.begin) || !name.ends_with(numbered.end)) return false;
  if (name.size() < numbered.begin.size() + numbered.end.size()) return false;
  name.remove_prefix(numbered.begin.size());
  name.remove_suffix(numbered.end.size());
  return parse_number<size_t>(name).has_value();
}

// The mark is a validator that accepts everything: CLI11 keeps nothing else for us beside an option.
CLI::Option* marked(CLI::Option* option, const char* mark) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", mark));
}

bool has_mark(CLI::Option& option, const char* mark) {
  try {
    return option.get_validator(mark) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// The file that a path leads to, whether it exists or not; empty for what is no regular file, which keeps all that is
// written to it.
std::string file_at(const std::string& path) {
  std::error_code problem;
  if (fs::exists(path, problem) && !fs::is_regular_file(path, problem)) return "";
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
  return problem ? fs::absolute(path, problem).lexically_normal().string() : whole.string();
}

void check_pair(const NamedFile& one, const NamedFile& other) {
  if (one.path.empty() || other.path.empty()) return;
  const std::string where = one.words + ", " + other.words;
  if (one.path == "-" && other.path == "-") throw Error(where, "both would go to stdout; write one of them to a file");
  if (one.path == "-" || other.path == "-") return;
  const std::string file = file_at(one.path);
  if (!file.empty() && file == file_at(other.path))
    throw Error(where, "both would be written to one file; give each a file of its own");
}

void check_input(const NamedFile& written, const NamedFile& read) {
  if (written.path.empty() || written.path == "-") return;
  const std::string file = file_at(written.path);
  if (!file.empty() && file == file_at(read.path))
    throw Error(written.words, "would overwrite " + read.words + ", which is read; write to another file");
}

void check_folder(const NamedFile& folder, const Numbered& numbered, const NamedFile& read) {
  const fs::path file = file_at(read.path);
  std::error_code problem;
  if (fs::equivalent(folder.path, file.parent_path(), problem) && is_one(numbered, file.filename().string()))
    throw Error(folder.words, "would overwrite " + read.words + ", which is read; write to another folder");
}

std::vector<NamedFile> files_of(const CLI::Option& option, bool named) {
  std::vector<NamedFile> files;
  for (const std::string& value : option.results()) {
    const size_t equals = named ? value.find('=') : std::string::npos;
    if (!value.empty())
      files.push_back(
          {option.get_name() + " " + value, equals == std::string::npos ? value : value.substr(equals + 1)});
  }
  return files;
}

// The files that a scenario names; none where it cannot be read, about which the command itself has more to say.
std::vector<NamedFile> files_in(const NamedFile& scenario, const std::vector<std::string>& settings) {
  std::vector<NamedFile> files;
  if (!scenario.path.ends_with(".json")) return files;
  try {
    const Json source = scenario::read_source(scenario.path, settings);
    for (const auto& [written, path] : scenario::referenced_files(source, scenario.path))
      files.push_back({path + " of " + scenario.path, path});
  } catch (const Error&) {
    return {};
  }
  return files;
}

void check_folders(CLI::App& command, const std::vector<NamedFile>& read) {
  for (CLI::Option* option : command.get_options()) {
    for (const Numbered& numbered : kNumbered) {
      if (!has_mark(*option, numbered.mark)) continue;
      for (const NamedFile& folder : files_of(*option, false)) {
        for (const NamedFile& file : read) check_folder(folder, numbered, file);
      }
    }
  }
}

constexpr const char* kOutputs[] = {kWrites, kKeeps, kWritesOutputs, kWritesRanks};

void check_names(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const bool is_output = std::any_of(std::begin(kOutputs), std::end(kOutputs),
                                       [&](const char* mark) { return has_mark(*option, mark); });
    if (!is_output) continue;
    for (const std::string& path : option->results()) {
      if (path.empty()) throw Error(option->get_name(), "the name is empty; give one, or leave the option out");
      if (path == "-" && has_mark(*option, kKeeps))
        throw Error(option->get_name() + " -", "is read and added to, which stdout cannot be; name a file");
    }
  }
}

std::vector<std::string> settings_of(CLI::App& command) {
  const CLI::Option* option = command.get_option_no_throw("--set");
  return option == nullptr ? std::vector<std::string>() : option->results();
}

}  // namespace

CLI::Option* reads(CLI::Option* option) { return marked(option, kReads); }
CLI::Option* reads_named(CLI::Option* option) { return marked(option, kReadsNamed); }
CLI::Option* reads_scenario(CLI::Option* option) { return marked(option, kReadsScenario); }
CLI::Option* writes(CLI::Option* option) { return marked(option, kWrites); }
CLI::Option* keeps(CLI::Option* option) { return marked(option, kKeeps); }
CLI::Option* writes_outputs(CLI::Option* option) { return marked(option, kWritesOutputs); }
CLI::Option* writes_ranks(CLI::Option* option) { return marked(option, kWritesRanks); }

void check_apart(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  for (size_t i = 0; i < written.size(); ++i) {
    for (size_t j = i + 1; j < written.size(); ++j) check_pair(written[i], written[j]);
    for (const NamedFile& file : read) check_input(written[i], file);
  }
}

void check_files(CLI::App& command) {
  check_names(command);
  std::vector<NamedFile> written, kept, read, scenarios;
  const auto add = [](std::vector<NamedFile>& all, const std::vector<NamedFile>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (CLI::Option* option : command.get_options()) {
    if (has_mark(*option, kWrites)) add(written, files_of(*option, false));
    if (has_mark(*option, kKeeps)) add(kept, files_of(*option, false));
    if (has_mark(*option, kReads)) add(read, files_of(*option, false));
    if (has_mark(*option, kReadsNamed)) add(read, files_of(*option, true));
    if (has_mark(*option, kReadsScenario)) add(scenarios, files_of(*option, false));
  }
  for (const NamedFile& file : written) check_folder_of(file.path);
  add(written, kept);
  // Only what exists can be overwritten; scenarios are not read twice for nothing.
  const bool overwrites = std::any_of(written.begin(), written.end(), [](const NamedFile& file) {
    std::error_code unknown;
    return fs::is_regular_file(file.path, unknown);
  });
  add(read, scenarios);
  for (const NamedFile& scenario : scenarios) {
    if (overwrites) add(read, files_in(scenario, settings_of(command)));
  }
  check_apart(written, read);
  check_folders(command, read);
}

}  // namespace foreflow::cli
