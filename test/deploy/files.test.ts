import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { configFrom } from '../../src/server/config/config.ts';
import { faultsIn, KUBERNETES, manifestsOf, runTool } from './support/tools.ts';

const COMPOSE = 'deploy/compose.yaml';
const MESHES = ['deploy/istio/mneme.yaml', 'deploy/linkerd/mneme.yaml'];
const targets = new Set([...readFileSync('Makefile', 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name = '']) => name));

describe('the Dockerfile', () => {
  it('passes hadolint', () => {
    expect(runTool('hadolint', ['deploy/image/Dockerfile']).output).toBe('');
  });
});

describe.each(['sqlite', 'redis', 'postgres', 'postgres-redis'])(
  'deploy/compose.yaml with the profile %s',
  (profile) => {
    interface Service {
      readonly profiles: readonly string[];
      readonly environment?: Record<string, string>;
      readonly ports?: string[];
      readonly networks: readonly string[];
    }
    const text = readFileSync(COMPOSE, 'utf8');
    const { services } = parse(text, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
    const started = Object.entries(services).filter(([, { profiles }]) => profiles.includes(profile));

    it('is accepted by the loader of Docker Compose, and starts a server with its stores', () => {
      const { code, stdout, output } = runTool('compose-config', [COMPOSE, profile]);
      expect([code, code === 0 ? '' : output]).toEqual([0, '']);
      const loaded = parse(stdout) as { readonly services: Readonly<Record<string, unknown>> };
      const stores = profile.split('-').filter((name) => name !== 'sqlite');
      expect(Object.keys(loaded.services).sort()).toEqual([`mneme-${profile}`, ...stores].sort());
    });

    it('sets variables that the server takes, and opens no port beyond this machine', () => {
      const { environment = {}, ports = [] } = services[`mneme-${profile}`] ?? {};
      expect(configFrom({ env: { ...environment, MNEME_LISTEN: '0.0.0.0:50051' } }).warnings).toEqual([]);
      expect(environment).toHaveProperty('MNEME_AUTH_TOKENS_FILE');
      expect(ports.length).toBeGreaterThan(0);
      expect(ports.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    });

    it('lets only Mneme reach its stores, which have no passwords', () => {
      const stores = started.filter(([name]) => !name.startsWith('mneme'));
      for (const [, { ports, networks }] of stores) expect([ports, networks]).toEqual([undefined, ['stores']]);
    });
  },
);

describe.each(MESHES)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('selects the pods of the chart', () => {
    for (const { spec } of manifestsOf(text) as unknown as readonly { spec: Readonly<Record<string, unknown>> }[]) {
      const selector = (spec['selector'] ?? spec['podSelector']) as { matchLabels?: unknown } | undefined;
      if (selector) expect(selector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'mneme' });
    }
  });
});

describe('the resources of Istio', () => {
  const text = readFileSync('deploy/istio/mneme.yaml', 'utf8');

  it('have the form of their definitions', () => {
    expect(faultsIn(text, KUBERNETES[1])).toEqual([]);
    expect(faultsIn(text.replace('retryOn:', 'retriesOn:'), KUBERNETES[1])).toEqual([
      expect.stringContaining('VirtualService mneme'),
    ]);
  });
});

/** The schemas of Linkerd cannot be had from a registry: what refers to what is compared instead. */
describe('the resources of Linkerd', () => {
  const VERSIONS = [
    'linkerd.io/v1alpha2 ServiceProfile',
    ...['AuthorizationPolicy', 'MeshTLSAuthentication', 'NetworkAuthentication'].map(
      (kind) => `policy.linkerd.io/v1alpha1 ${kind}`,
    ),
    ...['HTTPRoute', 'Server'].map((kind) => `policy.linkerd.io/v1beta3 ${kind}`),
  ];
  const manifests = manifestsOf(readFileSync('deploy/linkerd/mneme.yaml', 'utf8'));

  it('are of kinds and versions that Linkerd has', () => {
    const used = manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(used.filter((each) => !VERSIONS.includes(each))).toEqual([]);
  });

  it('count calls of every service of the API, and of no other', () => {
    const image = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb')));
    const services = [...image].filter(({ kind, typeName }) => kind === 'service' && typeName.startsWith('mneme.v1.'));
    const profile = JSON.stringify(manifests.find(({ kind }) => kind === 'ServiceProfile'));
    const named = [...profile.matchAll(/[A-Z]\w+Service\b/g)].map(([name]) => name);
    expect(named.sort()).toEqual(services.map(({ name }) => name).sort());
  });

  it('refer to one another, and every route is authorized', () => {
    const known = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const references: string[] = [];
    const visit = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return;
      const { group, kind, name } = value as Readonly<Record<string, unknown>>;
      if (group === 'policy.linkerd.io') references.push(`${String(kind)} ${String(name)}`);
      for (const each of Object.values(value)) visit(each);
    };
    for (const { spec } of manifests) visit(spec);
    expect(references.filter((each) => !known.includes(each))).toEqual([]);
    const routes = known.filter((each) => each.startsWith('HTTPRoute'));
    expect(routes.filter((each) => !references.includes(each))).toEqual([]);
  });
});

describe('the workflows', () => {
  it('pass actionlint', () => {
    expect(runTool('actionlint', ['-no-color', '-shellcheck=', '-pyflakes='])).toMatchObject({ code: 0, output: '' });
  });

  it('call targets of the Makefile, and nothing else', () => {
    for (const file of globSync('.github/workflows/*.yaml')) {
      const { jobs } = parse(readFileSync(file, 'utf8')) as { readonly jobs: Readonly<Record<string, Job>> };
      for (const { steps, strategy } of Object.values(jobs)) {
        for (const { run } of steps)
          if (run !== undefined)
            expect(run).toMatch(/^make [a-z-]+( ARCHS='[a-z0-9 ]+')?$|^make \$\{\{ matrix\.target \}\}$/);
        const called = steps.flatMap(({ run = '' }) => /^make ([a-z-]+)/.exec(run)?.[1] ?? []);
        const unknown = [...called, ...(strategy?.matrix.target ?? [])].filter((name) => !targets.has(name));
        expect([file, unknown]).toEqual([file, []]);
      }
    }
  });

  it('push nothing for a tag that is not the version of package.json', () => {
    const { jobs } = parse(readFileSync('.github/workflows/release.yaml', 'utf8')) as {
      readonly jobs: Readonly<Record<string, Job>>;
    };
    const commands = jobs['packages']?.steps.flatMap(({ run = [] }) => run);
    expect([commands?.[0], jobs['image']?.needs, jobs['chart']?.needs]).toEqual([
      'make check-tag',
      'packages',
      'image',
    ]);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const statusOf = (tag: string) =>
      spawnSync('make', ['check-tag'], { env: { ...process.env, GITHUB_REF_NAME: tag } }).status;
    expect([`v${version}`, version, 'v99.0.0', ''].map(statusOf)).toEqual([0, 2, 2, 2]);
  });

  interface Job {
    readonly needs?: string;
    readonly steps: readonly { readonly run?: string }[];
    readonly strategy?: { readonly matrix: { readonly target?: readonly string[] } };
  }
});
