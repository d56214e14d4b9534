// Files compressed with gzip.
#pragma once

#include <string>

namespace foreflow::execute {

// The contents of a file, uncompressed if its name ends with ".gz". Throws Error naming the file: it cannot be read, is
// damaged, or is larger than `limit` bytes.
std::string read_maybe_compressed(const std::string& path, size_t limit);

}  // namespace foreflow::execute
