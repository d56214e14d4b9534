// The folder of one run: what `foreflow` and its processes say to each other.
#pragma once

#include <filesystem>
#include <string>

namespace foreflow::execute {

// A new folder among the temporary files, removed with all that is in it. Those that earlier runs left behind because
// they were killed, with the guardian of their processes, are removed first.
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
  int lock_ = -1;  // held as long as somebody uses the folder
};

}  // namespace foreflow::execute
