// What queries of the history have in common: which autoscalers, and in which time.
//
// Thread-safety: the Statement's.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "api/base/time.h"
#include "store/history.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Of `autoscalers a`. Parameters: ?1 namespace, ?2 name, ?3 kind.
#define BALLAST_AUTOSCALER_CONDITIONS \
  " (?1 IS NULL OR a.namespace = ?1) AND (?2 IS NULL OR a.name = ?2) AND (?3 = '' OR a.kind = ?3)"

// Binds these three, then `more`.
template <typename... More>
void BindQuery(Statement& rows, const HistoryQuery& query, const More&... more) {
  using Text = std::optional<std::string_view>;
  const Text all = query.namespace_.empty() ? Text() : Text(query.namespace_);
  rows.Bind(query.key ? Text(query.key->namespace_) : all,
            query.key ? Text(query.key->name) : std::nullopt, query.kind, more...);
}

inline constexpr std::int64_t kBeginOfTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

inline std::int64_t OrElse(const std::optional<Time>& time, std::int64_t otherwise) {
  return time ? time->unix_nanoseconds() : otherwise;
}

}  // namespace ballast::store
