// Tells which names are valid, by the rules of the scanner itself.
#include "foreflow/ir/names.h"

#include "foreflow/base/scanner.h"
#include "ir/literal.h"

namespace foreflow::ir {

bool is_name(std::string_view text) {
  static const std::string kNowhere;
  Scanner scanner(text, kNowhere);
  return !text.empty() && scan_name(scanner) == text;
}

bool is_word(std::string_view text) {
  static const std::string kNowhere;
  Scanner scanner(text, kNowhere);
  return !text.empty() && scanner.word() == text;
}

}  // namespace foreflow::ir
