{{/* What the operator may do: permissions as they stand in roles. */}}

{{/* In the namespaces that it serves. */}}
{{- define "ballast.rules" -}}
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies]
  verbs: [get, list, watch]
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies/status, autoscaleoverrides/status]
  verbs: [patch]
# Those that ended long ago are deleted.
- apiGroups: [ballast.dev]
  resources: [autoscaleoverrides]
  verbs: [delete, list, watch]
# Read only: a policy yields to an HPA on the same target, and what happens to HPAs is recorded. The
# webhook gets one to see whether it is still there.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [{{ if include "ballast.webhook" . }}get, {{ end }}list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
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
{{- range .Values.customOwners }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [get]
{{- end }}
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [list]
# In the path of a custom metric its name is a subresource of the object; an external metric is a list.
- apiGroups: [custom.metrics.k8s.io]
  resources: ["*"]
  verbs: [get]
- apiGroups: [external.metrics.k8s.io]
  resources: ["*"]
  verbs: [list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
# To record why the cluster's own controller scaled.
- apiGroups: [""]
  resources: [events]
  verbs: [list, watch]
{{- if include "ballast.webhook" . }}
# To warn when maxReplicas would exceed a ResourceQuota.
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [list]
{{- if include "ballast.needsNamespaceLabels" . }}
# Rules in policyRules are about their labels.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
{{- end }}
{{- end }}
{{- end }}

{{/* Not empty if a rule in policyRules selects namespaces by more than their names. */}}
{{- define "ballast.needsNamespaceLabels" -}}
{{- range .Values.policyRules }}
{{- $selector := .namespaceSelector | default dict }}
{{- $keys := keys ($selector.matchLabels | default dict) }}
{{- range $selector.matchExpressions }}
{{- $keys = append $keys .key }}
{{- end }}
{{- without $keys "kubernetes.io/metadata.name" | join " " }}
{{- end }}
{{- end }}

{{/* Where it may be the controller of HorizontalPodAutoscalers. */}}
{{- define "ballast.manageRules" -}}
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers/status]
  verbs: [patch]
{{- if not (include "ballast.webhook" .) }}
# After a conflict, to write the status of what is there now. (With a webhook it has this right anyway.)
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get]
{{- end }}
# Their memory. Nothing but the name restricts what may be created.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames:
    {{- range until 16 }}
    - ballast-hpa-memory-{{ . }}
    {{- end }}
  verbs: [get, patch]
{{- end }}

{{/* In the whole cluster; empty if there is nothing. */}}
{{- define "ballast.clusterRules" -}}
{{- $definitions := list }}
{{- range $custom := .Values.customTargets }}
{{- range .resources }}
{{- $definitions = append $definitions (printf "%s.%s" . $custom.group) }}
{{- end }}
{{- end }}
{{- if not (.Values.operator).namespaces }}
{{- include "ballast.rules" . }}
{{- if has "*" (.Values.operator).hpaTakeoverNamespaces }}
{{ include "ballast.manageRules" . }}
{{- end }}
{{- with $definitions }}
# To find the replicas and the selector in a custom resource, and so to watch it.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: {{ toJson (uniq .) }}
  verbs: [get]
{{- end }}
{{- end }}
{{- if include "ballast.makesCertificates" . }}
# To write the webhook's certificate authorities into its configurations.
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
  resourceNames: [{{ include "ballast.name" . }}]
  verbs: [get, patch]
{{- end }}
{{- end }}

{{/* All roles, each of which is bound to the operator's ServiceAccount. */}}
{{- define "ballast.roles" -}}
{{- $name := include "ballast.name" . }}
{{- $served := uniq ((.Values.operator).namespaces | default list) }}
{{- range $served }}
- kind: Role
  name: {{ $name }}
  namespace: {{ . }}
  rules: {{- include "ballast.rules" $ | nindent 4 }}
{{- end }}
{{- /* "*" allows all namespaces that the operator serves. */}}
{{- $manage := uniq ((.Values.operator).hpaTakeoverNamespaces | default list) }}
{{- range (has "*" $manage | ternary $served $manage) }}
- kind: Role
  name: {{ $name }}-manage-hpas
  namespace: {{ . }}
  rules: {{- include "ballast.manageRules" $ | nindent 4 }}
{{- end }}
{{- with include "ballast.clusterRules" . }}
- kind: ClusterRole
  name: {{ $name }}
  rules: {{- . | nindent 4 }}
{{- end }}
{{- if include "ballast.makesCertificates" . }}
- kind: Role
  name: {{ $name }}-webhook
  namespace: {{ .Release.Namespace }}
  rules:
    - apiGroups: [""]
      resources: [secrets]
      resourceNames: [{{ $name }}-webhook]
      verbs: [get, patch]
{{- end }}
{{- if include "ballast.electsLeader" . }}
- kind: Role
  name: {{ $name }}-leader
  namespace: {{ .Release.Namespace }}
  rules:
    - apiGroups: [coordination.k8s.io]
      resources: [leases]
      verbs: [create]
    - apiGroups: [coordination.k8s.io]
      resources: [leases]
      resourceNames: [{{ $name }}]
      verbs: [get, patch]
{{- end }}
{{- end }}
