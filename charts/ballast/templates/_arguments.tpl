{{/* A flag and its value; nothing for a value that is null: then the program has its default. */}}
{{- define "ballast.flag" -}}
{{- if not (kindIs "invalid" (last .)) }}- --{{ first . }}={{ last . }}{{ end }}
{{- end }}

{{/* The operator's command line. */}}
{{- define "ballast.arguments" -}}
{{- $name := include "ballast.name" . -}}
- operator
- --store=/var/lib/ballast/ballast.db
{{ include "ballast.flag" (list "store-max-age" .Values.store.maxAge) }}
{{ include "ballast.flag" (list "store-max-size" .Values.store.maxSize) }}
{{- with .Values.operator }}
{{- range uniq (.namespaces | default list) }}
- --namespace={{ . }}
{{- end }}
{{ include "ballast.flag" (list "log-level" .logLevel) }}
{{ include "ballast.flag" (list "log-format" .logFormat) }}
- --serve-address=:{{ include "ballast.metricsPort" $ }}
{{- if $.Values.metrics.perPolicy }}
- --per-policy-metrics
{{- end }}
{{ include "ballast.flag" (list "shutdown-grace-period" .shutdownGracePeriod) }}
{{ include "ballast.flag" (list "concurrent-horizontal-pod-autoscaler-syncs" .concurrentSyncs) }}
{{ include "ballast.flag" (list "hpa-mode" .hpaMode) }}
{{- range uniq (.hpaTakeoverNamespaces | default list) }}
- --hpa-takeover-namespace={{ . }}
{{- end }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-sync-period" .syncPeriod) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-downscale-stabilization" .downscaleStabilization) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-tolerance" .tolerance) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-cpu-initialization-period" .cpuInitializationPeriod) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-initial-readiness-delay" .initialReadinessDelay) }}
{{ include "ballast.flag" (list "max-view-age" .maxViewAge) }}
{{ include "ballast.flag" (list "suspect-source-hold" .suspectSourceHold) }}
{{ include "ballast.flag" (list "longest-override" .longestOverride) }}
{{ include "ballast.flag" (list "pod-metrics-list" .podMetricsList) }}
{{ include "ballast.flag" (list "evaluation-moments" .evaluationMoments) }}
{{- if $.Values.metricSources }}
- --metric-sources=/etc/ballast/metric-sources/sources.yaml
{{- end }}
{{- range $gate, $on := .featureGates }}
- --feature-gates={{ $gate }}={{ $on }}
{{- end }}
{{- if include "ballast.webhook" $ }}
- --webhook-address=:{{ include "ballast.webhookPort" $ }}
{{- if not (kindIs "invalid" $.Values.webhook.horizontalPodAutoscalers) }}
- --webhook-hpas={{ include "ballast.webhookHpas" $ }}
{{- end }}
{{- if $.Values.policyRules }}
- --policy-rules=/etc/ballast/policy-rules/rules.yaml
{{- end }}
{{- if include "ballast.makesCertificates" $ }}
- --webhook-secret={{ $.Release.Namespace }}/{{ $name }}-webhook
- --webhook-configuration={{ $name }}
- --webhook-host={{ $name }}-webhook.{{ $.Release.Namespace }}.svc
{{- else }}
- --webhook-certificate-dir=/etc/ballast/webhook
{{- end }}
{{- end }}
{{- with .leaderElection }}
{{- if .enabled }}
- --leader-elect
- --leader-elect-resource-name={{ $name }}
{{ include "ballast.flag" (list "leader-elect-resource-namespace" $.Release.Namespace) }}
- --leader-elect-identity=$(POD_NAME)_$(POD_UID)
{{ include "ballast.flag" (list "leader-elect-lease-duration" .leaseDuration) }}
{{ include "ballast.flag" (list "leader-elect-renew-deadline" .renewDeadline) }}
{{ include "ballast.flag" (list "leader-elect-retry-period" .retryPeriod) }}
{{- end }}
{{- end }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
