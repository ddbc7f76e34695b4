{{- define "mneme.env" -}}
- name: MNEME_LISTEN
  value: "0.0.0.0:50051"
- name: MNEME_DATA
  value: /data/mneme
{{- if or .Values.auth.insecure (not .Values.tls.secret) }}
- name: MNEME_ALLOW_INSECURE
  value: "true"
{{- end }}
{{- if .Values.auth.tokensSecret }}
- name: MNEME_AUTH_TOKENS_FILE
  value: /etc/mneme/tokens/{{ .Values.auth.tokensKey }}
{{- end }}
{{- if .Values.auth.apiKeysSecret }}
- name: MNEME_API_KEYS_FILE
  value: /etc/mneme/keys/{{ .Values.auth.apiKeysKey }}
{{- end }}
{{- if .Values.auth.policyConfigMap }}
- name: MNEME_POLICY_FILE
  value: /etc/mneme/policy/{{ .Values.auth.policyKey }}
{{- end }}
{{- if .Values.tls.secret }}
- name: MNEME_TLS_CERT
  value: /etc/mneme/tls/tls.crt
- name: MNEME_TLS_KEY
  value: /etc/mneme/tls/tls.key
{{- if .Values.tls.clientCa }}
- name: MNEME_TLS_CLIENT_CA
  value: /etc/mneme/tls/ca.crt
{{- end }}
{{- end }}
{{- if .Values.metrics.enabled }}
- name: MNEME_METRICS_LISTEN
  value: "0.0.0.0:{{ .Values.metrics.port }}"
{{- if .Values.metrics.tls.secret }}
- name: MNEME_METRICS_TLS_CERT
  value: /etc/mneme/metrics-tls/tls.crt
- name: MNEME_METRICS_TLS_KEY
  value: /etc/mneme/metrics-tls/tls.key
{{- end }}
{{- if .Values.metrics.tokenSecret }}
- name: MNEME_METRICS_TOKEN_FILE
  value: /etc/mneme/metrics-token/{{ .Values.metrics.tokenKey }}
{{- end }}
{{- if not (and .Values.metrics.tls.secret .Values.metrics.tokenSecret) }}
- name: MNEME_ALLOW_INSECURE_METRICS
  value: "true"
{{- end }}
{{- end }}
{{- if eq .Values.mode "postgres" }}
- name: MNEME_POSTGRES_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.postgres.urlSecret }}
      key: {{ .Values.postgres.urlKey }}
{{- if .Values.postgres.caSecret }}
- name: MNEME_POSTGRES_TLS_CA
  value: /etc/mneme/postgres/{{ .Values.postgres.caKey }}
{{- end }}
{{- end }}
{{- if include "mneme.hasRedis" . }}
- name: MNEME_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.urlSecret }}
      key: {{ .Values.redis.urlKey }}
