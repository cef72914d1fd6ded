#include "tests/conformance/equality.h"

#include <algorithm>
#include <map>

#include "api/base/time.h"
#include "api/kubernetes/codec.h"
#include "api/kubernetes/quantity.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/stabilization.h"

namespace ballast::testing {
namespace {

using json::Cursor;

bool SameQuantity(const Cursor& a, const Cursor& b) {
  const auto x = ParseQuantity(a.Text());
  const auto y = ParseQuantity(b.Text());
  return x.ok() && y.ok() && *x == *y;
}

bool Same(const Cursor& a, const Cursor& b) {
  if (!a.IsObject() || !b.IsObject()) {
    return a.Print() == b.Print();
  }
  const auto members = [](const Cursor& object) {
    std::map<std::string_view, Cursor> map;
    for (const auto& [name, value] : object.Members()) {
      map.emplace(name, value);
    }
    return map;
  };
  const auto x = members(a);
  const auto y = members(b);
  return x.size() == y.size() && std::all_of(x.begin(), x.end(), [&](const auto& member) {
           const auto& [name, value] = member;
           const auto other = y.find(name);
           if (other == y.end()) {
             return false;
           }
           const bool quantity = name == "value" || name == "averageValue";
           return quantity ? SameQuantity(value, other->second) : Same(value, other->second);
         });
}

// What counts of events and conditions, as one text each.
std::vector<std::string> Print(const Cursor& list) {
  std::vector<std::string> items;
  for (const Cursor& item : list.Elements()) {
    std::string text;
    for (const char* field : {"type", "status", "reason", "message"}) {
      text += item.Member(field).Print() + " ";
    }
    items.push_back(text);
  }
  return items;
}

std::vector<std::string> Sorted(std::vector<std::string> items) {
  std::sort(items.begin(), items.end());
  return items;
}

bool SameElements(const Cursor& want, const Cursor& got) {
  const auto elements = [](const Cursor& list) {
    std::vector<Cursor> vector;
    for (const Cursor& element : list.Elements()) {
      vector.push_back(element);
    }
    return vector;
  };
  const auto x = elements(want);
  const auto y = elements(got);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), Same);
}

// The entries of one list of the memory that are younger than `window`, in some order of their own.
std::vector<std::string> Remembered(const Cursor& list, Time now, Duration window) {
  std::vector<std::string> entries;
  for (const Cursor& entry : list.Elements()) {
    Time time;
    api::Decode(entry.Member("time"), time);
    if (now - time < window) {
      entries.push_back(ballast::Print(time) + entry.Member("replicas").Print() +
                        entry.Member("change").Print());
    }
  }
  return Sorted(std::move(entries));
}

bool SameMemory(const engine::Snapshot& snapshot, const Cursor& want, const Cursor& got) {
  const auto& spec = snapshot.autoscaler.spec;
  Duration up;
  Duration down;
  if (const auto& behavior = spec.behavior) {
    up = engine::LongestPeriod(behavior->scale_up);
    down = engine::LongestPeriod(behavior->scale_down);
  }
  const auto same = [&](const char* list, Duration window) {
    return Remembered(want.Member(list), snapshot.now, window) ==
           Remembered(got.Member(list), snapshot.now, window);
  };
  return same("recommendations", engine::WindowsOf(snapshot).Longest()) && same("scaleUps", up) &&
         same("scaleDowns", down);
}

}  // namespace

std::vector<std::string> Differences(const engine::Snapshot& snapshot, const Cursor& want,
                                     const Cursor& got) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* field, auto equal) {
    const Cursor x = want.Member(field);
    const Cursor y = got.Member(field);
    if (x.present() && !equal(x, y)) {
      differences.push_back(std::string(field) + ":\n  want " + x.Print() + "\n  got  " +
                            y.Print());
    }
  };
  if (got.Member("error").present()) {
    return {"error: " + got.Member("error").Print()};
  }
  compare("desiredReplicas", Same);
  compare("rescale", Same);
  compare("conditions",
          [](const Cursor& x, const Cursor& y) { return Sorted(Print(x)) == Sorted(Print(y)); });
  compare("currentMetrics", SameElements);
  compare("events", [](const Cursor& x, const Cursor& y) { return Print(x) == Print(y); });
  compare("memory", [&](const Cursor& x, const Cursor& y) { return SameMemory(snapshot, x, y); });
  return differences;
}

}  // namespace ballast::testing
