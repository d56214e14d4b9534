#include "foreflow/report/writer.h"
#include "report/picture.h"

namespace foreflow::report {
namespace {

std::string write_svg(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                      const platform::Platform&) {
  return draw_timeline(summary, program, timeline, equal_streams(program, timeline));
}

std::string write_each(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform&) {
  return draw_timeline(summary, program, timeline, all_streams(program));
}

}  // namespace

namespace definitions::svg {
WriterDef row() {
  return {"svg", "a picture of the timeline", write_svg, "write a picture of the timeline", 1, write_each};
}
}  // namespace definitions::svg

}  // namespace foreflow::report
