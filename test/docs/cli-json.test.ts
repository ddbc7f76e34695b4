import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';

/** The section of docs/cli.md on `--json` names every key that the commands print. */
const page = readFileSync('docs/cli.md', 'utf8');

/** Keys of the first object in a text such as `{"hits":[hit],"lanes":["keyword"]}`, without those of nested objects. */
function outerKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [found, , key] of text.slice(text.indexOf('{')).matchAll(/([{}[\]])|"(\w+)"/g)) {
    if (found === '{' || found === '[') depth += 1;
    else if (key === undefined) depth -= 1;
    else if (depth === 1) keys.push(key);
    if (depth === 0) break;
  }
  return keys;
}

/** Description of a type, such as a hit, in the list after the table. */
function bulletOf(label: string): string {
  const text = page.split(`\n- **${label}**: `)[1]?.split('\n- ')[0];
  if (text === undefined) throw new Error(`docs/cli.md says nothing of ${label}`);
  return text;
}

/** Documented output of a command in the table, or of a command or type in the list after it. */
function documented(label: string): string[] {
  const row = page
    .split('\n')
    .find((line) => line.startsWith('| `') && line.split(' | ')[0]?.includes(`\`${label}\``) && line.includes('{"'));
  if (row !== undefined) return outerKeys(row);
  const [, command] = page.split(new RegExp(`\`${label}\`:\\s`));
  return outerKeys(command ?? bulletOf(label));
}

/** A memory has the keys of a line of an export, which have a table, and some more. */
function keysOfMemory(): string[] {
  const exported = page.slice(page.indexOf('## Export and import'), page.indexOf('## Session'));
  const rows = [...exported.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names = '']) => names);
  return [bulletOf('memory'), ...rows].flatMap((text) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme({ flags: ['--embedder', 'static'] });
  const options = '--type state --agent scout --session s1 --tag here --speaker Ada --step 1 --ttl 1d --room hall';
  await printed(`store --id m1 Ada_plays. ${options}`);
});
afterAll(() => server.stop());

/** The first line that the command prints, as JSON. */
async function printed(command: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runMneme([...command.split(' '), '--json'], {
    env: { MNEME_SERVER: server.address },
  });
  if (stdout === '') throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, unknown>;
}

function keysOf(value: unknown): string[] {
  return Object.keys((Array.isArray(value) ? value[0] : value) as object);
}

describe('docs/cli.md › --json', () => {
  it.each([
    ['doctor', 'doctor'],
    ['version', 'version'],
    ['store', 'store --id m2 Ben_sings.'],
    ['recall', 'recall Ada'],
    ['context', 'context Ada'],
    ['count', 'count'],
    ['watch', 'watch --from 1 --once'],
    ['subscribe', 'subscribe Ada --min-relevance 0 --count 1'],
    ['presets', 'presets'],
    ['states', 'states 1'],
    ['sequence', 'sequence m1'],
    ['stats', 'stats'],
    ['subscriptions create', 'subscriptions create jobs'],
    ['forget', 'forget m2'],
    ['namespaces delete', 'namespaces delete spare'],
    ['history', 'history energy'],
    ['cache show', 'cache show'],
    ['cache clear', 'cache clear'],
    ['promote', 'demote m1'],
    ['maintain', 'maintain --dry-run'],
    ['stats --agent', 'stats --agent scout'],
    ['clear-tier', 'clear-tier long_term --all --dry-run'],
  ])('%s › prints keys that the page names', async (label, command) => {
    if (label === 'namespaces delete') await printed('namespaces create spare');
    const names = documented(label);
    expect(keysOf(await printed(command)).filter((key) => !names.includes(key))).toEqual([]);
  });

  it('a hit, a memory, a namespace, a server, statistics › have keys that the page names', async () => {
    const { hits } = await printed('recall Ada --explain --neighbors 1');
    const [hit] = hits as Record<string, unknown>[];
    const { server: about, statistics } = await printed('stats');
    const unknown = (value: unknown, names: readonly string[]) => keysOf(value).filter((key) => !names.includes(key));
    const explained = bulletOf('hit');
    const hitNames = [...explained.matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
    const inNamespace = await printed('stats --namespace default');
    const ofServer = bulletOf('statistics');
    const statisticsNames = [
      ...documented('statistics'),
      ...[...ofServer.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    ];

    expect(unknown(hit, hitNames)).toEqual([]);
    expect(unknown(hit?.['memory'], keysOfMemory())).toEqual([]);
    expect(unknown(await printed('namespaces get default'), documented('namespace'))).toEqual([]);
    expect(unknown(about, documented('server'))).toEqual([]);
    expect(unknown(statistics, statisticsNames)).toEqual([]);
    expect(unknown(inNamespace['statistics'], statisticsNames)).toEqual([]);
  });
});
