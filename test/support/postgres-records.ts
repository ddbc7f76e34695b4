import { admits } from '../../src/memory/evaluate-filter.ts';
import { embeddingStateOf } from '../../src/storage/embedding-state.ts';
import type { ExternalBodies } from '../../src/storage/postgres/external-bodies.ts';
import {
  openPostgresRecords,
  type PostgresRecords,
  type PostgresRecordsOptions,
} from '../../src/storage/postgres/record-store.ts';
import type { Entry, NamespaceContents } from '../../src/storage/rules/draft.ts';
import { isExpired } from '../../src/storage/rules/memory-rules.ts';
import type { View } from '../../src/storage/view.ts';
import { listPage } from '../storage/in-memory/list-page.ts';
import { countByTier, scopesOf, statisticsOf } from '../storage/in-memory/projection.ts';
import { membersOf, sizeOf, totalsOf } from '../storage/in-memory/tiers.ts';
import { giveBackSchema, takeSchema } from './emptied-schemas.ts';
import { type WholeStore, wholeStore } from './whole-store.ts';

type Records = Pick<PostgresRecords, 'allIds' | 'copies' | 'getNamespace' | 'listNamespaces' | 'revision'>;

/** Lists, counts and sums over memories of a record store, which are all read for each call: the reference of a view. */
export function projectionOf(records: Records): View {
  /** Numbers of memories, from their first read on: a memory keeps its place between two pages. */
  const numbers = new Map<string, number>();
  const numberOf = (life: string): number => {
    const number = numbers.get(life) ?? numbers.size + 1;
    numbers.set(life, number);
    return number;
  };
  const contentsOf = async (name: string): Promise<NamespaceContents> => {
    const namespace = await records.getNamespace(name);
    const ids: string[] = [];
    for await (const id of records.allIds(name)) ids.push(id);
    const copies = ids.length === 0 ? [] : await records.copies({ namespace: name, ids });
    const entries = copies.map(({ memory, past, embeddingPending, notBeforeUs, tierSinceUs }): [string, Entry] => [
      memory.id,
      {
        memory,
        sequence: numberOf([name, memory.id, (past.at(-1)?.memory ?? memory).revision].join(' ')),
        state: embeddingStateOf(memory.embedding, embeddingPending),
        attempts: 0,
        notBeforeUs,
        tierSinceUs,
        change: past.length > 0 ? 'updated' : 'stored',
        past,
      },
    ]);
    return { namespace, entries: new Map(entries), nextSequence: numbers.size + 1 };
  };
  const all = async (name: string | undefined): Promise<NamespaceContents[]> => {
    const names =
      name === undefined ? (await records.listNamespaces({ limit: 1000 })).map((each) => each.name) : [name];
    return Promise.all(names.map(contentsOf));
  };
  return {
    reached: async () => records.revision,
    list: async (read) => listPage(await contentsOf(read.namespace), read),
    count: async ({ namespace, filter, nowUs }) => {
      const { entries } = await contentsOf(namespace);
      const present = [...entries.values()].filter(({ memory }) => !isExpired(memory, nowUs));
      return new Map(countByTier(present.filter(({ memory }) => !filter || admits(filter, memory))));
    },
    listScopes: async (read) => scopesOf(await contentsOf(read.namespace), read),
    statistics: async (namespace) => statisticsOf(await all(namespace)),
    members: async (read) => membersOf(await contentsOf(read.namespace), read),
    totals: async (namespace) => (await all(namespace)).flatMap(totalsOf),
    size: async (namespace) => sizeOf(await contentsOf(namespace)),
  };
}

export interface RecordsOfTest {
  readonly records: PostgresRecords;
  readonly store: WholeStore;
  /** Failures of work in the background. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

export interface RecordsSettings extends Partial<PostgresRecordsOptions> {
  readonly url: string;
  /** The test changes rows only: later records get the schema, emptied, once these are closed. */
  readonly reusesSchema?: boolean;
  /** Bodies of the upper tiers are in another store. */
  readonly bodies?: ExternalBodies;
}

let schemas = 0;

/** Records in a schema of their own, with lists and counts read from them. */
export async function openRecords({
  reusesSchema = false,
  bodies,
  ...options
}: RecordsSettings): Promise<RecordsOfTest> {
  const failures: unknown[] = [];
  const { url } = options;
  const free = reusesSchema ? takeSchema(url) : undefined;
  const schema = options.schema ?? free ?? `test_${process.pid}_${++schemas}`;
  const records = await openPostgresRecords({
    idempotencyRetentionMs: 3_600_000,
    onFailure: (error) => failures.push(error),
    ...options,
    schema,
  });
  if (bodies) records.bodies.begin(bodies);
  const close = async () => {
    await records.close();
    if (reusesSchema) await giveBackSchema(url, schema);
  };
  return { records, store: wholeStore(records, projectionOf(records)), failures, close };
}
