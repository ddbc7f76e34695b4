import {
  type Checkpoint,
  type CheckpointDiff,
  Content,
  type SessionEvent,
  type WorkingEntry,
  type WorkingKey,
} from '../../clients/typescript/src/index.ts';
import { asWritten } from '../memory/json.ts';
import { type ClientFlags, withClient } from './client-flags.ts';
import { counted, paint, print, printable, printEach, printJson } from './terminal.ts';

interface SetFlags extends ClientFlags {
  readonly text?: boolean;
  readonly ttl?: number;
  readonly expiry: boolean;
  readonly ifVersion?: number;
  /** Milliseconds; `false`: they stay. */
  readonly defaultTtl?: number | false;
}

export async function setKey(session: string, key: string, value: string, flags: SetFlags): Promise<void> {
  const { text = false, ttl, expiry, ifVersion, defaultTtl } = flags;
  const when = ttl === undefined ? (expiry ? {} : { expiry: 'never' as const }) : { expiry: { ttlMs: ttl } };
  await withClient(flags, async (mneme) => {
    const content = text ? Content.text(value) : contentOf(value);
    const ofSession =
      defaultTtl === undefined ? {} : { sessionDefaultTtlMs: defaultTtl === false ? ('never' as const) : defaultTtl };
    const options = { ...when, ...ofSession, ifVersion };
    const set = await mneme.session(session).set(key, content, options);
    if (flags.json) await printJson(set);
    else await print(`version ${set.version}${until(set)}`);
  });
}

function contentOf(value: string): Content {
  try {
    JSON.parse(value);
  } catch {
    return Content.text(value);
  }
  return new Content('application/json', value.trim());
}

export async function getKeys(session: string, keys: readonly string[], flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { entries, missing } = await mneme.session(session).batchGet(keys);
    for (const entry of entries) await (flags.json ? printJson(entryJson(entry)) : print(entryLine(entry)));
    if (missing.length === 0) return;
    process.stderr.write(`mneme: no such key: ${missing.map(printable).join(', ')}\n`);
    process.exitCode = 1;
  });
}

export async function listKeys(
  session: string,
  pattern: string | undefined,
  flags: ClientFlags & { readonly values?: boolean; readonly checkpoint?: string },
): Promise<void> {
  const { values = false, checkpoint } = flags;
  await withClient(flags, async (mneme) => {
    const wm = mneme.session(session);
    const query = {
      pattern,
      checkpointId: checkpoint,
    };
    if (!values && checkpoint === undefined) {
      return printEach(wm.listKeys(pattern), 'no keys', (key) => (flags.json ? printJson(key) : print(keyLine(key))));
    }
    await printEach(wm.getAll(query), 'no keys', (entry) =>
      flags.json ? printJson(entryJson(entry)) : print(values ? entryLine(entry) : keyLine(entry)),
    );
  });
}

export async function unsetKeys(session: string, keys: readonly string[], flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const wm = mneme.session(session);
    for (const key of keys) {
      const deleted = await wm.delete(key);
      if (flags.json) await printJson({ key, deleted });
      else await print(`${deleted ? 'deleted' : 'no such key:'} ${printable(key)}`);
    }
  });
}

export async function clearSession(session: string, flags: ClientFlags & { readonly all?: boolean }): Promise<void> {
  const { all = false } = flags;
  await withClient(flags, async (mneme) => {
    const cleared = await mneme.session(session).clear({ clearTaskState: all, clearScratchpad: all });
    if (flags.json) await printJson(cleared);
    else await print(`deleted ${counted(cleared.keyCount, 'key')} and ${counted(cleared.noteCount, 'note')}`);
  });
}

export async function showStats(session: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const stats = await mneme.session(session).getStatistics();
    if (flags.json) return printJson(stats);
    const { keyCount, valueBytes, noteCount, noteBytes, checkpointCount, checkpointBytes, revision } = stats;
    await print(`keys         ${keyCount} (${valueBytes} bytes)`);
    await print(`notes        ${noteCount} (${noteBytes} bytes, ${stats.droppedNoteCount} dropped)`);
    await print(`task state   ${stats.hasTaskState ? 'yes' : 'no'}`);
    await print(`checkpoints  ${checkpointCount} (${checkpointBytes} bytes)`);
    const { project, agentType, agent } = stats.scope;
    const owner = [project, agentType, agent].filter((part) => part !== undefined).join('/');
    if (owner !== '') await print(`scope        ${printable(owner)}`);
    if (stats.usingFallback) await print('served from  the data folder of the server: Redis is away');
    await print(`revision     ${revision}, ${stats.updateTime.toISOString()}`);
  });
}

export async function watchSession(
  session: string,
  pattern: string | undefined,
  flags: ClientFlags & { readonly values?: boolean; readonly after?: number; readonly limit?: number },
): Promise<void> {
  const { values = false, after, limit = Number.POSITIVE_INFINITY } = flags;
  await withClient(flags, async (mneme) => {
    const query = {
      includeValues: values,
      pattern,
      afterRevision: after,
    };
    let count = 0;
    for await (const event of mneme.session(session).watch(query)) {
      const { entry } = event;
      if (flags.json) await printJson({ ...event, ...(entry && { entry: entryJson(entry) }) });
      else await print(eventLine(event));
      count += 1;
      if (count >= limit) break;
    }
  });
}

