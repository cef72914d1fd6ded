// What is shown of the rows of one type, listed once: a table takes the columns, a JSON object the
// members. Where their orders differ, a field is listed as both.
//
//   void List(RowFields& f, const Pod& pod) {
//     f("NODE", OneLine(pod.node), "node", pod.node);
//     f.Optional("zone", pod.zone);
//   }
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"
#include "operator/cli/terminal/table.h"

namespace ballast::cli {

struct RowFields {
  json::Writer* object = nullptr;  // null: members go nowhere
  Row headings = {};
  Row cells = {};

  void Column(std::string heading, std::string cell) {
    headings.push_back(std::move(heading));
    cells.push_back(std::move(cell));
  }
  void Member(const char* name, const auto& value) {
    if (object != nullptr) {
      api::MemberWriter{*object}.Always(name, value);
    }
  }
  // Unless it is absent or empty.
  void Optional(const char* name, const auto& value) {
    if (object != nullptr) {
      api::MemberWriter{*object}(name, value);
    }
  }
  void operator()(std::string heading, std::string cell, const char* name, const auto& value) {
    Column(std::move(heading), std::move(cell));
    Member(name, value);
  }
  void operator()(std::string heading, const char* name, std::int32_t value) {
    operator()(std::move(heading), std::to_string(value), name, value);
  }
};

// A row for each of `all`, under the headings if these are wanted.
template <typename All>
std::vector<Row> RowsOf(const All& all, bool headings, const auto& list) {
  std::vector<Row> rows;
  if (headings) {
    RowFields f;
    list(f, typename All::value_type());
    rows.push_back(f.headings);
  }
  for (const auto& one : all) {
    RowFields f;
    list(f, one);
    rows.push_back(f.cells);
  }
  return rows;
}

// Writes the member `name`, an array with an object for each.
void WriteObjects(json::Writer& out, const char* name, const auto& all, const auto& list) {
  out.Array(name, [&] {
    for (const auto& one : all) {
      RowFields f{&out};
      out.Object([&] { list(f, one); });
    }
  });
}

}  // namespace ballast::cli
