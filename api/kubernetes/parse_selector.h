// The text form of selectors, as in Scale.status.selector ("app=web,tier in (back,front)"), after
// k8s.io/apimachinery (pkg/labels).
//
// Errors: kInvalid with upstream's text.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/kubernetes/selector.h"

namespace ballast::api {

Result<Selector> ParseSelector(std::string_view text);

}  // namespace ballast::api