function eventLine({ revision, kind, key, entry }: SessionEvent): string {
  const value = entry ? `  ${valueText(entry.value)}` : '';
  return `${paint('dim', String(revision))}  ${kind.replaceAll('_', ' ')}${key === '' ? '' : ` ${printable(key)}`}${value}`;
}

function keyLine(key: WorkingKey): string {
  return `${printable(key.key)}  ${paint('dim', `version ${key.version}, ${key.bytes} bytes${until(key)}`)}`;
}

function entryLine(entry: WorkingEntry): string {
  return `${printable(entry.key)}  ${valueText(entry.value)}`;
}

function until({ expireTime }: WorkingKey): string {
  return expireTime ? `, until ${expireTime.toISOString()}` : '';
}

function valueText({ mediaType, data }: Content): string {
  const isText = /^text\/|^application\/json/.test(mediaType);
  return isText ? printable(Buffer.from(data).toString()) : paint('dim', `${mediaType}, ${data.byteLength} bytes`);
}

/** Bytes that are no text are shown in base64. */
function entryJson({ value, ...key }: WorkingEntry): object {
  const { mediaType, data } = value;
  if (mediaType === 'application/json') return { ...key, mediaType, value: asWritten(value.text()) };
  if (mediaType.startsWith('text/')) return { ...key, mediaType, value: Buffer.from(data).toString() };
  return { ...key, mediaType, base64: Buffer.from(data).toString('base64') };
}

interface MakeFlags extends ClientFlags {
  readonly description?: string;
  readonly keepFor?: number;
}

export async function makeCheckpoint(session: string, id: string | undefined, flags: MakeFlags): Promise<void> {
  const { description, keepFor } = flags;
  await withClient(flags, async (mneme) => {
    const made = await mneme.session(session).createCheckpoint({
      checkpointId: id,
      description,
      ttlMs: keepFor,
    });
    await (flags.json ? printJson(made) : print(made.id));
  });
}

export async function listCheckpoints(session: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(mneme.session(session).listCheckpoints(), 'no checkpoints', (checkpoint) =>
      flags.json ? printJson(checkpoint) : print(checkpointLine(checkpoint)),
    );
  });
}

function checkpointLine({ id, description, createTime, keyCount, noteCount, bytes, expireTime }: Checkpoint): string {
  const kept = expireTime ? `, until ${expireTime.toISOString()}` : '';
  const facts = `${createTime.toISOString()}, ${counted(keyCount, 'key')}, ${counted(noteCount, 'note')}, ${bytes} bytes${kept}`;
  return `${id}  ${paint('dim', facts)}${description === '' ? '' : `  ${printable(description)}`}`;
}

export async function restoreCheckpoint(
  session: string,
  checkpoint: string,
  flags: ClientFlags & { readonly merge?: boolean },
): Promise<void> {
  await withClient(flags, async (mneme) => {
    const restored = await mneme
      .session(session)
      .restoreCheckpoint(checkpoint, { mode: flags.merge ? 'merge' : 'replace' });
    if (flags.json) return printJson(restored);
    const { restoredCount, removedCount, expiredCount } = restored;
    const expired = expiredCount > 0 ? `, ${expiredCount} had expired` : '';
    await print(`restored ${counted(restoredCount, 'key')}, removed ${removedCount}${expired}`);
  });
}

export async function forkCheckpoint(
  session: string,
  checkpoint: string,
  target: string,
  flags: ClientFlags,
): Promise<void> {
  await withClient(flags, async (mneme) => {
    const forked = await mneme.session(session).forkCheckpoint(checkpoint, target);
    if (flags.json) await printJson(forked);
    else
      await print(
        `${printable(target)} holds ${counted(forked.keyCount, 'key')} and ${counted(forked.noteCount, 'note')}`,
      );
  });
}

export async function compareCheckpoints(
  session: string,
  from: string,
  to: string | undefined,
  flags: ClientFlags & { readonly toSession?: string },
): Promise<void> {
  const { toSession } = flags;
  await withClient(flags, async (mneme) => {
    const query = { toCheckpointId: to, toSession };
    const diff = await mneme.session(session).diffCheckpoints(from, query);
    if (flags.json) await printJson(diff);
    else for (const line of diffLines(diff)) await print(line);
  });
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

function diffLines({ keys, equalCount, taskDiffers, addedNoteCount, removedNoteCount }: CheckpointDiff): string[] {
  const changes = keys.map(({ key, difference }) => `${SIGNS[difference]} ${printable(key)}`);
  const task = taskDiffers ? ['~ task state'] : [];
  const notes =
    addedNoteCount + removedNoteCount > 0 ? [`  notes: ${addedNoteCount} added, ${removedNoteCount} removed`] : [];
  return [...changes, ...task, ...notes, paint('dim', `  ${counted(equalCount, 'key')} unchanged`)];
}

export async function deleteCheckpoint(session: string, checkpoint: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await mneme.session(session).deleteCheckpoint(checkpoint);
    await (flags.json ? printJson({ deleted: checkpoint }) : print(`deleted ${checkpoint}`));
  });
}
