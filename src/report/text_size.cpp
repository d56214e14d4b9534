#include "report/text_size.h"

#include <fmt/core.h>

#include "foreflow/base/memory.h"
#include "report/words.h"

namespace foreflow::report {

std::string room_for_report(std::string_view name, const stream::Program& program, size_t size) {
  check_memory(Bytes(static_cast<double>(size)), [&] {
    size_t items = 0;
    for (const stream::Stream& stream : program.streams) items += stream.items.size();
    return fmt::format("the {} of {} items on {} devices", name, count(static_cast<int64_t>(items)),
                       count(static_cast<int64_t>(program.devices.size())));
  });
  std::string text;
  text.reserve(size);
  return text;
}

}  // namespace foreflow::report
