/**
 * Measures speed: `node test/bench/main.ts [part…]`, `--list` lists the parts, `--keep` keeps the data folders, and
 * `--sizes 10000,100000` sets the numbers of memories of parts that measure several.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Group } from './bench.ts';
import { LoadClient } from './load/load-client.ts';
import { againstGroup } from './parts/against.ts';
import { bulkReadGroup } from './parts/bulk-reads.ts';
import { callGroup } from './parts/calls.ts';
import { clientGroup } from './parts/clients.ts';
import { contextGroup } from './parts/context.ts';
import { conversationGroup } from './parts/conversations.ts';
import { eventLoopGroup } from './parts/event-loop.ts';
import { fanOutGroup } from './parts/fan-out.ts';
import { filterGroup } from './parts/filters.ts';
import { hostileGroup } from './parts/hostile.ts';
import { httpGroup } from './parts/http.ts';
import { ingestGroup } from './parts/ingest.ts';
import { lifeGroup } from './parts/lives.ts';
import { loneGroup } from './parts/lone.ts';
import { millionGroup } from './parts/million.ts';
import { postgresGroup } from './parts/postgres.ts';
import { recallFormsGroup } from './parts/recall-forms.ts';
import { replicaGroup } from './parts/replicas.ts';
import { resolutionGroup } from './parts/resolution.ts';
import { searchThreadGroup } from './parts/search-threads.ts';
import { sizeGroup } from './parts/sizes.ts';
import { standingGroup } from './parts/standing.ts';
import { stateGroup } from './parts/states.ts';
import { staticTextGroup } from './parts/static-text.ts';
import { tierGroup } from './parts/tiers.ts';
import { tlsGroup } from './parts/tls.ts';
import { workingMemoryGroup } from './parts/working-memory.ts';
import { origin } from './report/machine.ts';
import { writeResults } from './report/results.ts';
import type { Row } from './report/row.ts';
import { tables } from './report/table.ts';

const GROUPS: readonly Group[] = [
  callGroup,
  loneGroup,
  workingMemoryGroup,
  lifeGroup,
  sizeGroup,
  filterGroup,
  stateGroup,
  eventLoopGroup,
  hostileGroup,
  bulkReadGroup,
  searchThreadGroup,
  staticTextGroup,
  tierGroup,
  recallFormsGroup,
  contextGroup,
  conversationGroup,
  postgresGroup,
  replicaGroup,
  tlsGroup,
  httpGroup,
  resolutionGroup,
  fanOutGroup,
  standingGroup,
  ingestGroup,
  clientGroup,
  againstGroup,
  millionGroup,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, keep: { type: 'boolean' }, sizes: { type: 'string' } },
});
const parts = GROUPS.flatMap((group) => group.parts);
const byNameOnly = new Set(GROUPS.filter(({ isByNameOnly }) => isByNameOnly).flatMap((group) => group.parts));
const sizes = values.sizes?.split(',').map(Number);
if (sizes?.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  process.stderr.write(`--sizes: must be whole numbers from 1 on, such as 10000,100000, got ${values.sizes}\n`);
  process.exit(2);
}
const unknown = positionals.filter((part) => !parts.includes(part));
if (values.list || unknown.length > 0) {
  for (const part of unknown) process.stderr.write(`there is no part "${part}"\n`);
  process.stdout.write(`${parts.join('\n')}\n`);
  process.exit(unknown.length > 0 ? 2 : 0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await run();

async function run(): Promise<void> {
  const startedMs = performance.now();
  const rows: Row[] = [];
  const bench: Bench = {
    folder: mkdtempSync(join(tmpdir(), 'mneme-bench-')),
    client: new LoadClient(),
    wants: (part) => positionals.includes(part) || (positionals.length === 0 && !byNameOnly.has(part)),
    sizes: (byDefault) => sizes ?? byDefault,
    add(row) {
      rows.push(row);
      bench.say(tables([row]).slice(2, -1).join('\n'));
    },
    say(line) {
      process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);
    },
  };
  const from = origin(process.argv.slice(2));
  try {
    for (const group of GROUPS) if (group.parts.some(bench.wants)) await group.run(bench);
  } finally {
    bench.client.close();
    if (!values.keep) rmSync(bench.folder, { recursive: true });
  }
  process.stdout.write(`${tables(rows).join('\n')}\n`);
  process.stdout.write(`${writeResults(from, rows)}.{json,md}\n`);
}
