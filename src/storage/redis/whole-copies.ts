import { isSound } from '../../memory/checksum.ts';
import { isDamage, memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import type { Memory } from '../../memory/memory.ts';
import { embeddingStateOf } from '../embedding-state.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { PastState } from '../memory-store.ts';
import { type Entry, mirroredOf } from '../rules/draft.ts';
import type { RedisReply } from './connection.ts';
import { numberOf } from './keys.ts';
import type { KeyspaceReader } from './keyspace-reader.ts';

const STATES_AT_ONCE = 200;

/** Complete copies, with former states, of the existing memories among the ids. */
export async function copiesOf(reader: KeyspaceReader, ids: readonly string[]): Promise<MirroredMemory[]> {
  if (ids.length === 0) return [];
  const { entries } = await reader.loadLost(ids);
  return Promise.all([...entries.values()].map((entry) => copyOf(reader, entry)));
}

async function copyOf(reader: KeyspaceReader, entry: Entry): Promise<MirroredMemory> {
  // A memory that was never changed has no former states.
  const past = entry.change === 'stored' ? [] : await pastOf(reader, entry);
  const sound = past.filter(({ isDamaged }) => !isDamaged);
  return { ...mirroredOf(entry, sound), damagedStateCount: past.length - sound.length };
}

/** Former states of a memory, newest first. */
export async function pastOf(
  { connection, keyspace, name }: KeyspaceReader,
  { memory, sequence }: Pick<Entry, 'memory' | 'sequence'>,
): Promise<PastState[]> {
  const key = `${keyspace}:h:${numberOf(sequence)}`;
  const past: PastState[] = [];
  for (;;) {
    const args = ['LRANGE', key, `${past.length}`, `${past.length + STATES_AT_ONCE - 1}`];
    const states = (await connection.send(key, args)) as readonly RedisReply[];
    for (const json of states) past.push(decodePastOrRest(name, past.at(-1)?.memory ?? memory, json));
    if (states.length < STATES_AT_ONCE) return past;
  }
}

type FormerState = {
  readonly memory: Omit<Memory, 'namespace' | 'content' | 'embedding'>;
  readonly change: PastState['change'];
} & {
  readonly content?: { readonly mediaType: string; readonly data: string };
};

export function encodePast({ memory, change }: PastState): string {
  const { namespace: _, embedding: __, content, ...rest } = memory;
  const state: FormerState = {
    memory: rest,
    change,
    ...(content && { content: { mediaType: content.mediaType, data: base64(content.data) } }),
  };
  return checkedJson(state);
}

/** Fails with CHECKSUM_MISMATCH, naming the memory. */
function decodePast(namespace: string, id: string, json: RedisReply): PastState {
  const { memory, change, content } = readingBytesOf(namespace, id, () => readCheckedJson(String(json))) as FormerState;
  const bytes = content && { mediaType: content.mediaType, data: Buffer.from(content.data, 'base64') };
  const state = { memory: { ...memory, namespace, ...(bytes && { content: bytes }) }, change };
  if (!isSound(state.memory)) throw memoryDamaged(namespace, id);
  return state;
}

/** Placeholder for a state with damaged bytes: the metadata of the next state, at the revision before it. */
function decodePastOrRest(namespace: string, later: Memory, json: RedisReply): PastState {
  try {
    return decodePast(namespace, later.id, json);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { content: _, embedding: __, ...rest } = later;
    return { memory: { ...rest, text: '', revision: later.revision - 1 }, change: 'updated', isDamaged: true };
  }
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** A copy as an entry of a keyspace, with its original revision, times, counts and former states. */
export function entryOfCopy(copy: MirroredMemory, sequence: number): Entry {
  const { memory, embeddingPending, notBeforeUs, tierSinceUs, past, resolution } = copy;
  return {
    memory,
    sequence,
    state: embeddingStateOf(memory.embedding, embeddingPending),
    attempts: 0,
    notBeforeUs,
    tierSinceUs,
    change: past.length > 0 ? 'updated' : 'stored',
    past,
    ...(resolution && { resolution }),
  };
}
