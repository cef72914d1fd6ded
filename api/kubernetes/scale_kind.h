// Which kinds of Scale there are: those that client-go's scale client converts.
//
// Errors: none returned; CheckScaleKind notes a problem at the cursor.
#pragma once

#include <string_view>

#include "api/json/json.h"

namespace ballast::api {

// Whether it is a version of before autoscaling/v1, which OpenShift's DeploymentConfigs still have.
bool IsOldScale(std::string_view api_version);

// Notes a problem if the object is no Scale, or one of an unknown version. One that does not say
// what it is, as in a snapshot, is taken for a Scale of autoscaling/v1.
void CheckScaleKind(const json::Cursor& scale);

}  // namespace ballast::api
