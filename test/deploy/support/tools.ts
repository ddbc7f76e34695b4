import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, '.toolchain/deploy');
export const SCHEMAS = join(FOLDER, 'schemas');
/** The oldest and the newest version of Kubernetes that the chart is checked against. */
export const KUBERNETES = ['1.29.0', '1.36.0'] as const;

export type Tool = 'helm' | 'kubeconform' | 'hadolint' | 'actionlint' | 'compose-config';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly output: string;
}

/** Runs a tool of tools/deploy-tools.sh in the checkout. */
export function runTool(tool: Tool, args: readonly string[], stdin = ''): Finished {
  const program = join(FOLDER, 'bin', tool);
  if (!existsSync(program)) throw new Error(`${tool} is not installed: run "make deploy-tools"`);
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    input: stdin,
    maxBuffer: 2 ** 26,
  });
  if (error) throw error;
  return { code: status, stdout, output: stdout + stderr };
}

/** Object of a manifest. */
export type Manifest = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly metadata: { readonly name: string };
};

export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** Faults that kubeconform finds in manifests, by the schemas of one version of Kubernetes and of custom resources. */
export function faultsIn(manifests: string, version: string): string[] {
  const { stdout } = runTool(
    'kubeconform',
    [
      // The schema of ServiceMonitor cannot be had from a registry.
      ...['-strict', '-output', 'json', '-kubernetes-version', version, '-skip', 'ServiceMonitor'],
      ...['-schema-location', `${SCHEMAS}/{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json`],
      ...['-schema-location', `${SCHEMAS}/crds/{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json`],
    ],
    manifests,
  );
  const { resources: found } = JSON.parse(stdout) as { readonly resources?: readonly Fault[] };
  return (found ?? []).map(({ kind, name, status, msg }) => `${kind} ${name}: ${status} ${msg}`);
}

interface Fault {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly msg: string;
}
