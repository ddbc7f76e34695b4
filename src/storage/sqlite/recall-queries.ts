import { sql } from '#kysely';
import { EPISODE_TYPE } from '../../memory/consolidation/conversation-episode.ts';
import { CONSOLIDATION_ORIGIN } from '../../memory/consolidation/derivation.ts';
import type { PlaceNames } from '../../memory/place.ts';
import type { ColumnRow, LogEntry } from '../../search/recall/namespace-source.ts';
import { prepared, queries } from './database.ts';
import type { MemoryTable } from './schema.ts';

export const markQuery = prepared((p: { revision: number }) =>
  queries.selectFrom('change_log').select(['at_us', 'pk']).where('revision', '=', p.revision),
);
export const namespaceQuery = prepared((p: { name: string }) =>
  queries.selectFrom('namespace').select(['key', 'embedding_model', 'embedding_dimension']).where('name', '=', p.name),
);
export const recentQuery = prepared((p: { limit: number }) =>
  queries.selectFrom('namespace').select('name').orderBy('next_sequence', 'desc').orderBy('key', 'desc').limit(p.limit),
);
/** `LogEntry.kind` of each kind of the change log; see `schema.ts`. */
export const ENTRY_KINDS: Readonly<Record<number, LogEntry['kind']>> = {
  1: 'stored',
  2: 'updated',
  3: 'erased',
  4: 'erased',
  5: 'embedded',
  9: 'namespace_erased',
  10: 'vectors_replaced',
  11: 'moved',
  12: 'resized',
  13: 'vector_resized',
};
export const changesQuery = prepared((p: { afterRevision: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select(['revision', 'kind', 'namespace_key', 'pk', 'id'])
    .where('revision', '>', p.afterRevision)
    .orderBy('revision')
    .limit(p.limit),
);

const COLUMNS = [
  'pk',
  'project',
  'agent_type',
  'agent',
  'session',
  'speaker',
  'event_at_us',
  'importance',
  'expires_at_us',
  'superseded_by',
  'created_at_us',
  'valid_from_us',
  'valid_until_us',
  'step',
  'x',
  'y',
  'z',
  'latitude',
  'longitude',
  'location',
  'room',
  'region',
] as const;
/** Only of episodes: few memories have the body of another table read for it. */
const episodeOrigin = sql<
  string | null
>`CASE WHEN type = ${sql.lit(EPISODE_TYPE)} THEN (SELECT b.source_origin FROM memory_body b WHERE b.pk = memory.pk) END`.as(
  'episode_origin',
);
const COLUMN_SELECTION = [...COLUMNS, episodeOrigin] as const;
type ColumnTable = Pick<MemoryTable, (typeof COLUMNS)[number]> & { readonly episode_origin: string | null };

export const columnsQuery = prepared((p: { first: number; last: number }) =>
  queries
    .selectFrom('memory')
    .select(COLUMN_SELECTION)
    .where('pk', '>=', p.first)
    .where('pk', '<=', p.last)
    .orderBy('pk'),
);
export const columnsPage = prepared((p: { from: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory')
    .select(COLUMN_SELECTION)
    .where('pk', '>=', p.from)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);
export const textsQuery = prepared((p: { from: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory_body')
    .select(['pk as key', 'text', 'packed'])
    .where('pk', '>=', p.from)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);
export const textQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_body').select(['text', 'packed']).where('pk', '=', p.pk),
);
/** Texts are not needed to restore a packed content. */
const CONTENT_COLUMNS = ['pk as key', 'media_type', 'content', 'packed'] as const;
export const contentsQuery = prepared((p: { from: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory_body')
    .select(CONTENT_COLUMNS)
    .where('pk', '>=', p.from)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);
export const contentQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_body').select(CONTENT_COLUMNS).where('pk', '=', p.pk),
);
export const tierQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory').select('tier').where('pk', '=', p.pk),
);
export const columnQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory').select(COLUMN_SELECTION).where('pk', '=', p.pk),
);
export const vectorsQuery = prepared((p: { first: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory_vector')
    .select(['pk', 'small', 'data'])
    .where('pk', '>=', p.first)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);
export const vectorQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_vector').select(['small', 'data']).where('pk', '=', p.pk),
);
export const keyQuery = prepared((p: { namespaceKey: number; id: string }) =>
  queries.selectFrom('memory').select('pk').where('namespace_key', '=', p.namespaceKey).where('id', '=', p.id),
);
export const identityQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory').select(['id', 'revision']).where('pk', '=', p.pk),
);

export const packedQuery = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_body').select('pk').where('pk', '=', p.pk).where('packed', 'is not', null),
);

export function columnRow(row: ColumnTable): ColumnRow {
  const isSummary = row.episode_origin === CONSOLIDATION_ORIGIN;
  return {
    key: row.pk,
    session:
      row.session === '' || isSummary ? '' : [row.project, row.agent_type, row.agent, row.session].join('\u0000'),
    speaker: row.speaker,
    eventAtUs: row.event_at_us,
    importance: row.importance,
    expiresAtUs: row.expires_at_us ?? Number.POSITIVE_INFINITY,
    superseded: row.superseded_by !== '',
    ...(isSummary && { isSummary }),
    ...validityOf(row),
    ...(row.step === null ? {} : { step: row.step }),
    ...(row.x === null && row.latitude === null ? {} : pointsOf(row)),
    ...((row.location || row.room || row.region) && { names: namesOf(row) }),
  };
}

function validityOf(row: Pick<MemoryTable, (typeof COLUMNS)[number]>): Pick<ColumnRow, 'validity'> {
  const { event_at_us: eventAtUs, created_at_us: createdAtUs, valid_from_us: fromUs, valid_until_us: untilUs } = row;
  if (fromUs === null && untilUs === null && createdAtUs >= eventAtUs) return {};
  return {
    validity: {
      fromUs: fromUs ?? Number.NEGATIVE_INFINITY,
      knownFromUs: fromUs ?? Math.min(eventAtUs, createdAtUs),
      untilUs: untilUs ?? Number.POSITIVE_INFINITY,
    },
  };
}

function namesOf({ location, room, region }: Pick<MemoryTable, (typeof COLUMNS)[number]>): PlaceNames {
  return { location, room, region };
}

function pointsOf({ x, y, z, latitude, longitude }: Pick<MemoryTable, (typeof COLUMNS)[number]>): Partial<ColumnRow> {
  return {
    ...(x !== null && y !== null && { point: z === null ? { x, y } : { x, y, z } }),
    ...(latitude !== null && longitude !== null && { geo: { latitudeDeg: latitude, longitudeDeg: longitude } }),
  };
}
