#include "golden/golden_file.h"

#include <fmt/core.h>

#include <charconv>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::golden {
namespace {

// Marks a section whose text does not end with a newline.
constexpr std::string_view kNoNewline = "\\ no newline at the end\n";

void parse_head(GoldenFile& file, const std::string& line, const std::string& where) {
  file.head.push_back(line);
  const auto value = [&](std::string_view key) { return std::string(trim(std::string_view(line).substr(key.size()))); };
  if (line.starts_with("# run: foreflow")) {
    file.arguments = split_words(value("# run: foreflow"), where);
  } else if (line.starts_with("# input:")) {
    file.input_name = value("# input:");
  } else if (line.starts_with("# exit:")) {
    const std::string code = value("# exit:");
    const auto [end, ec]   = std::from_chars(code.data(), code.data() + code.size(), file.exit_code);
    if (ec != std::errc() || end != code.data() + code.size())
      throw Error(where, "write an exit code like \"# exit: 1\"");
  } else if (!line.starts_with("#")) {
    throw Error(where, "expected a line that begins with #, or the first section");
  }
}

std::string section(std::string_view name, std::string_view text) {
  const bool ends = text.empty() || text.back() == '\n';
  return fmt::format("--- {}\n{}{}{}", name, text, ends ? "" : "\n", ends ? "" : kNoNewline);
}

std::string with_source_folder(std::string word) {
  constexpr std::string_view kSource = "{source}";
  for (size_t at = 0; (at = word.find(kSource)) != std::string::npos;)
    word.replace(at, kSource.size(), FOREFLOW_SOURCE_DIR);
  return word;
}

// A message must not depend on where the source tree lies.
std::string without_source_folder(std::string text) {
  const std::string folder = FOREFLOW_SOURCE_DIR;
  for (size_t at = 0; (at = text.find(folder, at)) != std::string::npos; ++at)
    text.replace(at, folder.size(), "{source}");
  return text;
}

}  // namespace

GoldenFile parse_golden(std::string_view text, const std::string& name) {
  GoldenFile file;
  std::string* target            = nullptr;
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", name, i + 1);
    if (lines[i] == "--- input") {
      target = &file.input;
    } else if (lines[i] == "--- stdout") {
      target = &file.out;
    } else if (lines[i] == "--- stderr") {
      target = &file.err;
    } else if (target == nullptr) {
      parse_head(file, lines[i], where);
    } else {
      *target += lines[i] + "\n";
    }
  }
  if (file.head.empty() || !file.head.front().starts_with("# run: foreflow")) {
    throw Error(name + ":1", "the first line of a golden file is \"# run: foreflow ...\"");
  }
  if (file.input_name.empty() && !file.input.empty())
    throw Error(name, "there is an input section; name it with \"# input: NAME\"");
  for (std::string* content : {&file.input, &file.out, &file.err}) {
    if (content->ends_with(kNoNewline)) content->resize(content->size() - kNoNewline.size() - 1);
  }
  return file;
}

std::string print_golden(const GoldenFile& file) {
  std::string text;
  for (const std::string& line : file.head) {
    if (!line.starts_with("# exit:")) text += line + "\n";
  }
  if (file.exit_code != 0) text += fmt::format("# exit: {}\n", file.exit_code);
  if (!file.input_name.empty()) text += section("input", file.input);
  text += section("stdout", file.out);
  if (file.exit_code != 0) text += section("stderr", file.err);
  return text;
}

std::vector<std::string> split_words(std::string_view text, const std::string& where) {
  std::vector<std::string> words;
  char quote   = 0;
  bool in_word = false;
  for (const char c : text) {
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw Error(where, fmt::format("a {} is not closed", quote));
  return words;
}

std::string first_difference(std::string_view expected, std::string_view actual) {
  if (expected == actual) return "";
  const std::vector<std::string> left  = split(expected, '\n');
  const std::vector<std::string> right = split(actual, '\n');
  size_t line                          = 0;
  while (line < left.size() && line < right.size() && left[line] == right[line]) ++line;
  const auto shown = [line](const std::vector<std::string>& lines) {
    return line < lines.size() ? lines[line] : "(the end)";
  };
  return fmt::format("line {}\n  expected: {}\n  actual:   {}\n", line + 1, shown(left), shown(right));
}

GoldenFile run_golden(const GoldenFile& file) {
  const test::TemporaryFolder folder;
  if (!file.input_name.empty()) write_file(folder / file.input_name, file.input);
  std::vector<std::string> arguments;
  for (const std::string& word : file.arguments) arguments.push_back(with_source_folder(word));
  const test::CommandResult result = test::run_foreflow(arguments, folder.path());

  GoldenFile actual = file;
  actual.exit_code  = result.exit_code;
  actual.out        = without_source_folder(result.out);
  actual.err        = result.exit_code == 0 ? "" : without_source_folder(result.err);
  return actual;
}

}  // namespace foreflow::golden
