// From an object's JSON text to what is kept of it.
//
// Thread-safety: a reader is called by one informer at a time, but may be shared by several.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"

namespace ballast::runtime {

// Which object, and which version of it.
struct ObjectIdentity {
  api::ObjectKey key;
  std::string uid;
  std::string resource_version;
};

// From the metadata of an object. Problems go to the cursor.
ObjectIdentity Identify(const json::Cursor& object);

template <typename T>
struct ReadObject {
  ObjectIdentity id;
  Result<T> object;  // the error: what cannot be decoded
};

// The outer error: not even an identity can be made out.
template <typename T>
using ObjectReader = std::function<Result<ReadObject<T>>(std::string_view json)>;

// Reads by way of a document in memory. `decode` takes the fields that are needed; its problems go
// to the cursor, and what it returns then is not used.
template <typename T>
ObjectReader<T> ByCursor(std::function<T(const json::Cursor& object)> decode) {
  return [decode = std::move(decode)](std::string_view text) -> Result<ReadObject<T>> {
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
    json::Decoder identity(document);
    ReadObject<T> read{Identify(identity.root()), Error{}};
    TRY(identity.status());
    json::Decoder decoder(document);
    T object = decode(decoder.root());
    if (const Status status = decoder.status(); status.ok()) {
      read.object = std::move(object);
    } else {
      read.object = status.error();
    }
    return read;
  };
}

}  // namespace ballast::runtime
