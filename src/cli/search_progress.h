// The progress of a search for people, on stderr.
#pragma once

#include <chrono>

#include "foreflow/search/search.h"

namespace foreflow::cli {

// Shows search::progress_line after a second on a terminal, where it is redrawn, and every ten seconds elsewhere.
class SearchProgress {
 public:
  SearchProgress();
  SearchProgress(const SearchProgress&)            = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;
  // Removes the line from the terminal.
  ~SearchProgress();

  void show(const search::Status& status);

 private:
  bool terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, next_;
};

}  // namespace foreflow::cli
