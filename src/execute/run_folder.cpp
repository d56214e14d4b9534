#include "execute/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "foreflow/base/error.h"

namespace foreflow::execute {
namespace {
namespace fs = std::filesystem;

constexpr const char* kPrefix = "foreflow-mpi.";
constexpr const char* kLock   = "lock";

// True for a folder of an earlier run whose lock is free.
bool is_left_behind(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const int lock = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return false;
  const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return free;
}

void remove_those_left_behind(const fs::path& among) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(among, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix) || !is_left_behind(entry.path())) continue;
    std::error_code failed;  // another run may be removing it too
    fs::remove_all(entry.path(), failed);
  }
}

}  // namespace

RunFolder::RunFolder() {
  const fs::path among = fs::temp_directory_path();
  remove_those_left_behind(among);
  std::string name = (among / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(name, std::string("cannot be made a folder: ") + std::strerror(errno));
  path_ = name;
  lock_ = ::open((path_ / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
}

RunFolder::~RunFolder() {
  remove();
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace foreflow::execute
