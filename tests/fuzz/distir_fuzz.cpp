// `.distir`: parse, print, parse again, interpret, and every pass that needs no other input.
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/passes.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::distir_form {
namespace {

void try_pass(const ir::Module& module, std::string_view pass) {
  ir::Module changed;
  try {
    changed = transform::apply(module, ops::table(), pass);
  } catch (const Error&) {
    return;  // the pass cannot do this program
  }
  surely("passes keep programs well-formed", [&] { ir::verify(changed); });
  check_text(changed);
}

void take(std::string_view text) {
  const ir::Module module = ir::parse(text, "fuzz.distir", ops::table());
  check_text(module);
  interpret(module);
  if (module.functions.empty()) return;
  for (const std::string_view pass : {"resolve", "eliminate_dead_code", "differentiate", "shard(tp=2)",
                                      "pipeline(pp=2, microbatches=2)", "replicate(dp=2)"}) {
    try_pass(module, pass);
  }
}

}  // namespace

Form row() { return {"distir", take}; }

}  // namespace foreflow::fuzz::definitions::distir_form
