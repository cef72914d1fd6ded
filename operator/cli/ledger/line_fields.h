// What is shown of a line of a history (explain::Line): the fields of each kind of line, listed
// once. JSON has them as members, and the columns of tables and of CSV take cells by their names.
//
//   f("time", "from", gap.from);  // the cell "time", and the member "from"
//   f.Cell("outcome", "gap");     // a cell alone; of those in capitals tables alone have columns
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json/json_writer.h"
#include "operator/cli/terminal/table.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::cli {

struct LineFields {
  json::Writer* object = nullptr;                  // takes the members; null: they go nowhere
  std::span<const std::string_view> columns = {};  // whose cells are made
  Zone zone = Zone::kUtc;                          // of times in texts
  // How a cell that is a time is printed: under this heading (times.h). Absent: UTC, and exact.
  std::optional<Time> heading = {};
  bool colour = false;
  Row cells = Row(columns.size());  // empty: the line has none of that name

  // That of one of `columns`.
  std::string& operator[](std::string_view column) { return cells[IndexOf(column)]; }

  void operator()(std::string_view name, const auto& value) { operator()(name, name, value); }
  void operator()(std::string_view name, std::string_view member, const auto& value) {
    Member(member, value);
    Cell(name, [&] { return TextOf(value); });
  }
  // Unless it is absent.
  void Member(std::string_view name, const auto& value) {
    if (object != nullptr) {
      object->Field(name, value);
    }
  }
  void Member(std::string_view name, const std::optional<Time>& time) {
    if (object != nullptr && time) {
      object->Field(name, Print(*time));
    }
  }
  void Member(std::string_view name, Time time) { Member(name, std::optional(time)); }
  // `text` may be what makes it.
  void Cell(std::string_view name, const auto& text, Colour its = Colour::kNone) {
    const std::size_t index = IndexOf(name);
    if (index == columns.size()) {
      return;
    }
    std::string& cell = cells[index];
    if constexpr (std::invocable<decltype(text)>) {
      cell = text();
    } else {
      cell = text;
    }
    if (colour) {
      cell = Paint(its, cell);
    }
  }

 private:
  std::size_t IndexOf(std::string_view column) const {
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  }
  static std::string TextOf(std::string_view text) { return std::string(text); }
  static std::string TextOf(std::int64_t number) { return std::to_string(number); }
  static std::string TextOf(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "";
  }
  std::string TextOf(Time time) const {
    return heading ? PrintUnder(zone, time, *heading) : Print(time);
  }
};

void List(LineFields& f, const store::Entry& entry);
void List(LineFields& f, const explain::Gap& gap);
void List(LineFields& f, const store::ForeignChangeEntry& foreign);
void List(LineFields& f, const store::EditEntry& edited);

// Writes the line's members into the open object.
void WriteFields(json::Writer& out, const auto& line) {
  LineFields f{.object = &out};
  List(f, line);
}
// The same as the member `name` of the open object.
void WriteFields(json::Writer& out, std::string_view name, const auto& line) {
  out.Object(name, [&] { WriteFields(out, line); });
}

}  // namespace ballast::cli
