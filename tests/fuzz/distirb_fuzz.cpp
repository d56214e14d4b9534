// `.distirb`: whole files, and bare programs, which get a right checksum so that changed ones are read too.
#include "binary/file.h"
#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::distirb_form {
namespace {

void take(std::string_view bytes) {
  const std::string file  = binary::is_distirb(bytes) ? std::string(bytes) : binary::wrap(std::string(bytes));
  const ir::Module module = binary::read(file, "fuzz.distirb", ops::table());
  check_text(module);
  const std::string written = binary::write(module);
  const ir::Module again =
      surely("written programs are read", [&] { return binary::read(written, "written", ops::table()); });
  FOREFLOW_CHECK(ir::same_program(again, module), "write then read is the identity");
  FOREFLOW_CHECK(binary::write(again) == written, "the same program gives the same bytes");
  interpret(module);
}

}  // namespace

Form row() { return {"distirb", take}; }

}  // namespace foreflow::fuzz::definitions::distirb_form
