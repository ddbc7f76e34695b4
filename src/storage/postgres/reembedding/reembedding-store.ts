import { sql } from '#kysely';
import { MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { Reembedding, ReembeddingStore, ReembeddingText } from '../../reembedding-store.ts';
import type { PostgresAccess } from '../core.ts';
import { queries, type Session } from '../database.ts';
import { eraseVectors } from '../erase-leftovers.ts';
import type { NamespaceDraft } from '../loaded-namespace.ts';
import { readNamespace, textOf } from '../reads.ts';
import type { NamespaceTable, ReembeddingTable } from '../schema.ts';
import { BYTES_AROUND, bytesOf } from '../write-bytes.ts';
import { LOGGED_KINDS } from '../write-draft.ts';
import { putReembedded, reembeddingOf } from './put-reembedded.ts';

type Asked<K extends keyof ReembeddingStore> = Parameters<ReembeddingStore[K]>[0];

export interface PostgresReembeddingsOptions {
  readonly access: PostgresAccess;
  /** Erases vectors that are not in use, in the background. */
  readonly eraseLeftovers: () => void;
}

/** Attempts at a beginning while other servers begin another one. */
const ATTEMPTS_MAX = 10;

/** Vectors that are recomputed are shared by all servers: any of them goes on where another has ended. */
export class PostgresReembeddings implements ReembeddingStore {
  private readonly options: PostgresReembeddingsOptions;

  constructor(options: PostgresReembeddingsOptions) {
    this.options = options;
  }

  async beginReembedding(write: Asked<'beginReembedding'>): Promise<boolean> {
    const { namespace, atUs } = write;
    const { access } = this.options;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const begun = await access.submit(namespace, {
        ...alone(atUs),
        run: (_, session, { row }) => begin(session, rowIn(row), write),
      });
      if (typeof begun === 'boolean') return begun;
      await eraseVectors(access.read, begun.space);
    }
    throw new MnemeError('OVERLOADED', 'other servers begin to recompute the vectors of the namespace as well');
  }

  reembeddings(): Promise<Reembedding[]> {
    return this.options.access.read((session) =>
      session.run(
        queries
          .selectFrom('reembedding as r')
          .innerJoin('namespace as n', 'n.key', 'r.namespace_key')
          .select([
            'n.name as namespace',
            'n.embedding_model as fromModel',
            'r.model as toModel',
            'r.done_count as doneCount',
            'r.total_count as totalCount',
            'r.started_at_us as startedAtUs',
          ])
          .orderBy('r.started_at_us')
          .orderBy('n.name'),
      ),
    );
  }

  /** Memories after the cursor first: changed memories come last, as they may change again. */
  reembeddingBatch({ namespace, limit }: Asked<'reembeddingBatch'>): Promise<ReembeddingText[]> {
    return this.options.access.read(async (session) => {
      const { key } = await readNamespace(session, namespace);
      const row = await reembeddingOf(session, key);
      if (!row) return [];
      const after = await session.run(textsAfter(key, row.cursor, limit));
      const rows = after.length > 0 ? after : await session.run(changedTexts(key, limit));
      return rows.map((each) => ({ key: each.key, id: each.id, checksum: each.checksum, text: textOf(each.text) }));
    });
  }

  setReembedded(write: Asked<'setReembedded'>): Promise<void> {
    const { namespace, vectors } = write;
    return this.options.access.submit(namespace, {
      ...alone(0),
      bytes: bytesOf(vectors),
      run: (_, session, { row }) => putReembedded(session, rowIn(row), write),
    });
  }

  async finishReembedding(write: Asked<'finishReembedding'>): Promise<boolean> {
    const { namespace, atUs } = write;
    const isFinished = await this.options.access.submit(namespace, {
      ...alone(atUs),
      run: (draft, session, { row }) => finish(session, draft, rowIn(row), write),
    });
    if (isFinished) this.options.eraseLeftovers();
    return isFinished;
  }
}

