#include "foreflow/report/writer.h"
#include "report/picture.h"

namespace foreflow::report {
namespace {

std::string write_svg(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                      const platform::Platform&) {
  return draw_timeline(summary, program, timeline);
}

}  // namespace

namespace definitions::svg {
WriterDef row() { return {"svg", "a picture of the timeline", write_svg, "write a picture of the timeline"}; }
}  // namespace definitions::svg

}  // namespace foreflow::report
