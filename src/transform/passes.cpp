#include "foreflow/transform/passes.h"

#include <algorithm>
#include <charconv>

#include "foreflow/base/scanner.h"
#include "pass_arguments.h"

namespace foreflow::transform {

namespace definitions {
#define FOREFLOW_PASS(name) PassDef name();
#include "passes.def"
#undef FOREFLOW_PASS
}  // namespace definitions

const Registry<PassDef>& passes() {
  static const Registry<PassDef> kTable("pass", {
#define FOREFLOW_PASS(name) definitions::name(),
#include "passes.def"
#undef FOREFLOW_PASS
                                                });
  return kTable;
}

std::string word_argument(const PassArguments& arguments, const std::string& key, const std::string& fallback) {
  const auto found = arguments.find(key);
  return found == arguments.end() ? fallback : found->second;
}

int degree_argument(const PassArguments& arguments, const std::string& key, int fallback) {
  const std::string text = word_argument(arguments, key, std::to_string(fallback));
  int value              = 0;
  const auto [end, ec]   = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value < 1) {
    throw Error("--pass: " + key, "\"" + text + "\" is not a whole number of at least 1");
  }
  return value;
}

ir::Module apply(const ir::Module& module, const ir::OpTable& ops, std::string_view pass) {
  const std::string where = "--pass \"" + std::string(pass) + "\"";
  Scanner scanner(pass, where);
  const PassDef& def = passes().get(scanner.word(), where);
  PassArguments arguments;
  if (scanner.accept('(')) {
    const std::vector<std::string> known(def.arguments.begin(), def.arguments.end());
    while (!scanner.accept(')')) {
      const std::string key(scanner.word());
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw Error(where, "unknown argument \"" + key + "\"; " + (known.empty() ? "this pass takes none" : "use " + list_or(known)));
      }
      scanner.expect('=');
      arguments[key] = std::string(scanner.run([](std::string_view text, size_t i) { return text[i] != ',' && text[i] != ')' && text[i] != ' '; }));
      if (!scanner.accept(',') && scanner.peek() != ')') scanner.fail("expected ',' or ')', found " + scanner.found());
    }
  }
  if (!scanner.at_end()) scanner.fail("expected the end of the pass, found " + scanner.found());
  return def.run(module, ops, arguments);
}

}  // namespace foreflow::transform
