#include "execute/gzip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::execute {
namespace {

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

ReadLimit trace_limit(size_t bytes) {
  return {bytes, fmt::format("has more than {} MB; profile fewer iterations", bytes / 1'000'000)};
}

}  // namespace

std::string read_maybe_compressed(const std::string& path, size_t limit) {
  if (!path.ends_with(".gz")) return read_file(path, trace_limit(limit));
  std::string text;
  const std::unique_ptr<gzFile_s, CloseGzip> file(gzopen(path.c_str(), "rb"));
  if (!file) throw Error(path, "cannot be read");
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    const size_t before = text.size();
    text.resize(before + kChunk);
    const int read = gzread(file.get(), text.data() + before, kChunk);
    int status     = Z_OK;
    gzerror(file.get(), &status);
    if (read < 0 || (status != Z_OK && status != Z_STREAM_END))
      throw Error(path, "is damaged or cut off; gzip -t says more");
    text.resize(before + static_cast<size_t>(read));
    if (text.size() > limit) throw Error(path, trace_limit(limit).problem);
    if (read == 0) return text;
  }
}

}  // namespace foreflow::execute
