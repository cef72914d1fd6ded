// The types in status.conditions, and those reasons that code compares, not only shows.
//
// The names that upstream has too are upstream's.
#pragma once

namespace ballast::api {

// The HorizontalPodAutoscaler's; policies have them too.
inline constexpr const char* kAbleToScale = "AbleToScale";
inline constexpr const char* kScalingActive = "ScalingActive";
inline constexpr const char* kScalingLimited = "ScalingLimited";
inline constexpr const char* kScaledToZero = "ScaledToZero";
// HorizontalPodAutoscalers in mode manage: "False" says why Ballast does not scale the target.
inline constexpr const char* kManaged = "ballast.dev/Managed";
// Policies only.
inline constexpr const char* kReady = "Ready";
inline constexpr const char* kHeld = "Held";
inline constexpr const char* kConflicted = "Conflicted";
inline constexpr const char* kHistoryDegraded = "HistoryDegraded";
inline constexpr const char* kTookOver = "TookOver";
inline constexpr const char* kSelectorMatchesExtraPods = "SelectorMatchesExtraPods";

// Reasons of ScalingLimited.
inline constexpr const char* kTooFewReplicas = "TooFewReplicas";
inline constexpr const char* kTooManyReplicas = "TooManyReplicas";
inline constexpr const char* kScaleUpLimit = "ScaleUpLimit";
inline constexpr const char* kDesiredWithinRange = "DesiredWithinRange";
// Of AbleToScale: the scale could not be read; counts are those of before.
inline constexpr const char* kFailedGetScale = "FailedGetScale";
// Of AbleToScale, where nothing holds the count.
inline constexpr const char* kReadyForNewScale = "ReadyForNewScale";
inline constexpr const char* kSucceededRescale = "SucceededRescale";
inline constexpr const char* kSucceededGetScale = "SucceededGetScale";
// Of Held and Ready: spec.mode is Disabled. (A policy that is not evaluated because another one has
// its target has the reason Conflicted.)
inline constexpr const char* kModeDisabled = "Disabled";
// Of Held: somebody has paused the autoscaler.
inline constexpr const char* kPaused = "Paused";
// Of Held: a schedule has a hold.
inline constexpr const char* kHeldBySchedule = "HeldBySchedule";
// Of Ready.
inline constexpr const char* kInvalidSpec = "InvalidSpec";
// Of ScaledToZero and ScalingActive: a schedule has a maximum of 0.
inline constexpr const char* kZeroBySchedule = "ZeroBySchedule";
// Of Conflicted, and of an event: another client undoes what the autoscaler does.
inline constexpr const char* kTugOfWar = "TugOfWar";
// Of TookOver.
inline constexpr const char* kRivalIsGone = "RivalIsGone";

}  // namespace ballast::api
