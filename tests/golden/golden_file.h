// A golden file: a command and what it prints. The form is described in tests/golden/README.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::golden {

struct GoldenFile {
  std::vector<std::string> head;  // the lines before the first section, as they stand in the file
  std::vector<std::string> arguments;
  std::string input_name;  // empty: no input
  std::string input;
  int exit_code = 0;
  std::string out;
  std::string err;  // only compared when exit_code is not 0
};

// Throws Error(NAME:LINE, ...) when the text has another form.
GoldenFile parse_golden(std::string_view text, const std::string& name);

// The inverse of parse_golden.
std::string print_golden(const GoldenFile& file);

// Words as in a shell, without one: spaces separate, '...' and "..." keep spaces, nothing else is special.
std::vector<std::string> split_words(std::string_view text, const std::string& where);

// The first line in which the two texts differ, for people; empty when they are the same.
std::string first_difference(std::string_view expected, std::string_view actual);

// The file with the exit code and the output of its command, run in a fresh folder.
GoldenFile run_golden(const GoldenFile& file);

}  // namespace foreflow::golden
