{{/* The roles of the account that `helm test` uses, for as long as it runs. With operator.namespaces none is for
     the whole cluster, so the definition, the webhooks' configurations and the operator's rights are not checked. */}}
{{- define "ballast.checkRoles" -}}
- kind: Role
  namespace: {{ .Release.Namespace }}
  rules:
    - apiGroups: [""]
      resources: [pods]
      verbs: [list]
    {{- if include "ballast.electsLeader" . }}
    - apiGroups: [coordination.k8s.io]
      resources: [leases]
      resourceNames: [{{ include "ballast.name" . }}]
      verbs: [get]
    {{- end }}
    {{- if .Values.metricSources }}
    - apiGroups: [""]
      resources: [configmaps]
      resourceNames: [{{ include "ballast.name" . }}-metric-sources]
      verbs: [get]
    {{- end }}
    {{- if has .Release.Namespace (.Values.operator).namespaces }}
    {{- include "ballast.checkRules" . | nindent 4 }}
    {{- end }}
{{- range uniq (without ((.Values.operator).namespaces | default list) .Release.Namespace) }}
- kind: Role
  namespace: {{ . }}
  rules: {{- include "ballast.checkRules" $ | nindent 4 }}
{{- end }}
{{- if not (.Values.operator).namespaces }}
- kind: ClusterRole
  rules:
    {{- include "ballast.checkRules" . | nindent 4 }}
    - apiGroups: [apiextensions.k8s.io]
      resources: [customresourcedefinitions]
      resourceNames: [autoscalepolicies.ballast.dev, autoscaleoverrides.ballast.dev]
      verbs: [get]
    - apiGroups: [admissionregistration.k8s.io]
      resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
      verbs: [list]
    - apiGroups: [apiregistration.k8s.io]
      resources: [apiservices]
      verbs: [get]
    # To ask for the operator's rights.
    - apiGroups: [authorization.k8s.io]
      resources: [subjectaccessreviews]
      verbs: [create]
{{- end }}
{{- end }}

{{/* In the namespaces that the operator serves. */}}
{{- define "ballast.checkRules" -}}
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies]
  # Nothing is created: a dry run has the webhook called.
  verbs: [list{{ if include "ballast.webhook" . }}, create{{ end }}]
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [list]
{{- end }}
