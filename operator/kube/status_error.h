// Translates an API server's refusal, HTTP status and metav1.Status, to an Error.
//
// The reason in the Status takes precedence over the HTTP status. One case is distinguished by its
// text: a JSON Patch whose `test` failed is a 422 like any other invalid patch, but means that the
// object has changed, so it is kConflict.
//
// Errors: none of their own.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::kube {

// For an answer other than 2xx; `body` may be anything. The message is the one of the Status with
// its causes, else the beginning of the body.
Error ErrorFromAnswer(int http_status, std::string_view body);

// For the object of a watch's ERROR event.
Error ErrorFromStatus(const json::Cursor& status, int http_status);

}  // namespace ballast::kube
