#include "foreflow/transform/passes.h"

#include <algorithm>

#include "foreflow/base/scanner.h"
#include "foreflow/base/text.h"
#include "transform/pass_arguments.h"

namespace foreflow::transform {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { PassDef row(); }
#include "transform/passes.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<PassDef>& passes() {
  // clang-format off
  static const Registry<PassDef> rows("pass", "passes", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "transform/passes.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

std::string word_argument(const PassArguments& arguments, const std::string& key, const std::string& fallback) {
  const auto found = arguments.find(key);
  return found == arguments.end() ? fallback : found->second;
}

int64_t integer_argument(const PassArguments& arguments, const std::string& key, int64_t fallback) {
  const std::string text = word_argument(arguments, key, std::to_string(fallback));
  if (const auto value = parse_number<int64_t>(text)) return *value;
  throw Error("--pass: " + key, "\"" + text + "\" is not a whole number");
}

std::vector<std::string> names_argument(const PassArguments& arguments, const std::string& key) {
  const std::string text = word_argument(arguments, key, "");
  return text.empty() ? std::vector<std::string>{} : split(text, '|');
}

int degree_argument(const PassArguments& arguments, const std::string& key, int fallback) {
  const std::string text = word_argument(arguments, key, std::to_string(fallback));
  const auto value       = parse_number<int>(text);
  if (!value || *value < 1) throw Error("--pass: " + key, "\"" + text + "\" is not a whole number of at least 1");
  return *value;
}

bool flag_argument(const PassArguments& arguments, const std::string& key) {
  const std::string word = word_argument(arguments, key, "false");
  if (word != "true" && word != "false") throw Error("--pass: " + key, "\"" + word + "\" is neither true nor false");
  return word == "true";
}

namespace {

struct Written {
  const PassDef& def;
  PassArguments arguments;
};

Written parse_pass(std::string_view pass) {
  const std::string where = "--pass \"" + std::string(pass) + "\"";
  Scanner scanner(pass, where);
  Written written{passes().get(scanner.word(), where), {}};
  if (scanner.accept('(')) {
    const std::vector<std::string> known(written.def.arguments.begin(), written.def.arguments.end());
    while (!scanner.accept(')')) {
      const std::string key(scanner.word());
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw Error(where, "unknown argument \"" + key + "\"; " +
                               (known.empty() ? "this pass takes none" : "use " + list_or(known)));
      }
      scanner.expect('=');
      written.arguments[key] = std::string(scanner.run(
          [](std::string_view text, size_t i) { return text[i] != ',' && text[i] != ')' && text[i] != ' '; }));
      if (!scanner.accept(',') && scanner.peek() != ')') scanner.fail("expected ',' or ')', found " + scanner.found());
    }
  }
  if (!scanner.at_end()) scanner.fail("expected the end of the pass, found " + scanner.found());
  return written;
}

}  // namespace

ir::Module apply(const ir::Module& module, const ir::OpTable& ops, std::string_view pass) {
  const Written written = parse_pass(pass);
  return written.def.run(module, ops, written.arguments);
}

std::vector<std::string> notes(const ir::Module& module, const ir::OpTable& ops, std::string_view pass) {
  const Written written = parse_pass(pass);
  return written.def.notes == nullptr ? std::vector<std::string>{} : written.def.notes(module, ops, written.arguments);
}

}  // namespace foreflow::transform
