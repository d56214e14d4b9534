#include "binary/file.h"

#include <fmt/core.h>

#include <climits>

#include "binary/checksum.h"
#include "distir.pb.h"
#include "foreflow/base/error.h"
#include "foreflow/binary/distirb.h"

namespace foreflow::binary {
namespace {

constexpr std::string_view kMagic = "distirb";
constexpr std::string_view kBeginning =
    "\x0A\x07"
    "distirb";                  // field 1, its length, and it
constexpr size_t kHeader = 64;  // no file has more bytes around its module

}  // namespace

bool is_distirb(std::string_view bytes) { return bytes.starts_with(kBeginning); }

std::string wrap(std::string module) {
  if (module.size() > INT_MAX - kHeader) {
    throw Error(".distirb", "the program is larger than 2 GiB, protobuf's limit; write it as .distir text");
  }
  distir_proto::File file;
  file.set_magic(std::string(kMagic));
  file.set_format_version(kFormatVersion);
  file.set_checksum(checksum(module));
  file.set_module(std::move(module));
  return file.SerializeAsString();
}

std::string unwrap(std::string_view bytes, const std::string& name) {
  if (!is_distirb(bytes)) throw Error(name, "is no .distirb file: it does not begin like one");
  if (bytes.size() > INT_MAX)
    throw Error(name, "is larger than 2 GiB, protobuf's limit; it was not written by foreflow");
  distir_proto::File file;
  const bool whole = file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  // The version comes first: of a newer file nothing else can be judged. It is known even where the rest is cut off.
  if (file.format_version() > kFormatVersion) {
    throw Error(name, fmt::format("was written in format version {}; this foreflow reads versions up to {}: use a "
                                  "newer one, or have the program written as .distir text",
                                  file.format_version(), kFormatVersion));
  }
  if (whole && file.format_version() == 0) throw Error(name, "is damaged: it states no format version; write it again");
  if (!whole || !file.has_checksum() || !file.has_module()) {
    throw Error(name, "is damaged: its bytes end too early, or are no message; write it again");
  }
  if (const uint32_t found = checksum(file.module()); found != file.checksum()) {
    throw Error(name,
                fmt::format("is damaged: the checksum of its program is {:08x}, and it states {:08x}; write it again",
                            found, file.checksum()));
  }
  if (wrap(file.module()) != bytes) throw Error(name, "is damaged: it holds more than a program; write it again");
  return std::move(*file.mutable_module());
}

}  // namespace foreflow::binary
