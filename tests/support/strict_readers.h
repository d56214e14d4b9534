// Small strict readers of what the library writes for programs and people of other trades. Each throws ReadError where
// the text is not what its standard allows, rather than guessing as browsers, spreadsheets and Graphviz do.
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::test {

class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The records of comma-separated values (RFC 4180), all of one length. Lines end in LF.
std::vector<std::vector<std::string>> read_csv(std::string_view text);

// What HTML or XML consists of: every element and attribute ("text", "text.fill") and the texts between tags and in
// attributes with their entities replaced. Elements are balanced, attributes quoted, entities known; nothing but the
// document type, comments and the contents of <style> is skipped.
struct Markup {
  std::set<std::string> structure;
  std::vector<std::string> texts;
};
Markup read_markup(std::string_view text);

// The statements of a graph of DOT without their strings, which stand in `strings` instead: `"a" -- "b" [label="c"];`
// is `"" -- "" [label=""];`. Strings hold no line end, and their backslashes stand before '"', '\' or, for a line end
// of a label, 'n'.
struct DotGraph {
  std::string statements;
  std::vector<std::string> strings;
};
DotGraph read_dot(std::string_view text);

// Throws where a terminal would do anything but show the text: it holds an unprintable character other than a line
// feed, or is no UTF-8. Returns the number of lines.
size_t read_terminal(std::string_view text);

}  // namespace foreflow::test
