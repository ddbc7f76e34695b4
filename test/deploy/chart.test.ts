import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { configFrom } from '../../src/server/config/config.ts';
import { faultsIn, KUBERNETES, type Manifest, manifestsOf, runTool } from './support/tools.ts';

const CHART = 'deploy/helm/mneme';
const EXAMPLES = globSync('deploy/helm/examples/*.yaml').sort();
/** Every value that is needed before others can be wrong. */
const SAFE = ['auth.tokensSecret=tokens', 'tls.secret=tls'];

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: unknown;
  readonly startupProbe: Readonly<Record<string, unknown>>;
  readonly readinessProbe: Readonly<Record<string, unknown>>;
  readonly livenessProbe: Readonly<Record<string, unknown>>;
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly terminationGracePeriodSeconds: number;
}

function templated(args: readonly string[]) {
  return runTool('helm', ['template', 'release', CHART, '--namespace', 'memory', ...args]);
}

function rendered(args: readonly string[]): Manifest[] {
  const { code, stdout, output } = templated(args);
  if (code !== 0) throw new Error(output);
  return manifestsOf(stdout);
}

const setting = (values: readonly string[]) => values.flatMap((value) => ['--set', value]);
const kindsOf = (manifests: readonly Manifest[]) => [...new Set(manifests.map(({ kind }) => kind))].sort();

function podOf(manifests: readonly Manifest[]): PodSpec {
  const workload = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
  return (workload as unknown as { spec: { template: { spec: PodSpec } } }).spec.template.spec;
}

/** What the operator of Prometheus scrapes. */
function endpointOf(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor');
  return (monitor as unknown as { spec: { endpoints: [Readonly<Record<string, unknown>>] } }).spec.endpoints[0];
}

/** Variables of the server, with a text for each that comes from a Secret. */
function variablesOf({ containers: [server] }: PodSpec): Record<string, string> {
  const secret = (name: string) =>
    name === 'MNEME_POSTGRES_URL' ? 'postgresql://db/mneme?sslmode=verify-full' : 'redis://redis:6379';
  return Object.fromEntries(server.env.map(({ name, value }) => [name, value ?? secret(name)]));
}

describe.each(EXAMPLES)('the chart with %s', (file) => {
  it('passes helm lint and the schemas of Kubernetes', () => {
    const lint = runTool('helm', ['lint', '--strict', CHART, '--values', file]);
    expect([lint.code, lint.output]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    const { stdout } = templated(['--values', file]);
    for (const version of KUBERNETES) expect([version, faultsIn(stdout, version)]).toEqual([version, []]);
  });

  it('sets variables that the server takes', () => {
    const { warnings } = configFrom({ env: variablesOf(podOf(rendered(['--values', file]))) });
    expect(warnings).toEqual([]);
  });

  it('gives the server the time that it takes to stop, and no right that it does not need', () => {
    const pod = podOf(rendered(['--values', file]));
    const [server] = pod.containers;
    const { drainWaitMs, shutdownGraceMs } = configFrom({ env: variablesOf(pod) });
    expect(drainWaitMs).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual((drainWaitMs + shutdownGraceMs) / 1000 + 10);
    expect(server.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, fsGroup: 65_532 });
  });
});

