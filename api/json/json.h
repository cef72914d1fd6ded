// JSON documents for the rest of this project; json_writer.h writes them. Only api/json and
// pod_reader.cc include RapidJSON.
//
//   ASSIGN_OR_RETURN(json::Document document, json::Parse(text));
//   json::Decoder decoder(document);
//   json::Cursor spec = decoder.root().Required("spec");
//   spec.Required("maxReplicas").Read(max_replicas);
//   TRY(decoder.status());  // "spec.maxReplicas: expected an integer, got a string"
//
// Reading does not fail at once: the Decoder keeps the first problem, with its path, until status()
// is called. So decoding code reads like the type it fills.
// - An absent member leaves the target alone. null counts as absent, as in Kubernetes' own
//   decoding.
// - An integer is one only if it is written as one (1.0 and 1e3 are not), as in Go.
// - Of duplicate keys Member() finds the first; Members() yields all of them, so that the last one
//   wins in a map.
// - Input must be well-formed, valid UTF-8 and at most kMaxDepth levels deep.
//
// Thread-safety: many threads may read one Document; a Decoder and its cursors belong to one
// thread.
// Errors: kInvalid for malformed input and for the first problem of a Decoder; kFull only by
// ParseAtMost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/json/max_depth.h"

// Opaque, so that RapidJSON stays out of this header; see json.cc.
namespace ballast::json {

namespace internal {
struct Dom;   // a rapidjson::Document
struct Node;  // a rapidjson::Value
}  // namespace internal

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

// Parses one complete JSON text. kInvalid: "not JSON: at byte 17: missing a comma or '}' after an
// object member".
Result<Document> Parse(std::string_view text);
// As Parse, but kFull if the text has more than `max_values` values and names: each takes 16 bytes
// in memory, however short its text is.
Result<Document> ParseAtMost(std::size_t max_values, std::string_view text);

class Decoder;
class Elements;
class Members;

// A place in a document, or an absent one; cheap to copy. The Document and the Decoder must outlive
// the Cursor.
class Cursor {
 public:
  Cursor() = default;  // an absent place
  bool present() const { return node_ != nullptr; }

  // The member of that name; absent if this place is absent. Notes a problem if this place is not
  // an object.
  Cursor Member(std::string_view name) const;
  // As Member, but notes a problem if the member is absent ("spec.x: is required").
  Cursor Required(std::string_view name) const;
  // The elements of an array, as a range of Cursor; empty if absent.
  json::Elements Elements() const;
  // The members of an object in the order written, as a range of pairs of name and Cursor (absent
  // for null); empty if absent.
  json::Members Members() const;

  // Fills `out` and returns true. If absent or of another type, leaves `out` alone and returns
  // false; a value of another type is a problem as well.
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
  // The number, if it is written as an integer and fits; never notes a problem.
  std::optional<std::int64_t> Integer() const;
  // The text of a string, not copied; empty if absent or not a string. Never notes a problem.
  std::string_view Text() const;
  // The number as Print() writes it: integers exactly, others in the shortest form that reads back.
  // Empty if it is not a number.
  std::string NumberText() const;
  // This value as compact JSON, escaped as json::Writer does; "null" if absent.
  std::string Print() const;
  // As Print, over several lines and indented by two spaces.
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

// What Cursor::Elements() and Members() return: single-pass ranges that own nothing.
class Elements {
 public:
  class ElementIterator {
   public:
    Cursor operator*() const { return Cursor(node_, decoder_); }
    ElementIterator& operator++();
    bool operator!=(const ElementIterator& other) const { return node_ != other.node_; }

   private:
    friend class Elements;
    ElementIterator(const internal::Node* node, Decoder* decoder)
        : node_(node), decoder_(decoder) {}
    const internal::Node* node_;
    Decoder* decoder_;
  };

  ElementIterator begin() const { return {begin_, decoder_}; }
  ElementIterator end() const { return {end_, decoder_}; }
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
  class MemberIterator {
   public:
    std::pair<std::string_view, Cursor> operator*() const;
    MemberIterator& operator++();
    bool operator!=(const MemberIterator& other) const { return at_ != other.at_; }

   private:
    friend class Members;
    MemberIterator(const internal::Node* at, Decoder* decoder) : at_(at), decoder_(decoder) {}
    const internal::Node* at_;  // the member's name; its value follows in memory
    Decoder* decoder_;
  };

  MemberIterator begin() const { return {begin_, decoder_}; }
  MemberIterator end() const { return {end_, decoder_}; }

 private:
  friend class Cursor;
  const internal::Node* begin_ = nullptr;
  const internal::Node* end_ = nullptr;
  Decoder* decoder_ = nullptr;
};

// Read a time (RFC 3339) or a duration (Go's syntax) from a string; a malformed one is a problem.
bool Read(const Cursor& in, Time& out);
bool Read(const Cursor& in, Duration& out);

// Keeps the first problem of one decoding. Cursors point to it, so it is neither copied nor moved.
class Decoder {
 public:
  explicit Decoder(const Document& document) : root_(document.root()) {}
  // For one part of a document (an item of a list), with problems and paths of its own.
  explicit Decoder(const Cursor& part) : root_(part.node_) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Cursor root() { return Cursor(root_, this); }
  // Done, or kInvalid with the first problem as "path: message".
  Status status() const;

 private:
  friend class Cursor;
  void Fail(const internal::Node* at, std::string_view member, const std::string& message);

  const internal::Node* root_;
  std::optional<Error> problem_;
};

}  // namespace ballast::json
