#include "foreflow/binary/program_file.h"

#include "foreflow/base/text.h"
#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"

namespace foreflow::binary {
namespace {

bool has_binary_name(const std::string& path) { return path.ends_with(".distirb"); }

}  // namespace

ir::Module read_program(const std::string& path, const ir::OpTable& ops) {
  const std::string content = read_file(path, {32'000'000'000, "has more than 32 GB; no program is that large"});
  // By its name alone too, so that a file whose beginning was damaged is not taken for text.
  return is_distirb(content) || has_binary_name(path) ? read(content, path, ops) : ir::parse(content, path, ops);
}

void write_program(const std::string& path, const ir::Module& module) {
  write_file(path, has_binary_name(path) ? write(module) : ir::print(module));
}

}  // namespace foreflow::binary