/** Returns the space that has to be empty first. */
async function begin(
  session: Session,
  row: NamespaceTable,
  { model, dimension, atUs }: Asked<'beginReembedding'>,
): Promise<boolean | { readonly space: number }> {
  const { key, embedding_model, embedding_dimension, vector_sign: sign, memory_count } = row;
  const present = await reembeddingOf(session, key);
  // 0 stands for an unknown dimension.
  const fits = (other: number) => dimension === 0 || other === 0 || other === dimension;
  if (present?.model === model && fits(present.dimension)) return true;
  const isOfSpace = embedding_model === model && fits(embedding_dimension);
  if (!present && isOfSpace && !(await hasTextWithoutVector(session, key))) return false;
  if (present) await session.run(queries.deleteFrom('reembedding').where('namespace_key', '=', key));
  const space = -sign * key;
  if (await isUsed(session, key, space)) return { space };
  await session.run(queries.deleteFrom('vector_erasure').where('space', '=', space));
  const begun = { namespace_key: key, model, dimension: 0, cursor: 0, done_count: 0 };
  await session.run(
    queries.insertInto('reembedding').values({ ...begun, total_count: memory_count, started_at_us: atUs }),
  );
  return true;
}

async function hasTextWithoutVector(session: Session, key: number): Promise<boolean> {
  const rows = await session.run(
    sql`SELECT 1 FROM memory m JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
      WHERE m.namespace_key = ${key} AND m.embedding_state <> 2 AND (b.text <> '' OR b.body_key IS NOT NULL) LIMIT 1`,
  );
  return rows.length > 0;
}

async function isUsed(session: Session, key: number, space: number): Promise<boolean> {
  const rows = await session.run(
    sql`(SELECT 1 FROM memory_vector WHERE namespace_key = ${space} LIMIT 1)
      UNION ALL (SELECT 1 FROM reembedded WHERE namespace_key = ${key} LIMIT 1)`,
  );
  return rows.length > 0;
}

type TextRow = Omit<ReembeddingText, 'text'> & { readonly text: string | null; readonly body_key: string | null };

const TEXTS = sql`SELECT m.sequence AS key, m.namespace_key, m.sequence, m.id, m.checksum, b.text, b.body_key FROM memory m`;

function textsAfter(key: number, cursor: number, limit: number) {
  return sql<TextRow>`${TEXTS}
    LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
    WHERE m.namespace_key = ${key} AND m.sequence > ${cursor} ORDER BY m.sequence LIMIT ${limit}`;
}

function changedTexts(key: number, limit: number) {
  return sql<TextRow>`${TEXTS}
    JOIN reembedded r ON r.namespace_key = m.namespace_key AND r.sequence = m.sequence
    LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
    WHERE m.namespace_key = ${key} AND r.checksum <> m.checksum ORDER BY m.sequence LIMIT ${limit}`;
}

async function finish(
  session: Session,
  draft: NamespaceDraft,
  { key, vector_sign: sign }: NamespaceTable,
  { model, atUs }: Asked<'finishReembedding'>,
): Promise<boolean> {
  const row = await reembeddingOf(session, key);
  if (row?.model !== model) return true;
  if (!(await isThrough(session, row))) return false;
  const revision = ++draft.revision;
  const hasVectors = row.dimension > 0;
  draft.namespace = {
    ...draft.namespace,
    embeddingModel: hasVectors ? model : '',
    embeddingDimension: row.dimension,
  };
  await session.runAll([
    sql`UPDATE memory m SET embedding_state = CASE WHEN r.has_vector THEN 2 ELSE 0 END FROM reembedded r
      WHERE m.namespace_key = ${key} AND r.namespace_key = m.namespace_key AND r.sequence = m.sequence
        AND m.embedding_state <> CASE WHEN r.has_vector THEN 2 ELSE 0 END`,
    queries.updateTable('namespace').set({ vector_sign: -sign }).where('key', '=', key),
    queries.deleteFrom('reembedding').where('namespace_key', '=', key),
    queries.insertInto('vector_erasure').values({ space: sign * key }),
    queries.insertInto('change_log').values(replacedEntry(key, revision, atUs)),
  ]);
  return true;
}

async function isThrough(session: Session, { namespace_key: key, cursor }: ReembeddingTable): Promise<boolean> {
  const left = await Promise.all([textsAfter(key, cursor, 1), changedTexts(key, 1)].map((query) => session.run(query)));
  return left.every((rows) => rows.length === 0);
}

function replacedEntry(key: number, revision: number, atUs: Micros) {
  const kind = LOGGED_KINDS.indexOf('vectors_replaced');
  return { namespace_key: key, revision, kind, id: '', at_us: atUs, tier_from: null, tier_to: null };
}

function rowIn(row: NamespaceTable | undefined): NamespaceTable {
  if (!row) throw new Error('the namespace was checked to be there');
  return row;
}

function alone(atUs: Micros) {
  return { ids: [], atUs, bytes: BYTES_AROUND, isAlone: true };
}
