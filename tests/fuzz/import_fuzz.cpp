// What tools say of a machine: read as a platform, whose text then loads and describes itself.
#include "foreflow/platform/describe.h"
#include "foreflow/platform/import.h"
#include "foreflow/platform/load.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::import_form {
namespace {

constexpr size_t kMostText = 1 << 20;  // of a platform that is worth loading

void take(std::string_view bytes) {
  const platform::Imported imported = platform::import_platform(std::string(bytes), "fuzz.txt", {});
  FOREFLOW_CHECK(!imported.assumed.empty(), "no tool says everything");
  if (imported.xml.size() > kMostText) return;
  surely("an imported platform loads", [&] { return platform::describe(platform::load(imported.xml, "imported")); });
}

}  // namespace

Form row() { return {"import", take, 3000}; }

}  // namespace foreflow::fuzz::definitions::import_form
