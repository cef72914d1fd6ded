{{- define "ballast.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "ballast.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "ballast.name" .) }}
{{- end }}

{{- define "ballast.selectorLabels" -}}
app.kubernetes.io/name: ballast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ballast.labels" -}}
{{ include "ballast.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What the operator may do where it serves; nothing else. */}}
{{- define "ballast.rules" -}}
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies]
  verbs: [get, list, watch]
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies/status]
  verbs: [patch]
# Seen only to keep out of the way of an HPA on the same target.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments, statefulsets, replicasets]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments/scale, statefulsets/scale, replicasets/scale]
  verbs: [get, patch]
- apiGroups: [""]
  resources: [replicationcontrollers]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [replicationcontrollers/scale]
  verbs: [get, patch]
{{- range .Values.customTargets }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [get, list, watch]
- apiGroups: [{{ .group | quote }}]
  resources:
    {{- range .resources }}
    - {{ . }}/scale
    {{- end }}
  verbs: [get, patch]
{{- end }}
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [get, list]
- apiGroups: [custom.metrics.k8s.io, external.metrics.k8s.io]
  resources: ["*"]
  verbs: [get, list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}
