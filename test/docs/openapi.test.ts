/** docs/openapi.json in a linter and in a generator of types that others have made. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

interface Redocly {
  createConfig(config: { readonly extends: readonly string[] }): Promise<unknown>;
  lint(options: { readonly ref: string; readonly config: unknown }): Promise<readonly { readonly message: string }[]>;
}

const DOCUMENT = resolve('docs/openapi.json');
const TOOLS = resolve('.toolchain/openapi-tools/node_modules');

let folder: string;

beforeAll(() => {
  if (!existsSync(join(TOOLS, '.installed'))) throw new Error('make openapi-tools brings what this test needs');
  folder = mkdtempSync(join(tmpdir(), 'mneme-openapi-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function lint(path: string): Promise<readonly string[]> {
  const redocly = createRequire(join(TOOLS, 'from.js'))('@redocly/openapi-core') as Redocly;
  const config = await redocly.createConfig({ extends: ['recommended-strict'] });
  return (await redocly.lint({ ref: path, config })).map(({ message }) => message);
}

test('a linter has nothing to say, with all of its recommended rules as errors', async () => {
  expect(await lint(DOCUMENT)).toEqual([]);
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, readFileSync(DOCUMENT, 'utf8').replace('schemas/StoreMemoryRequest', 'schemas/Absent'));
  expect(await lint(broken)).toEqual(["Can't resolve $ref"]);
});

test('every operation has an answer, errors and the reasons that errors.md lists', () => {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    readonly paths: Readonly<Record<string, { readonly post: { readonly responses: object } }>>;
    readonly components: { readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
  };
  for (const { post } of Object.values(paths)) expect(Object.keys(post.responses)).toEqual(['200', '4XX', '5XX']);
  const listed = [...readFileSync('docs/api/errors.md', 'utf8').matchAll(/^\| [A-Z_]+ \| `(\w+)`/gm)];
  expect(components.schemas['ErrorReason']?.enum?.toSorted()).toEqual(listed.map(([, reason]) => reason).sort());
});

const USE = `
import type { components, paths } from './api.ts';

type Json<Path extends '/mneme.v1.MemoryService/StoreMemory' | '/mneme.v1.RecallService/Recall'> = {
  request: paths[Path]['post']['requestBody']['content']['application/json'];
  answer: paths[Path]['post']['responses'][200]['content']['application/json'];
};
export const store: Json<'/mneme.v1.MemoryService/StoreMemory'>['request'] = {
  parent: 'namespaces/default',
  memory: { text: 'Ada plays the cello.', tags: ['music'], step: '12', validFrom: '2026-11-29T12:00:00Z', tier: 'TIER_LONG_TERM' },
};
export const recall: Json<'/mneme.v1.RecallService/Recall'>['request'] = {
  parent: 'namespaces/default',
  text: 'Who plays the cello?',
  recencyHalfLife: '86400s',
  // @ts-expect-error A tier has a name.
  tiers: [3],
};
export function textsOf(answer: Json<'/mneme.v1.RecallService/Recall'>['answer']): (string | undefined)[] {
  return (answer.hits ?? []).map(({ memory }) => memory?.text);
}
export function reasonOf(error: components['schemas']['Error']): components['schemas']['ErrorReason'] | undefined {
  return error.details?.find(({ type }) => type === 'google.rpc.ErrorInfo')?.debug?.reason;
}
`;

test('types that a generator makes compile for a store and a recall', () => {
  execFileSync(process.execPath, [
    join(TOOLS, 'openapi-typescript/bin/cli.js'),
    DOCUMENT,
    '--output',
    join(folder, 'api.ts'),
  ]);
  writeFileSync(join(folder, 'use.ts'), USE);
  const tsc = resolve('node_modules/.bin/tsc');
  const flags = ['--noEmit', '--strict', '--allowImportingTsExtensions', '--module', 'nodenext', '--types', ''];
  const { stdout } = spawnSync(tsc, [...flags, 'use.ts'], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
});
