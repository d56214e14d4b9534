#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow {
namespace {
namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, int reason) {
  throw Error(path, std::string("cannot be written: ") + std::strerror(reason));
}

// An open file, closed at the end whatever happens.
class Output {
 public:
  Output(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {}
  Output(const Output&)            = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // 0, or the errno of what failed. Some file systems say only at the end that the disk is full.
  int write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return close();
  }

 private:
  int close() {
    if (descriptor_ < 0) return 0;
    const int result = ::close(descriptor_);
    descriptor_      = -1;
    return result == 0 || errno == EINTR ? 0 : errno;
  }

  int descriptor_;
};

void write_stdout(std::string_view content) {
  std::cout.write(content.data(), static_cast<std::streamsize>(content.size()));
  std::cout.flush();
  if (!std::cout) cannot_write("stdout", errno);
}

// A device or a pipe must stay what it is.
void write_in_place(const std::string& path, std::string_view content) {
  Output out(path, O_CREAT | O_TRUNC);
  if (!out.is_open()) cannot_write(path, errno);
  if (const int failed = out.write(content); failed != 0) cannot_write(path, failed);
}

// A new file beside `path`: no other process has the name, and nothing is overwritten.
std::string beside(const std::string& path, int attempt) {
  return fmt::format("{}.{}-{}.part", path, ::getpid(), attempt);
}

void write_beside_and_rename(const std::string& path, std::string_view content) {
  constexpr int kAttempts = 100;
  int attempt             = 0;
  for (;; ++attempt) {
    Output out(beside(path, attempt), O_CREAT | O_EXCL);
    if (!out.is_open() && errno == EEXIST && attempt < kAttempts) continue;
    if (!out.is_open()) cannot_write(path, errno);
    struct stat old {};
    if (::stat(path.c_str(), &old) == 0) ::fchmod(out.descriptor(), old.st_mode & 07777U);
    const int failed = out.write(content);
    if (failed == 0) break;
    ::unlink(beside(path, attempt).c_str());
    cannot_write(path, failed);
  }
  if (::rename(beside(path, attempt).c_str(), path.c_str()) == 0) return;
  const int failed = errno;
  ::unlink(beside(path, attempt).c_str());
  cannot_write(path, failed);
}

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  if (path == "-") return write_stdout(content);
  std::error_code unknown;
  const fs::file_type kind = fs::symlink_status(path, unknown).type();
  if (kind == fs::file_type::symlink && fs::is_regular_file(path, unknown)) {
    return write_beside_and_rename(fs::canonical(path).string(), content);  // the link stays
  }
  const bool fresh = kind == fs::file_type::regular || kind == fs::file_type::not_found;
  fresh ? write_beside_and_rename(path, content) : write_in_place(path, content);
}

void check_folder_of(const std::string& path) {
  const fs::path folder = path == "-" ? fs::path() : fs::path(path).parent_path();
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) cannot_write(path, EISDIR);
  if (folder.empty() || fs::is_directory(folder, unknown)) return;
  cannot_write(path, fs::exists(folder, unknown) ? ENOTDIR : ENOENT);
}

}  // namespace foreflow
