import { type SettingHelp, settingsBySubject } from '../../src/server/config/config.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Settings that values of their own in the chart set, or that Secrets hold. */
const OF_CHART = new Set([
  'listen',
  'data',
  'tlsCert',
  'tlsKey',
  'tlsClientCa',
  'authTokensFile',
  'apiKeysFile',
  'policyFile',
  'allowInsecure',
  'metricsListen',
  'allowInsecureMetrics',
  'redisKeyPrefix',
  'postgresTlsCa',
  'metricsTlsCert',
  'metricsTlsKey',
  'metricsTokenFile',
]);

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const number = (minimum: number, maximum: number, description: string): Schema => {
  return { type: 'integer', minimum, maximum, description };
};
const choice = (choices: readonly string[], description: string): Schema => ({ enum: choices, description });
const list = (description: string): Schema => ({ type: 'array', description });
const map = (description: string): Schema => ({ type: 'object', description });
const texts = (description: string): Schema => ({ ...map(description), additionalProperties: { type: 'string' } });
/** An object with these keys and no others, so that a name with a mistake in it is refused. */
const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => {
  return { type: 'object', additionalProperties: false, properties, ...more };
};

const NAME = { pattern: '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$' };
const QUANTITY = { pattern: '^[0-9]+([.][0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$' };
const DURATION = { pattern: '^([0-9]+(ms|s|m|h))+$' };
const PORT: readonly [number, number] = [1, 65_535];

/** JSON schema of the values of deploy/helm/mneme, with the settings of the server: `helm` refuses what it does not allow. */
export function chartSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart mneme',
    description: 'Made by `make gen` from src/server/config/settings.ts and tools/reference-docs/chart-schema.ts.',
    ...object({ ...OF_SERVER, ...OF_KUBERNETES, global: map('Of a parent chart') }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const OF_SERVER: Readonly<Record<string, Schema>> = {
  mode: choice(['embedded', 'postgres'], 'Where memories are kept'),
  replicas: number(0, 1000, 'Servers'),
  image: object({
    repository: text('Without tag', { minLength: 1 }),
    tag: text('Empty: appVersion of the chart'),
    digest: text('Goes before the tag', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
    pullPolicy: choice(['Always', 'IfNotPresent', 'Never'], 'When the image is pulled'),
    pullSecrets: { ...list('Of the registry'), items: object({ name: text('Of a Secret', NAME) }) },
  }),
  auth: object({
    tokensSecret: text('Secret with bearer tokens, one a line', NAME),
    tokensKey: text('Key of the Secret', { minLength: 1 }),
    apiKeysSecret: text('Secret with the file of API keys', NAME),
    apiKeysKey: text('Key of the Secret', { minLength: 1 }),
    policyConfigMap: text('ConfigMap with the policy of identities', NAME),
    policyKey: text('Key of the ConfigMap', { minLength: 1 }),
    insecure: flag('Serve without credentials'),
  }),
  tls: object({
    secret: text('Secret of type kubernetes.io/tls', NAME),
    clientCa: flag('Callers must show a certificate of the authorities under ca.crt'),
    byMesh: flag('A service mesh encrypts'),
  }),
  redis: object({
    urlSecret: text('Secret with the address of Redis', NAME),
    urlKey: text('Key of the Secret', { minLength: 1 }),
    keyPrefix: text('Prefix of all keys in Redis', { minLength: 1 }),
  }),
  postgres: object({
    urlSecret: text('Secret with the address of PostgreSQL', NAME),
    urlKey: text('Key of the Secret', { minLength: 1 }),
    caSecret: text('Secret with the authorities of its certificate', NAME),
    caKey: text('Key of the Secret', { minLength: 1 }),
  }),
  settings: object(settingSchemas(), { required: ['drainWaitMs', 'shutdownGraceMs'] }),
  extraEnv: { ...list('Variables as in a container'), items: { type: 'object', required: ['name'] } },
  metrics: object({
    enabled: flag('Serves /metrics and /healthz'),
    port: number(...PORT, 'Port of both'),
    tls: object({
      secret: text('Secret of type kubernetes.io/tls, with ca.crt for the operator of Prometheus', NAME),
      serverName: text('Name in the certificate; empty: that of the service', NAME),
    }),
    tokenSecret: text('Secret with the token that readers of metrics send', NAME),
    tokenKey: text('Key of the Secret', { minLength: 1 }),
    serviceMonitor: object({
      enabled: flag('For the operator of Prometheus'),
      interval: text('Between scrapes', DURATION),
      labels: texts('By which Prometheus chooses monitors'),
    }),
  }),
};

const OF_KUBERNETES: Readonly<Record<string, Schema>> = {
  persistence: object({
    enabled: flag('Keeps the data folder in a volume'),
    size: text('Of the volume of each server', QUANTITY),
    storageClass: text('Empty: the default class'),
    accessModes: {
      ...list('Of the volume'),
      minItems: 1,
      items: choice(['ReadWriteOnce', 'ReadWriteOncePod'], 'One server'),
    },
    whenDeleted: choice(['Retain', 'Delete'], 'What becomes of volumes after helm uninstall'),
    ephemeralSizeLimit: text('Of an emptyDir', QUANTITY),
  }),
  resources: object({ requests: map('CPU and memory'), limits: map('CPU and memory'), claims: list('Of devices') }),
  service: object({
    type: choice(['ClusterIP', 'NodePort', 'LoadBalancer'], 'Type of the service'),
    port: number(...PORT, 'Port of the service'),
    annotations: texts('Of the service'),
  }),
  probes: object({
    startupSeconds: number(10, 86_400, 'Longest start'),
    periodSeconds: number(1, 300, 'Between probes'),
    timeoutSeconds: number(1, 60, 'Longest wait for an answer'),
  }),
  podDisruptionBudget: object({
    enabled: flag('Only where there are several replicas'),
    maxUnavailable: { type: ['integer', 'string'], description: 'Pods, or a percentage' },
  }),
  autoscaling: object({
    enabled: flag('Replicas by calls in flight'),
    minReplicas: number(1, 1000, 'Fewest servers'),
    maxReplicas: number(1, 1000, 'Most servers'),
    callsInFlight: number(1, 100_000, 'Average of each server'),
    scaleDownSeconds: number(0, 3600, 'Time below the average before a server is taken away'),
  }),
  networkPolicy: object({
    enabled: flag('Admits only the peers below'),
    clients: list('Peers that may call'),
    monitoring: list('Peers that may scrape metrics'),
    egress: list('Egress rules; empty: no restriction'),
  }),
  serviceAccount: object({
    create: flag('Makes an account'),
    name: text('Empty: the name of the release', NAME),
    annotations: texts('Of the account'),
  }),
  podAnnotations: texts('Of pods'),
  podLabels: texts('Of pods'),
  nodeSelector: texts('Labels of nodes'),
  tolerations: list('Of pods'),
  affinity: map('Of pods'),
  topologySpreadConstraints: list('Of pods'),
  priorityClassName: text('Of pods'),
};

function settingSchemas(): Record<string, Schema> {
  const all = settingsBySubject().flatMap(({ settings }) => settings);
  const own = all.filter(({ name, isSecret }) => !isSecret && !OF_CHART.has(name));
  return Object.fromEntries(own.map((setting) => [setting.name, schemaOf(setting)]));
}

function schemaOf({ description, choices, range, placeholder }: SettingHelp): Schema {
  if (range) return number(...range, description);
  if (choices) return choice(choices, description);
  return placeholder === '[true|false]' ? flag(description) : text(description);
}
