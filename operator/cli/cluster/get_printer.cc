#include "operator/cli/cluster/get_printer.h"

#include <iostream>
#include <utility>

#include "api/json/yaml.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/autoscaler_table.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"

namespace ballast::cli {

std::size_t GetPrinter::Print(std::vector<Summary> all) {
  if (style_.unhealthy) {
    std::erase_if(all, [](const Summary& one) { return one.healthy(); });
  }
  if (style_.watch) {
    for (const Summary& summary : all) {
      shown_[KeyOf(summary)] = JsonOf(summary);
    }
  }
  const bool json = style_.output == GetOutput::kJson;
  if (!style_.watch && (json || style_.output == GetOutput::kYaml)) {
    std::cout << (json ? JsonOf(all) + "\n" : JsonTextToYaml(JsonOf(all)));
  } else if (style_.output == GetOutput::kTable || style_.output == GetOutput::kWide) {
    PrintRows(all, style_.headers && (style_.watch || !all.empty()));
  } else {
    for (const Summary& summary : all) {
      PrintOne(summary);
    }
  }
  std::cout.flush();
  return all.size();
}

void GetPrinter::Changed(const Summary& summary) {
  const std::string key = KeyOf(summary);
  const auto before = shown_.find(key);
  const std::string now = JsonOf(summary);
  if (before == shown_.end() ? style_.unhealthy && summary.healthy() : before->second == now) {
    return;
  }
  if (style_.unhealthy && summary.healthy()) {
    shown_.erase(before);
  } else {
    shown_[key] = now;
  }
  PrintOne(summary);
  std::cout.flush();
}

void GetPrinter::Deleted(Summary summary) {
  if (shown_.erase(KeyOf(summary)) == 0) {
    return;
  }
  summary.ready = "Deleted";
  summary.reason = summary.message = summary.limited_by = "";
  PrintOne(summary);
  std::cout.flush();
}

std::string GetPrinter::KeyOf(const Summary& summary) {
  return summary.kind + "/" + summary.namespace_ + "/" + summary.name;
}

void GetPrinter::PrintRows(const std::vector<Summary>& all, bool headers) {
  std::cout << table_.Add(RowsOf(all, {.wide = style_.output == GetOutput::kWide,
                                       .headers = headers,
                                       .colour = TerminalHasColour(),
                                       .now = Now()}));
}

void GetPrinter::PrintOne(const Summary& summary) {
  switch (style_.output) {
    case GetOutput::kName:
      std::cout << ResourceName(summary.kind, summary.name) << "\n";
      break;
    case GetOutput::kJson:
      std::cout << JsonOf(summary) << "\n";
      break;
    case GetOutput::kYaml:
      std::cout << "---\n" << JsonTextToYaml(JsonOf(summary));
      break;
    default:
      PrintRows({summary}, false);
  }
}

}  // namespace ballast::cli
