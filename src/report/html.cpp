// One page that needs nothing outside itself: the summary, and the timeline as a drawing with tooltips.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "foreflow/base/escape.h"
#include "foreflow/report/memory.h"
#include "foreflow/report/writer.h"
#include "report/device_names.h"
#include "report/digest.h"
#include "report/family.h"
#include "report/picture.h"
#include "report/words.h"

namespace foreflow::report {
namespace {

constexpr size_t kRows = 24;  // of a table

constexpr std::string_view kStyle = R"css(
body { margin: 0; background: #f5f6f8; color: #1f2933; }
body { font: 15px/1.5 Inter, "Helvetica Neue", Helvetica, Arial, sans-serif; }
main { max-width: 1248px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 0 0 12px; }
.soft { color: #66727f; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 14px; margin: 24px 0; }
.card, section { background: #fff; border: 1px solid #e3e7ec; border-radius: 10px; }
.card { padding: 14px 18px; }
.card b { display: block; font-size: 24px; font-weight: 600; }
.bad b { color: #c0392b; }
section { padding: 20px 22px; margin: 0 0 16px; overflow-x: auto; }
section svg { display: block; width: 100%; height: auto; min-width: 900px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(480px, 1fr)); gap: 0 16px; align-items: start; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: #66727f; font-size: 13px; }
th, td { padding: 4px 10px 4px 0; white-space: nowrap; }
td.n, th.n { text-align: right; }
.bar { background: #eef1f4; border-radius: 3px; height: 12px; min-width: 120px; overflow: hidden; }
.bar i { display: block; height: 100%; }
)css";

class Page {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Arguments>(arguments)...);
    out_ += '\n';
  }
  void raw(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string cell(std::string_view text) { return fmt::format("<td>{}</td>", escape::markup(text)); }
std::string figure(std::string_view text) { return fmt::format("<td class=\"n\">{}</td>", escape::markup(text)); }
std::string bar_cell(double fraction, std::string_view colour) {
  return fmt::format(R"(<td width="40%"><div class="bar"><i style="width:{:.2f}%;background:{}"></i></div></td>)",
                     100 * std::clamp(fraction, 0.0, 1.0), colour);
}

void add_cards(Page& page, const Summary& summary) {
  const auto card = [&](std::string_view what, const std::string& value, std::string_view kind) {
    page.add(R"(<div class="card{}"><span class="soft">{}</span><b>{}</b></div>)", kind, what, escape::markup(value));
  };
  double fullest = 0;
  for (const DeviceSummary& device : summary.devices) {
    if (device.capacity > Bytes(0)) fullest = std::max(fullest, device.peak_memory / device.capacity);
  }
  page.add(R"(<div class="cards">)");
  card(what_takes_the_time(summary), format(summary.iteration_time), "");
  card("throughput", number(summary.samples_per_second) + " samples/s", "");
  if (summary.job.tokens > 0) card("tokens/s per device", number(summary.tokens_per_second_per_device), "");
  card("model FLOP utilization", percent(summary.mfu), "");
  card("per device", format(summary.model_rate), "");
  card(summary.fits ? "fullest memory" : "does not fit in memory", percent(fullest), summary.fits ? "" : " bad");
  page.add("</div>");
}

void add_jobs(Page& page, const Summary& summary) {
  if (summary.jobs.empty()) return;
  constexpr int kPlacement = 80;  // cells
  page.add(R"(<section><h2>Jobs</h2><table><tr><th>job</th><th class="n">start</th><th class="n">alone</th>)"
           R"(<th class="n">together</th><th class="n">slowdown</th><th>placement</th></tr>)");
  for (size_t j = 0; j < summary.jobs.size(); ++j) {
    const auto [name, start, alone, together, slowdown] = columns_of(summary.jobs[j]);
    page.add("<tr>{}{}{}{}{}{}</tr>", cell(name), figure(start), figure(alone), figure(together), figure(slowdown),
             cell(where_ranks_sit(summary, j, summary.jobs[j].job.placement, kPlacement)));
  }
  page.add("</table></section>");
}

void add_time(Page& page, const Summary& summary) {
  page.add("<section><h2>Where the time goes, on the average device</h2><table>");
  const auto row = [&](std::string_view name, std::string_view colour, Seconds seconds) {
    page.add("<tr>{}{}{}{}</tr>", cell(name), bar_cell(share_of_iteration(summary, seconds), colour),
             figure(percent(share_of_iteration(summary, seconds))), figure(format(seconds)));
  };
  for (const FamilyTime& family : time_by_family(summary)) row(family.name, family.colour, family.seconds);
  const Averages average = averages(summary);
  if (average.host > Seconds(0)) row("host", "#e3d9b8", average.host);
  row("idle", "#c3cad3", average.idle - (average.host - average.host_inside));
  page.add("</table></section>");
}

void add_path(Page& page, const Summary& summary) {
  page.add(R"(<section><h2>Critical path</h2><table><tr><th>what</th><th>on</th>)"
           R"(<th class="n">times</th><th class="n">share</th>)"
           R"(<th class="n">time</th></tr>)");
  const std::vector<PathShare> shares = path_shares(summary);
  for (size_t i = 0; i < std::min(shares.size(), kRows); ++i) {
    page.add("<tr>{}{}{}{}{}</tr>", cell(plain_name(shares[i].what)), cell(name_ranges(shares[i].streams, 3)),
             figure(count(shares[i].count)), figure(percent(share_of_iteration(summary, shares[i].seconds))),
             figure(format(shares[i].seconds)));
  }
  page.add("</table></section>");
}

void add_devices(Page& page, const Summary& summary) {
  page.add(R"(<section><h2>Devices</h2><table><tr><th>device</th><th class="n">busy</th><th class="n">compute</th>)"
           R"(<th class="n">communication</th><th class="n">idle</th><th>memory</th>)"
           R"(<th class="n">peak</th><th class="n">capacity</th></tr>)");
  const std::vector<DeviceGroup> groups = equal_devices(summary);
  for (size_t i = 0; i < std::min(groups.size(), kRows); ++i) {
    const DeviceSummary& device = *groups[i].first;
    const double full           = device.capacity > Bytes(0) ? device.peak_memory / device.capacity : 0;
    page.add("<tr>{}{}{}{}{}{}{}{}</tr>", cell(names_of(summary, groups[i].devices).text(3)),
             figure(percent(share_of_iteration(summary, device.busy))),
             figure(percent(share_of_iteration(summary, device.compute))),
             figure(percent(share_of_iteration(summary, device.communication))),
             figure(percent(share_of_iteration(summary, device.idle))),
             bar_cell(full, device.fits ? "#7f9fc4" : "#c0392b"), figure(format(device.peak_memory)),
             figure(format(device.capacity)));
  }
  if (groups.size() > kRows) page.add(R"(<tr><td class="soft">and {} more groups</td></tr>)", groups.size() - kRows);
  page.add("</table></section>");
}

void add_memory(Page& page, const Summary& summary, const std::vector<MemoryPeak>& peaks) {
  const MemoryPeak* fullest = fullest_peak(summary, peaks);
  if (fullest == nullptr) return;
  constexpr size_t kNames = 6;
  const std::vector<size_t> devices(fullest->devices.begin(), fullest->devices.end());
  page.add("<section><h2>Memory of {} at its peak, from {} to {}</h2><table>",
           escape::markup(names_of(summary, devices).text(3)), escape::markup(format(fullest->time)),
           escape::markup(format(fullest->until)));
  for (size_t i = 0; i < fullest->classes.size(); ++i) {
    const auto kind   = static_cast<stream::MemoryClass>(i);
    const double part = fullest->size > Bytes(0) ? fullest->classes[i] / fullest->size : 0;
    if (fullest->classes[i] <= Bytes(0)) continue;
    page.add("<tr>{}{}{}{}{}</tr>", cell(words_of(kind)), bar_cell(part, "#7f9fc4"), figure(percent(part)),
             figure(format(fullest->classes[i])), cell(largest(*fullest, kind, kNames)));
  }
  if (fullest->allocator) {
    page.add(
        R"(<tr><td class="soft" colspan="5">a caching allocator reserves {}, {} more than is asked for at most</td></tr>)",
        escape::markup(format(fullest->allocator->reserved)),
        percent(fullest->allocator->overhead() / fullest->allocator->requested));
  }
  page.add("</table></section>");
}

void add_collectives(Page& page, const Summary& summary) {
  if (summary.collectives.empty()) return;
  page.add(R"(<section><h2>Communication</h2><table><tr><th>what</th><th class="n">times</th><th class="n">each</th>)"
           R"(<th class="n">algbw</th><th class="n">busbw</th><th class="n">contention</th><th class="n">waiting</th>)"
           R"(<th>algorithm</th></tr>)");
  for (size_t i = 0; i < std::min(summary.collectives.size(), kRows); ++i) {
    const CollectiveSummary& row                                      = summary.collectives[i];
    const auto [what, times, each, algbw, busbw, contention, waiting] = columns_of(row);
    page.add("<tr>{}{}{}{}{}{}{}{}</tr>", cell(what), figure(times), figure(each), figure(algbw), figure(busbw),
             figure(contention), figure(waiting), cell(row.algorithm));
  }
  if (summary.collectives.size() > kRows)
    page.add(R"(<tr><td class="soft">and {} more</td></tr>)", summary.collectives.size() - kRows);
  page.add("</table></section>");
}

void add_links(Page& page, const Summary& summary) {
  const std::vector<LinkGroup> groups = busiest_links(summary);
  if (groups.empty()) return;
  page.add(R"(<section><h2>Busiest links</h2><table><tr><th>link</th><th class="n">links</th><th>kind</th><th></th>)"
           R"(<th class="n">used</th>)"
           R"(<th class="n">bytes</th></tr>)");
  for (size_t i = 0; i < std::min(groups.size(), kRows); ++i) {
    const LinkSummary& link = *groups[i].first;
    page.add("<tr>{}{}{}{}{}{}</tr>", cell(link.name), figure(count(groups[i].count)), cell(link.kind),
             bar_cell(link.utilization, "#e0a458"), figure(percent(link.utilization)), figure(format(link.bytes)));
  }
  page.add("</table>");
  if (const auto needed = needed_by_links(summary))
    page.add(
        R"(<p class="soft">Above 100 %: the busiest link needs at least {} for its traffic, as this engine does not model )"
        R"(contention; simgrid does.</p>)",
        format(*needed));
  page.add("</section>");
}

std::string write_html(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform&) {
  const std::string title = escape::markup(summary.job.name.empty() ? "Foreflow" : summary.job.name);
  Page page;
  page.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
  page.add(
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n</head>",
      title, kStyle);
  page.add("<body>\n<main>\n<h1>{}</h1>", title);
  page.add(R"(<div class="soft">{} · {} · {} engine · {} devices on {} · )"
           "{} executions of {} pieces of work</div>",
           summary.job.training ? "training" : "inference", escape::markup(summary.job.dtype),
           escape::markup(summary.job.engine), count(summary.device_count), escape::markup(summary.platform),
           count(summary.events.executed), count(summary.events.distinct));
  add_cards(page, summary);
  add_jobs(page, summary);
  page.raw("<section>");
  page.raw(draw_timeline(summary, program, timeline, equal_streams(program, timeline)));
  page.raw("</section>\n<div class=\"pair\">\n");
  add_time(page, summary);
  add_path(page, summary);
  page.raw("</div>\n");
  add_devices(page, summary);
  add_memory(page, summary, memory_peaks(summary, program, timeline));
  add_collectives(page, summary);
  add_links(page, summary);
  page.add("</main>\n</body>\n</html>");
  return page.take();
}

}  // namespace

namespace definitions::html {
WriterDef row() {
  return {"html", "one page with the summary and the timeline", write_html, "write a page for a browser"};
}
}  // namespace definitions::html

}  // namespace foreflow::report
