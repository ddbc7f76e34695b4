import type { Micros } from '../../../memory/memory.ts';
import { globOf } from '../../../memory/pattern.ts';
import {
  type Checkpoint,
  type Entry,
  isExpired,
  type Note,
  type SessionChange,
  type SessionRecord,
  type SessionSnapshot,
  sessionName,
} from '../../../memory/session.ts';
import { compareTexts } from '../../../memory/values.ts';
import type {
  ChangePage,
  EntryListRead,
  EntryPage,
  NoteListRead,
  NotePage,
  SessionStatistics,
} from '../../session-store.ts';
import { taskOf } from '../../sessions/entry-ops.ts';
import { headOf, type Wanted } from '../../sessions/loaded-session.ts';
import { damaged, decodeManifest } from '../../sessions/manifest.ts';
import { pageOfNotes, statisticsOf } from '../../sessions/read-session.ts';
import { SnapshotReader } from '../../sessions/read-snapshot.ts';
import { decodeEntry, decodeNote, listOf, pairsOf, storedRecord } from './loaded.ts';
import { changesScript, entriesScript, type SessionKeys, statisticsScript } from './session-keys.ts';
import type { SessionKeyspace } from './session-keyspaces.ts';
import { load } from './write-session.ts';

const CHUNK = 64;

/** `isNeeded`: a possibly lost session fails with SESSION_LOST. */
export async function readRecord(
  redis: SessionKeyspace,
  keys: SessionKeys,
  isNeeded = true,
): Promise<SessionRecord | undefined> {
  const json = await redis.read(['HGET', keys.record, 'json'], isNeeded ? keys : undefined);
  return Buffer.isBuffer(json) ? storedRecord(json) : undefined;
}

export async function getEntries(
  redis: SessionKeyspace,
  session: SessionKeys,
  { keys, nowUs, heads = false }: { keys: readonly string[]; nowUs: Micros; heads?: boolean },
): Promise<{ revision: number; entries: (Entry | undefined)[] }> {
  const args = [session.base, heads ? 'heads' : 'values', ...keys];
  const [revision, found] = listOf(await redis.run(entriesScript, args, session));
  const stored = listOf(found);
  const entries = keys.map((key, at) => {
    const bytes = stored[at];
    const entry = Buffer.isBuffer(bytes) ? decodeEntry(key, bytes) : undefined;
    return entry && !isExpired(entry, nowUs) ? entry : undefined;
  });
  return { revision: Number(revision ?? 0), entries };
}

export async function listEntries(redis: SessionKeyspace, keys: SessionKeys, read: EntryListRead): Promise<EntryPage> {
  const { pattern, afterKey, limit, bytesMax, withValues, nowUs } = read;
  const revision = Number((await redis.read(['HGET', keys.record, 'rev'], keys)) ?? 0);
  const glob = pattern === undefined ? undefined : globOf(pattern);
  const wanted = listOf(await redis.read(['HKEYS', keys.entries], keys))
    .map(String)
    .filter((key) => (!glob || glob.matches(key)) && (afterKey === undefined || compareTexts(key, afterKey) > 0))
    .sort(compareTexts);
  const entries: EntryPage['entries'][number][] = [];
  let bytes = 0;
  for (let at = 0; at < wanted.length; at += CHUNK) {
    const chunk = wanted.slice(at, at + CHUNK);
    const page = await getEntries(redis, keys, { keys: chunk, nowUs, heads: !withValues });
    for (const entry of page.entries) {
      if (!entry) continue;
      bytes += withValues ? entry.bytes : 0;
      if (entries.length >= limit || (entries.length > 0 && bytes > bytesMax)) {
        return { revision, entries, nextAfter: entries.at(-1)?.key ?? '' };
      }
      entries.push(withValues ? entry : headOf(entry));
    }
  }
  return { revision, entries };
}

export async function listNotes(redis: SessionKeyspace, keys: SessionKeys, read: NoteListRead): Promise<NotePage> {
  const record = await readRecord(redis, keys);
  const totals = {
    revision: record?.revision ?? 0,
    total: record?.noteCount ?? 0,
    dropped: record?.notesDropped ?? 0,
  };
  const notes: Note[] = [];
  let after = read.after;
  for (let bytes = 0; notes.length <= read.limit && bytes <= read.bytesMax; ) {
    const chunk = listOf(await redis.read(notesCommand(keys.notes, read.order, after), keys));
    for (const note of chunk) if (Buffer.isBuffer(note)) notes.push(decodeNote(note));
    bytes = notes.reduce((sum, { content }) => sum + content.data.byteLength, 0);
    after = notes.at(-1)?.sequence;
    if (chunk.length < CHUNK) break;
  }
  return { ...totals, ...pageOfNotes(notes, read) };
}

