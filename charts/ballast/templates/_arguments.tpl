{{/* The operator's command line. */}}
{{- define "ballast.arguments" -}}
{{- $name := include "ballast.name" . -}}
- operator
- --store=/var/lib/ballast/ballast.db
- --store-max-age={{ .Values.store.maxAge }}
- --store-max-size={{ .Values.store.maxSize }}
{{- with .Values.operator }}
{{- range uniq .namespaces }}
- --namespace={{ . }}
{{- end }}
- --log-level={{ .logLevel }}
- --log-format={{ .logFormat }}
- --serve-address=:{{ int $.Values.metrics.port }}
{{- if $.Values.metrics.perPolicy }}
- --per-policy-metrics
{{- end }}
- --shutdown-grace-period={{ .shutdownGracePeriod }}
- --concurrent-horizontal-pod-autoscaler-syncs={{ int .concurrentSyncs }}
- --hpa-mode={{ .hpaMode }}
{{- range uniq .hpaTakeoverNamespaces }}
- --hpa-takeover-namespace={{ . }}
{{- end }}
- --horizontal-pod-autoscaler-sync-period={{ .syncPeriod }}
- --horizontal-pod-autoscaler-downscale-stabilization={{ .downscaleStabilization }}
- --horizontal-pod-autoscaler-tolerance={{ .tolerance }}
- --horizontal-pod-autoscaler-cpu-initialization-period={{ .cpuInitializationPeriod }}
- --horizontal-pod-autoscaler-initial-readiness-delay={{ .initialReadinessDelay }}
- --max-view-age={{ .maxViewAge }}
- --suspect-source-hold={{ .suspectSourceHold }}
- --pod-metrics-list={{ .podMetricsList }}
{{- if $.Values.metricSources }}
- --metric-sources=/etc/ballast/metric-sources/sources.yaml
{{- end }}
{{- range $gate, $on := .featureGates }}
- --feature-gates={{ $gate }}={{ $on }}
{{- end }}
{{- if include "ballast.webhook" $ }}
- --webhook-address=:{{ int $.Values.webhook.port }}
- --webhook-hpas={{ include "ballast.webhookHpas" $ }}
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
- --leader-elect-resource-namespace={{ $.Release.Namespace }}
- --leader-elect-identity=$(POD_NAME)_$(POD_UID)
- --leader-elect-lease-duration={{ .leaseDuration }}
- --leader-elect-renew-deadline={{ .renewDeadline }}
- --leader-elect-retry-period={{ .retryPeriod }}
{{- end }}
{{- end }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
