// JSON for everyone else in this project: the only place that includes RapidJSON.
//
//   ASSIGN_OR_RETURN(json::Document document, json::Parse(text));
//   json::Decoder decoder(document);
//   json::Cursor spec = decoder.root().Required("spec");
//   spec.Required("maxReplicas").Read(max_replicas);
//   TRY(decoder.status());  // "spec.maxReplicas: expected an integer, got a string"
//
// Reading never fails at once: the first problem is kept, with its path, until status() is asked.
// So a decoder reads like the type it fills: an absent member leaves the target alone. null counts
// as absent, as in Kubernetes' own decoding. Numbers: an integer is an integer only if written as
// one (1.0 and 1e3 are not), as Go has it. Duplicate keys: the last one counts for objects decoded
// by Members(); Member() finds the first. Input is checked: well-formed, valid UTF-8, at most
// kMaxDepth levels deep; anything else is kInvalid.
// Thread-safety: a Document may be read by many threads; a Decoder belongs to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"

// RapidJSON stays out of this header; see json.cc.
namespace ballast::json {

namespace internal {
struct Dom;   // a rapidjson::Document
struct Node;  // a rapidjson::Value
}  // namespace internal

inline constexpr int kMaxDepth = 64;

class Document {
 public:
  explicit Document(std::unique_ptr<internal::Dom> dom);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  const internal::Node* root() const;

 private:
  std::unique_ptr<internal::Dom> dom_;
};

// One complete JSON text. kInvalid: "at byte 17: missing a comma or '}' after an object member".
Result<Document> Parse(std::string_view text);
// kFull: it has more than `max_values` values and names, each of which takes 16 bytes however short
// its text is.
Result<Document> ParseAtMost(std::size_t max_values, std::string_view text);

// The texts at these paths ("request.kind.name"; through objects, not lists), and no document: for
// what is too large to be taken apart. What is absent or no text is not in the result; of a name
// that is there twice the first counts. kInvalid: as Parse, as far as it was looked at.
Result<std::map<std::string, std::string>> PickTexts(std::string_view text,
                                                     const std::set<std::string>& paths);

class Decoder;
class Elements;
class Members;

// A place in a document, or an absent one; cheap to copy. Valid as long as document and decoder
// are.
class Cursor {
 public:
  Cursor() = default;  // an absent place
  bool present() const { return node_ != nullptr; }

  // The member, absent when this is absent; when this is no object, that is a problem.
  Cursor Member(std::string_view name) const;
  // As Member, but its absence is a problem ("spec.x: is required").
  Cursor Required(std::string_view name) const;
  // The elements of an array, a range of Cursor; empty when absent.
  json::Elements Elements() const;
  // The members of an object in the order written, a range of pairs of name and Cursor (an absent
  // one for null); empty when absent.
  json::Members Members() const;

  // Fill `out` and return true; leave it alone and return false when absent or of another type.
  bool Read(std::string& out) const;
  bool Read(bool& out) const;
  bool Read(std::int32_t& out) const;
  bool Read(std::int64_t& out) const;
  bool Read(double& out) const;
  template <typename T>
  bool Read(std::optional<T>& out) const {
    T value{};
    if (!Read(value)) {
      return false;
    }
    out = std::move(value);
    return true;
  }

  bool IsString() const;
  bool IsNumber() const;
  bool IsBool() const;
  bool IsObject() const;
  bool IsArray() const;
  bool IsNull() const;  // an element of an array; a null member counts as absent
  // The number, if it is written as an integer and fits; no problem is noted.
  std::optional<std::int64_t> Integer() const;
  // The text of a string without copying it; empty when absent or no string (no problem noted).
  std::string_view Text() const;
  // A number as it would be written; integers exactly, others in the shortest form that reads back.
  std::string NumberText() const;
  // This value as compact JSON; "null" when absent.
  std::string Print() const;
  // The same over several lines, indented by two spaces.
  std::string PrintIndented() const;

