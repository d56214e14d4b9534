// One row per item that ran, streams in order.
#include <fmt/format.h>

#include <iterator>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/report/writer.h"
#include "report/lost_time.h"
#include "report/text_size.h"

namespace foreflow::report {
namespace {

// The columns before and after the times, which are the same for every execution of an event.
struct Columns {
  std::string name_and_kind, bytes;
};

// At most, but for names that have to be quoted.
size_t table_size(const stream::Program& program, const std::vector<Columns>& computes,
                  const std::vector<Columns>& communications) {
  constexpr size_t kHead = 60, kNumbers = 60;  // the line of titles; the number of an item, two times and commas
  size_t size = kHead;
  for (const stream::Stream& stream : program.streams) {
    for (const stream::Item& item : stream.items) {
      const Columns& columns = nth(item.instance < 0 ? computes : communications, item.event);
      size += 2 * stream.name.size() + columns.name_and_kind.size() + columns.bytes.size() + kNumbers;
    }
  }
  return size;
}

std::string write_csv(const Summary&, const stream::Program& program, const stream::Timeline& timeline,
                      const platform::Platform&) {
  std::vector<Columns> computes, communications;
  for (const stream::Compute& compute : program.computes)
    computes.push_back({escape::csv_op(compute.name) + ",compute", "0"});
  for (const stream::Communication& communication : program.communications) {
    communications.push_back(
        {fmt::format("{},{}", escape::csv(communication.name), collective::name(communication.kind)),
         fmt::format("{}", communication.bytes.value())});
  }
  std::string out = room_for_report("table", program, table_size(program, computes, communications));
  out += "device,stream,item,name,kind,start_s,end_s,bytes\n";
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const stream::Stream& stream = program.streams[s];
    const std::string device     = name(program, nth(program.devices, stream.device));
    const std::string row        = fmt::format("{},{}", escape::csv(device), escape::csv(stream.name));
    for (size_t i = 0; i < stream.items.size(); ++i) {
      const stream::Item& item     = stream.items[whose_time(program, timeline, s, i)];
      const stream::Record& record = timeline.records[s][i];
      const Columns& columns       = nth(item.instance < 0 ? computes : communications, item.event);
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{}\n", row, i, columns.name_and_kind,
                     record.start.value(), record.end.value(), columns.bytes);
    }
  }
  return out;
}

}  // namespace

namespace definitions::csv {
WriterDef row() {
  return {"csv",     "one row per item: device, stream, name, times, bytes",
          write_csv, "write every item of the timeline, one a line",
          1,         write_csv,
          true};
}
}  // namespace definitions::csv

}  // namespace foreflow::report
