// Reads an object's JSON text, and keeps what is needed of it.
//
// Thread-safety: an informer calls its reader on one thread; several informers may call copies of
// one reader at once, so what these share must be thread-safe.
// Errors: in the results; see ObjectReader.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"

namespace ballast::runtime {

// Identifies one version of an object.
struct ObjectIdentity {
  api::ObjectKey key;
  std::string uid;
  std::string resource_version;
};

// Reads the metadata of an object. Errors go to the cursor.
ObjectIdentity Identify(const json::Cursor& object);

template <typename T>
struct ReadObject {
  ObjectIdentity id;
  Result<T> object;  // an error names what cannot be decoded
};

// The outer Result is an error if not even the identity can be read.
template <typename T>
using ObjectReader = std::function<Result<ReadObject<T>>(std::string_view json)>;

// Parses the text into a document in memory. `decode` takes the fields that are needed; its errors
// go to the cursor, and then its return value is not used.
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
