#include "fuzz/form.h"

#include <algorithm>

#include "foreflow/interpret/flops.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::fuzz {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name##_form { Form row(); }
#include "forms.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<Form>& forms() {
  // clang-format off
  static const Registry<Form> rows("form", {
#define FOREFLOW_ROW(name) definitions::name##_form::row(),
#include "forms.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

void try_bytes(const Form& form, std::string_view bytes) {
  try {
    form.take(bytes);
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const bool one_line         = std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; });
    FOREFLOW_CHECK(one_line, "the message is not one line: " + std::string(text));
  }
}

void check_text(const ir::Module& module) {
  const std::string text = ir::print(module);
  const ir::Module again = surely("printed programs parse", [&] { return ir::parse(text, "printed", ops::table()); });
  FOREFLOW_CHECK(ir::print(again) == text, "print then parse is the identity");
}

void interpret(const ir::Module& module) {
  if (module.functions.empty()) return;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  interpret::unresolved(module, interpretation);
  FOREFLOW_CHECK(interpret::total_flops(module, interpretation) >= Flops(0), "flops are not negative");
}

}  // namespace foreflow::fuzz
