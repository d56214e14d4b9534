// The folder of one run: the files by which `foreflow` and its processes communicate.
#pragma once

#include <filesystem>
#include <string>

namespace foreflow::execute {

// A new temporary folder, removed with its content by the destructor. The constructor first removes folders of earlier
// runs that were killed together with their guardians.
class RunFolder {
 public:
  // Throws Error naming the folder when it cannot be made.
  RunFolder();
  RunFolder(const RunFolder&)            = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }
  void remove() const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held as long as the folder is in use
};

}  // namespace foreflow::execute