function notesCommand(key: string, order: 'oldest' | 'newest', after: number | undefined): string[] {
  const limit = ['LIMIT', '0', `${CHUNK}`];
  if (order === 'oldest') return ['ZRANGEBYSCORE', key, after === undefined ? '-inf' : `(${after}`, '+inf', ...limit];
  return ['ZREVRANGEBYSCORE', key, after === undefined ? '+inf' : `(${after}`, '-inf', ...limit];
}

export async function allCheckpoints(redis: SessionKeyspace, keys: SessionKeys, id?: string): Promise<Checkpoint[]> {
  const { checkpoints } = keys;
  if (id === undefined) {
    const all = pairsOf(await redis.read(['HGETALL', checkpoints], keys));
    return all.map(([, body]) => JSON.parse(body.toString()) as Checkpoint);
  }
  const body = await redis.read(['HGET', checkpoints, id], keys);
  return Buffer.isBuffer(body) ? [JSON.parse(body.toString()) as Checkpoint] : [];
}

export async function readSnapshot(
  redis: SessionKeyspace,
  keys: SessionKeys,
  {
    namespace,
    session,
    checkpoint: id,
    nowUs,
  }: { namespace: string; session: string; checkpoint?: string; nowUs: Micros },
): Promise<SessionSnapshot | undefined> {
  const what = new Set<Wanted>(id === undefined ? ['A', 'N'] : ['C', 'P']);
  const reading = { what, keys: new Set<string>(), checkpoints: new Set(id === undefined ? [] : [id]) };
  const loaded = await load(redis, keys, reading, { isNeeded: true });
  if (!loaded.record) return undefined;
  if (id === undefined) {
    const all = [...loaded.entries.values()].flatMap((entry) =>
      entry?.content ? { ...entry, content: entry.content } : [],
    );
    const entries = all.filter((entry) => !isExpired(entry, nowUs));
    const notes = loaded.notes.flatMap(({ note }) => note ?? []);
    const task = taskOf(loaded.record.task);
    return { revision: loaded.record.revision, entries, notes, task };
  }
  const checkpoint = loaded.checkpoints.get(id);
  if (!checkpoint || isExpired(checkpoint, nowUs)) return undefined;
  const name = `${sessionName(namespace, session)} checkpoint ${id}`;
  const manifest = loaded.manifests.get(id);
  if (!manifest) throw damaged(name);
  const reader = new SnapshotReader(name, (number) => loaded.packs.get(number));
  return reader.snapshot(decodeManifest(name, manifest, checkpoint.checksum), nowUs);
}

export async function listChanges(
  redis: SessionKeyspace,
  keys: SessionKeys,
  { afterRevision, limit }: { afterRevision: number; limit: number },
): Promise<ChangePage> {
  const [json, found] = listOf(await redis.run(changesScript, [keys.base, `${afterRevision}`, `${limit}`], keys));
  const record = Buffer.isBuffer(json) ? storedRecord(json) : undefined;
  const changes = listOf(found).map((change): SessionChange => {
    type Row = [string, number, SessionChange['kind'], string, Micros];
    const [part, revision, kind, key, atUs] = JSON.parse(String(change)) as Row;
    return { revision, part: Number(part), kind, key, atUs };
  });
  return { revision: record?.revision ?? 0, compactedRevision: record?.compactedRevision ?? 0, changes };
}

export async function readStatistics(
  redis: SessionKeyspace,
  keys: SessionKeys,
  nowUs: Micros,
): Promise<SessionStatistics | undefined> {
  const [json, heads] = listOf(await redis.run(statisticsScript, [keys.base, `${nowUs}`], keys));
  if (!Buffer.isBuffer(json)) return undefined;
  const expired = listOf(heads).flatMap((head) => (Buffer.isBuffer(head) ? [decodeEntry('', head)] : []));
  const bytes = expired.reduce((sum, entry) => sum + entry.bytes, 0);
  return statisticsOf(storedRecord(json), { count: expired.length, bytes });
}
