// Decode() and Encode() for what API types are made of: scalars, lists, maps by name and optional
// parts. Each calls the Decode, Encode, Read or Value of what it contains.
//
// As in every Decode, an absent value leaves the target alone.
//
// A type whose members are listed once needs neither of its own:
//
//   void Fields(auto& f, Of<ScalingPolicy> auto& v) {
//     f.Required("value", v.value);  // a problem where it is read and absent
//     f.Always("type", v.type);
//     f("periodSeconds", v.period_seconds);  // not written if it is absent or empty
//   }
//
// Thread-safety: pure functions; the Cursor's Decoder and the Writer belong to one thread.
// Errors: what does not fit is a problem at its place in the document; see json::Decoder.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/base/boxed.h"
#include "api/base/shared.h"
#include "api/base/time.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/quantity.h"

namespace ballast::api {

// Leaves: whatever a JSON scalar can hold.
template <typename T>
requires requires(const json::Cursor& in, T& out) { in.Read(out); }
void Decode(const json::Cursor& in, T& out) { in.Read(out); }
inline void Decode(const json::Cursor& in, Quantity& out) { Read(in, out); }
inline void Decode(const json::Cursor& in, Time& out) { Read(in, out); }
inline void Decode(const json::Cursor& in, Duration& out) { Read(in, out); }

template <typename T>
void Decode(const json::Cursor& in, std::vector<T>& out);
template <typename T>
void Decode(const json::Cursor& in, std::map<std::string, T>& out);

struct MemberReader;
struct MemberWriter;

template <typename T>
concept HasFields = requires(const MemberReader& f, T& value) {
  Fields(f, value);
};
template <HasFields T>
void Decode(const json::Cursor& in, T& out);
template <HasFields T>
void Encode(json::Writer& out, const T& value);

template <typename T>
requires(!requires(const json::Cursor& in, T& out) {
  in.Read(out);
}) void Decode(const json::Cursor& in, std::optional<T>& out) {
  if (in.present()) {
    Decode(in, out.emplace());
  }
}

template <typename T>
void Decode(const json::Cursor& in, Boxed<T>& out) {
  if (in.present()) {
    Decode(in, out.emplace());
  }
}

template <typename T>
void Decode(const json::Cursor& in, std::vector<T>& out) {
  const auto elements = in.Elements();
  out.reserve(elements.size());
  for (const json::Cursor element : elements) {
    Decode(element, out.emplace_back());
  }
}

template <typename T>
void Decode(const json::Cursor& in, std::map<std::string, T>& out) {
  for (const auto& [name, value] : in.Members()) {
    Decode(value, out[std::string(name)]);
  }
}

template <typename T>
void Decode(const json::Cursor& in, Shared<T>& out) {
  if (in.present()) {
    T value;
    Decode(in, value);
    out = std::move(value);
  }
}

inline void Encode(json::Writer& out, const std::string& text) { out.Value(text); }
inline void Encode(json::Writer& out, const Quantity& quantity) { out.Value(quantity.Print()); }
inline void Encode(json::Writer& out, Time time) { out.Value(Print(time)); }
inline void Encode(json::Writer& out, bool value) { out.Value(value); }
inline void Encode(json::Writer& out, std::int32_t number) { out.Value(number); }
inline void Encode(json::Writer& out, std::int64_t number) { out.Value(number); }

template <typename T>
void Encode(json::Writer& out, const std::vector<T>& list) {
  out.Array([&] {
    for (const T& element : list) {
      Encode(out, element);
    }
  });
}

template <typename T>
void Encode(json::Writer& out, const std::map<std::string, T>& map) {
  out.Object([&] {
    for (const auto& [name, value] : map) {
      out.Key(name);
      Encode(out, value);
    }
  });
}

template <typename T>
void Encode(json::Writer& out, const Shared<T>& value) {
  Encode(out, *value);
}

// Writes the member `name` unless the value is absent or empty.
template <typename T>
void EncodeField(json::Writer& out, std::string_view name, const std::optional<T>& value) {
  if (value) {
    out.Key(name);
    Encode(out, *value);
  }
}
template <typename T>
void EncodeField(json::Writer& out, std::string_view name, const Boxed<T>& value) {
  if (value) {
    out.Key(name);
    Encode(out, *value);
  }
}
template <typename T>
requires requires(const T& value) { value.empty(); }
void EncodeField(json::Writer& out, std::string_view name, const T& value) {
  if (!value.empty()) {
    out.Key(name);
    Encode(out, value);
  }
}

// What Fields() is given a list's members by.
struct MemberReader {
  const json::Cursor& in;

  void operator()(std::string_view name, auto& value) const { Decode(in.Member(name), value); }
  void Always(std::string_view name, auto& value) const { Decode(in.Member(name), value); }
  void Required(std::string_view name, auto& value) const { Decode(in.Required(name), value); }
};
struct MemberWriter {
  json::Writer& out;

  void operator()(std::string_view name, const auto& value) const { EncodeField(out, name, value); }
  void Always(std::string_view name, const auto& value) const {
    out.Key(name);
    Encode(out, value);
  }
  void Required(std::string_view name, const auto& value) const { Always(name, value); }
};

// A T, or a const one.
template <typename V, typename T>
concept Of = std::same_as<std::remove_const_t<V>, T>;

template <typename T>
void ReadFields(const json::Cursor& in, T& out) {
  const MemberReader reader{in};
  Fields(reader, out);
}
template <typename T>
void WriteFields(json::Writer& out, const T& value) {
  out.Object([&] {
    const MemberWriter writer{out};
    Fields(writer, value);
  });
}

template <HasFields T>
void Decode(const json::Cursor& in, T& out) {
  ReadFields(in, out);
}
template <HasFields T>
void Encode(json::Writer& out, const T& value) {
  WriteFields(out, value);
}

}  // namespace ballast::api
