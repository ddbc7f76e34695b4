import { isSound } from '../../memory/checksum.ts';
import { isDamage, memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import type { Memory } from '../../memory/memory.ts';
import type { PastState } from '../memory-store.ts';
import type { RedisReply } from './connection.ts';

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

/** In place of a state whose bytes are damaged: what the one behind it tells of the memory, at the revision before. */
export function decodePastOrRest(namespace: string, later: Memory, json: RedisReply): PastState {
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