  // Notes a problem at this place ("spec.minReplicas: <message>").
  void Fail(const std::string& message) const;

 private:
  friend class Decoder;
  friend class Elements;
  friend class Members;
  Cursor(const internal::Node* node, Decoder* decoder) : node_(node), decoder_(decoder) {}
  bool Mismatch(const char* expected) const;

  const internal::Node* node_ = nullptr;
  Decoder* decoder_ = nullptr;
};

// What Cursor::Elements() and Members() give: ranges to walk through once, which own nothing.
class Elements {
 public:
  class Iterator {
   public:
    Cursor operator*() const { return Cursor(node_, decoder_); }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return node_ != other.node_; }

   private:
    friend class Elements;
    Iterator(const internal::Node* node, Decoder* decoder) : node_(node), decoder_(decoder) {}
    const internal::Node* node_;
    Decoder* decoder_;
  };

  Iterator begin() const { return {begin_, decoder_}; }
  Iterator end() const { return {end_, decoder_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  friend class Cursor;
  const internal::Node* begin_ = nullptr;
  const internal::Node* end_ = nullptr;
  std::size_t size_ = 0;
  Decoder* decoder_ = nullptr;
};

class Members {
 public:
  class Iterator {
   public:
    std::pair<std::string_view, Cursor> operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    friend class Members;
    Iterator(const internal::Node* at, Decoder* decoder) : at_(at), decoder_(decoder) {}
    const internal::Node* at_;  // the member's name; its value lies behind it
    Decoder* decoder_;
  };

  Iterator begin() const { return {begin_, decoder_}; }
  Iterator end() const { return {end_, decoder_}; }

 private:
  friend class Cursor;
  const internal::Node* begin_ = nullptr;
  const internal::Node* end_ = nullptr;
  Decoder* decoder_ = nullptr;
};

// Reads a time or a duration from a string; a malformed one is a problem at the cursor.
bool Read(const Cursor& in, Time& out);
bool Read(const Cursor& in, Duration& out);

// Keeps the first problem of one decoding. Must not move while cursors of it are in use.
class Decoder {
 public:
  explicit Decoder(const Document& document) : root_(document.root()) {}
  // Of one part of a document, with problems and paths of its own (an item of a list).
  explicit Decoder(const Cursor& part) : root_(part.node_) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Cursor root() { return Cursor(root_, this); }
  // Done, or kInvalid with "path: message" of the first problem.
  Status status() const;

 private:
  friend class Cursor;
  void Fail(const internal::Node* at, std::string_view member, const std::string& message);

  const internal::Node* root_;
  std::optional<Error> problem_;
};

// Writes compact JSON, strings escaped as needed. Calls must nest properly; it is the caller's
// duty.
//
//   json::Writer w;
//   w.Object([&] { w.Field("id", id); w.Array("pods", [&] { ... }); });
class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Key(std::string_view name);
  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value);
  void Value(std::int32_t value);
  void Value(std::int64_t value);
  void Value(double value);  // must be finite
  void Null();
  // `json` must be a complete JSON value; it is copied as it is.
  void Raw(std::string_view json);
  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();

  template <typename Body>
  void Object(Body body) {
    BeginObject();
    body();
    EndObject();
  }
  template <typename Body>
  void Array(Body body) {
    BeginArray();
    body();
    EndArray();
  }
  template <typename Body>
  void Object(std::string_view name, Body body) {
    Key(name);
    Object(body);
  }
  template <typename Body>
  void Array(std::string_view name, Body body) {
    Key(name);
    Array(body);
  }
  template <typename T>
  void Field(std::string_view name, const T& value) {
    Key(name);
    Value(value);
  }
  template <typename T>
  void Field(std::string_view name, const std::optional<T>& value) {
    if (value) {
      Field(name, *value);
    }
  }

  // What has been written so far, and starts again with nothing.
  std::string Take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ballast::json
