#include "lower/pytorch/runtime.h"

#include <cctype>
#include <vector>

namespace foreflow::lower::runtime {
namespace {

struct Definition {
  std::string name, text;
};

// A file of the runtime as its top-level functions.
void add_definitions(std::string_view file, std::vector<Definition>& definitions) {
  constexpr std::string_view kStart = "def ";
  for (size_t at = file.starts_with(kStart) ? 0 : file.find("\ndef ") + 1; at < file.size();) {
    const size_t next = file.find("\ndef ", at);
    const size_t end  = next == std::string_view::npos ? file.size() : next + 1;
    std::string text(file.substr(at, end - at));
    while (text.ends_with("\n\n")) text.pop_back();
    definitions.push_back({text.substr(kStart.size(), text.find('(') - kStart.size()), text});
    at = end;
  }
}

const std::vector<Definition>& definitions() {
  static const std::vector<Definition> kDefinitions = [] {
    std::vector<Definition> all;
    for (const std::string_view file : {communication, attention, experts, indexing, losses, ops, optimizers, windows})
      add_definitions(file, all);
    return all;
  }();
  return kDefinitions;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty()) words.insert(std::move(word));
    word.clear();
  }
  if (!word.empty()) words.insert(std::move(word));
  return words;
}

// Returns the names that statements at the left margin bind, other than functions and imports: classes and variables.
std::set<std::string> names_bound_by(std::string_view file) {
  std::set<std::string> names;
  for (size_t at = 0; at < file.size(); at = file.find('\n', at) + 1) {
    const std::string_view line = file.substr(at, file.find('\n', at) - at);
    if (line.starts_with("class ")) names.merge(words_of(line.substr(6, line.find_first_of("(:") - 6)));
    const size_t equals = line.find(" = ");
    if (line.empty() || line[0] == ' ' || line[0] == '#' || equals == std::string_view::npos) continue;
    names.merge(words_of(line.substr(0, equals)));
  }
  return names;
}

}  // namespace

std::string functions_for(const std::string& text) {
  std::set<std::string> wanted = words_of(text);
  std::set<std::string> chosen;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Definition& definition : definitions()) {
      if (!wanted.contains(definition.name) || !chosen.insert(definition.name).second) continue;
      wanted.merge(words_of(definition.text));
      grew = true;
    }
  }
  std::string result;
  for (const Definition& definition : definitions()) {
    if (chosen.contains(definition.name)) result += "\n\n" + definition.text;
  }
  return result;
}

const std::set<std::string>& reserved_names() {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names = {
        // Python
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "list", "range", "bool", "globals",
        // Names that expressions and the head of a script use
        "torch", "dist", "F", "float64", "float32", "float16", "bfloat16", "float8", "int64", "int32", "int16", "int8",
        "uint8", "boolean", "device", "groups", "teams", "numbers", "each", "ints", "constant", "empty", "functools",
        "inf", "nan", "main", "timed", "GROUPS", "FILES", "PROGRAMS"};
    for (const Definition& definition : definitions()) names.insert(definition.name);
    // The functions and imports of main.py, which with_timing must find unchanged.
    for (const std::string_view file : {head, main}) {
      for (size_t at = file.find("def "); at != std::string_view::npos; at = file.find("def ", at + 1)) {
        const size_t name = at + 4;
        names.emplace(file.substr(name, file.find('(', name) - name));
      }
      for (size_t at = file.find("import "); at != std::string_view::npos; at = file.find("import ", at + 1)) {
        names.merge(words_of(file.substr(at + 7, file.find('\n', at) - at - 7)));
      }
    }
    return names;
  }();
  return kNames;
}

const std::set<std::string>& script_names() {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names = reserved_names();
    // Built-in functions of Python 3, and the one error that the runtime catches or raises.
    names.merge(words_of(
        "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex "
        "copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr "
        "globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max "
        "memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice "
        "sorted staticmethod str sum super tuple type vars zip ValueError"));
    for (const std::string_view file : {head, main}) names.merge(names_bound_by(file));
    return names;
  }();
  return kNames;
}

}  // namespace foreflow::lower::runtime