describe('the chart', () => {
  it('has the version of the server', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))).toMatchObject({ version, appVersion: version });
  });

  it('by default › has one server and no objects of several', () => {
    const manifests = rendered(setting(SAFE));
    expect(kindsOf(manifests)).toEqual(['NetworkPolicy', 'Pod', 'Service', 'ServiceAccount', 'StatefulSet']);
  });

  it('with several servers › has a budget of disruptions; with autoscaling, no number of replicas of its own', () => {
    const shared = ['mode=postgres', 'replicas=3', 'postgres.urlSecret=postgres', ...SAFE];
    expect(kindsOf(rendered(setting(shared)))).toContain('PodDisruptionBudget');
    const scaled = rendered(setting([...shared, 'autoscaling.enabled=true']));
    expect(kindsOf(scaled)).toContain('HorizontalPodAutoscaler');
    expect(scaled.find(({ kind }) => kind === 'StatefulSet')).not.toHaveProperty('spec.replicas');
  });

  it('probes by gRPC, and by HTTP or the program where TLS keeps the kubelet from it', () => {
    const probes = (...values: string[]) => {
      const { livenessProbe, readinessProbe } = podOf(rendered(setting(values))).containers[0];
      return [livenessProbe, readinessProbe];
    };
    const [tokens = '', tls = ''] = SAFE;
    const program = { exec: { command: ['mneme', 'health', 'MemoryService'] } };
    expect(probes(tokens, 'tls.byMesh=true')).toMatchObject([
      { grpc: { port: 50_051 } },
      { grpc: { service: 'mneme.v1.MemoryService' } },
    ]);
    expect(probes(tokens, tls)).toMatchObject([
      { httpGet: { path: '/healthz' } },
      { httpGet: { path: '/readyz?service=mneme.v1.MemoryService' } },
    ]);
    expect(probes(tokens, tls, 'metrics.enabled=false')).toMatchObject([
      { exec: { command: ['mneme', 'health'] } },
      program,
    ]);
  });

  it('with a certificate and a token for metrics › the server, its probes and the ServiceMonitor use both', () => {
    const guarded = ['metrics.tls.secret=scraped', 'metrics.tokenSecret=scraper', 'metrics.tokenKey=reader'];
    const manifests = rendered(setting([...SAFE, ...guarded, 'metrics.serviceMonitor.enabled=true']));
    const pod = podOf(manifests);
    const [server] = pod.containers;
    const config = configFrom({ env: variablesOf(pod) });
    expect(config).toMatchObject({
      metricsTlsCert: '/etc/mneme/metrics-tls/tls.crt',
      metricsTlsKey: '/etc/mneme/metrics-tls/tls.key',
      metricsTokenFile: '/etc/mneme/metrics-token/reader',
      allowInsecureMetrics: false,
    });
    for (const probe of [server.startupProbe, server.livenessProbe, server.readinessProbe]) {
      expect(probe).toMatchObject({ httpGet: { port: 'metrics', scheme: 'HTTPS' } });
    }
    expect(endpointOf(manifests)).toEqual({
      port: 'metrics',
      interval: '30s',
      scheme: 'https',
      tlsConfig: { ca: { secret: { name: 'scraped', key: 'ca.crt' } }, serverName: 'release-mneme' },
      authorization: { credentials: { name: 'scraper', key: 'reader' } },
    });
  });

  it.each([
    ['neither a certificate nor a token', []],
    ['a certificate only', ['metrics.tls.secret=scraped']],
    ['a token only', ['metrics.tokenSecret=scraper']],
  ])('with %s for metrics › the server is allowed to serve them so', (_, values) => {
    const manifests = rendered(setting([...SAFE, ...values, 'metrics.serviceMonitor.enabled=true']));
    const pod = podOf(manifests);
    expect(configFrom({ env: variablesOf(pod) }).allowInsecureMetrics).toBe(true);
    const isEncrypted = values.some((value) => value.startsWith('metrics.tls'));
    expect(endpointOf(manifests)['scheme']).toBe(isEncrypted ? 'https' : undefined);
    expect(pod.containers[0].livenessProbe['httpGet']).toEqual({
      path: '/healthz',
      port: 'metrics',
      ...(isEncrypted && { scheme: 'HTTPS' }),
    });
  });

  it.each(['identities', 'postgres-redis'])('mounts each file that a variable names (%s)', (example) => {
    const [server] = podOf(rendered(['--values', `deploy/helm/examples/${example}.yaml`])).containers;
    const folders = server.volumeMounts.map(({ mountPath }) => `${mountPath}/`);
    const files = server.env.flatMap(({ value = '' }) => (value.startsWith('/') ? [value] : []));
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !folders.some((folder) => file.startsWith(folder)))).toEqual([]);
  });

  it('large numbers of settings › stay whole numbers', () => {
    const pod = podOf(rendered(setting([...SAFE, 'settings.maxVectorMemoryBytes=1099511627776'])));
    expect(variablesOf(pod)['MNEME_MAX_VECTOR_MEMORY_BYTES']).toBe('1099511627776');
  });
});

describe('values that are refused', () => {
  it.each([
    ['without credentials', [], 'auth.tokensSecret: expected'],
    ['without encryption', ['auth.tokensSecret=tokens'], 'tls.secret: expected'],
    ['client certificates without TLS', ['tls.clientCa=true', 'tls.byMesh=true'], 'tls.clientCa: requires tls.secret'],
    ['several servers on one data folder', [...SAFE, 'replicas=2'], 'replicas: expected at most 1'],
    ['PostgreSQL without its address', [...SAFE, 'mode=postgres'], 'postgres.urlSecret: expected'],
    ['autoscaling of one server', [...SAFE, 'autoscaling.enabled=true'], 'autoscaling.enabled: expected false'],
    [
      'a certificate for no metrics',
      [...SAFE, 'metrics.enabled=false', 'metrics.tls.secret=tls'],
      'metrics.tls.secret: requires',
    ],
    [
      'a token for no metrics',
      [...SAFE, 'metrics.enabled=false', 'metrics.tokenSecret=t'],
      'metrics.tokenSecret: requires',
    ],
    ['an unknown mode', [...SAFE, 'mode=mysql'], '/mode'],
    ['a text for a number', [...SAFE, 'replicas=three'], '/replicas'],
    ['a name with a mistake', [...SAFE, 'replicaCount=3'], 'replicaCount'],
    ['an unknown setting', [...SAFE, 'settings.maxBatchsize=5'], 'maxBatchsize'],
    ['a setting beyond its range', [...SAFE, 'settings.maxBatchSize=1001'], '/settings/maxBatchSize'],
    ['a setting with an unknown word', [...SAFE, 'settings.logLevel=loud'], '/settings/logLevel'],
    ['a setting of access', [...SAFE, 'settings.allowInsecure=true'], 'allowInsecure'],
    ['a volume of nothing', [...SAFE, 'persistence.size=much'], '/persistence/size'],
  ])('%s', (_, values, named) => {
    const { code, output } = templated(setting(values));
    expect(code).not.toBe(0);
    expect(output).toContain(named);
  });
});