- name: MNEME_REDIS_KEY_PREFIX
  value: {{ .Values.redis.keyPrefix | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: MNEME_{{ regexReplaceAll "([A-Z])" $name "_${1}" | upper }}
  value: {{ include "mneme.text" $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Whether the process is alive, or has started, whatever its backends do. The kubelet's gRPC probes know no TLS. */}}
{{- define "mneme.isAlive" -}}
{{- template "mneme.asked" dict "values" .Values "path" "/healthz" }}
{{- end }}

{{- define "mneme.isStarted" -}}
{{- template "mneme.asked" dict "values" .Values "path" "/readyz" }}
{{- end }}

{{- define "mneme.asked" -}}
{{- if not .values.tls.secret }}
grpc:
  port: 50051
{{- else if .values.metrics.enabled }}
httpGet:
  path: {{ .path }}
  port: metrics
  {{- if .values.metrics.tls.secret }}
  scheme: HTTPS
  {{- end }}
{{- else }}
exec:
  command: [mneme, health]
{{- end }}
timeoutSeconds: {{ .values.probes.timeoutSeconds }}
{{- end }}

{{/* Whether it should get calls: not while it stops, nor while its backend does not answer. */}}
{{- define "mneme.isReady" -}}
{{- if not .Values.tls.secret }}
grpc:
  port: 50051
  service: mneme.v1.MemoryService
{{- else if .Values.metrics.enabled }}
httpGet:
  path: /readyz?service=mneme.v1.MemoryService
  port: metrics
  {{- if .Values.metrics.tls.secret }}
  scheme: HTTPS
  {{- end }}
{{- else }}
exec:
  command: [mneme, health, MemoryService]
{{- end }}
timeoutSeconds: {{ .Values.probes.timeoutSeconds }}
{{- end }}

{{- define "mneme.container" -}}
name: mneme
image: {{ include "mneme.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- include "mneme.env" . | nindent 2 }}
ports:
  - name: grpc
    containerPort: 50051
  {{- if .Values.metrics.enabled }}
  - name: metrics
    containerPort: {{ .Values.metrics.port }}
  {{- end }}
startupProbe:
  {{- include "mneme.isStarted" . | trim | nindent 2 }}
  periodSeconds: 2
  failureThreshold: {{ divf .Values.probes.startupSeconds 2 | ceil | int }}
readinessProbe:
  {{- include "mneme.isReady" . | trim | nindent 2 }}
  periodSeconds: {{ .Values.probes.periodSeconds }}
  failureThreshold: 2
livenessProbe:
  {{- include "mneme.isAlive" . | trim | nindent 2 }}
  periodSeconds: {{ .Values.probes.periodSeconds }}
  failureThreshold: 6
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  {{- if .Values.auth.tokensSecret }}
  - name: tokens
    mountPath: /etc/mneme/tokens
    readOnly: true
  {{- end }}
  {{- if .Values.postgres.caSecret }}
  - name: postgres
    mountPath: /etc/mneme/postgres
    readOnly: true
  {{- end }}
  {{- if .Values.auth.apiKeysSecret }}
  - name: keys
    mountPath: /etc/mneme/keys
    readOnly: true
  {{- end }}
  {{- if .Values.auth.policyConfigMap }}
  - name: policy
    mountPath: /etc/mneme/policy
    readOnly: true
  {{- end }}
  {{- if .Values.tls.secret }}
  - name: tls
    mountPath: /etc/mneme/tls
    readOnly: true
  {{- end }}
  {{- if .Values.metrics.tls.secret }}
  - name: metrics-tls
    mountPath: /etc/mneme/metrics-tls
    readOnly: true
  {{- end }}
  {{- if .Values.metrics.tokenSecret }}
  - name: metrics-token
    mountPath: /etc/mneme/metrics-token
    readOnly: true
  {{- end }}
{{- end }}

{{- define "mneme.podTemplate" -}}
metadata:
  labels:
    {{- include "mneme.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: mneme
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "mneme.serviceAccount" . }}
  automountServiceAccountToken: false
  # Variables of services would be taken for settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "mneme.graceSeconds" . }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - {{- include "mneme.container" . | nindent 6 }}
  volumes:
    {{- if not .Values.persistence.enabled }}
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.persistence.ephemeralSizeLimit }}
    {{- end }}
    {{- if .Values.auth.tokensSecret }}
    - name: tokens
      secret:
        secretName: {{ .Values.auth.tokensSecret }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.postgres.caSecret }}
    - name: postgres
      secret:
        secretName: {{ .Values.postgres.caSecret }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.auth.apiKeysSecret }}
    - name: keys
      secret:
        secretName: {{ .Values.auth.apiKeysSecret }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.auth.policyConfigMap }}
    - name: policy
      configMap:
        name: {{ .Values.auth.policyConfigMap }}
    {{- end }}
    {{- if .Values.tls.secret }}
    - name: tls
      secret:
        secretName: {{ .Values.tls.secret }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.metrics.tls.secret }}
    - name: metrics-tls
      secret:
        secretName: {{ .Values.metrics.tls.secret }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.metrics.tokenSecret }}
    - name: metrics-token
      secret:
        secretName: {{ .Values.metrics.tokenSecret }}
        defaultMode: 0440
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
{{- end }}
