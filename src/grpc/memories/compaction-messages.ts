import type { Compaction as CompactionMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { CompactionRecord } from '../../memory/resolution/compaction.ts';
import type { MemoryInput } from './memory-fields.ts';

const CHECKSUM = /^[0-9a-f]{64}$/;
const KEYS_MAX = 1000;
const KEY_BYTES = 512;
const DECIMALS_MAX = 12;

export function compactionMessage(record: CompactionRecord): CompactionMessage {
  const { checksum, contentBytes, droppedKeys, decimals } = record;
  return { checksum, contentBytes, droppedKeys: [...droppedKeys], decimals };
}

/** What an imported memory had lost for good. */
export function compactionOf({ checks, field, memory }: MemoryInput): CompactionRecord | undefined {
  const { compaction } = memory;
  if (!compaction) return undefined;
  const at = `${field}.compaction`;
  const { contentBytes, droppedKeys, decimals } = compaction;
  if (droppedKeys.length > KEYS_MAX) {
    checks.add(`${at}.dropped_keys`, `must be at most ${KEYS_MAX} keys, got ${droppedKeys.length}`);
  }
  if (!memory.content) checks.add(at, 'must be absent from a memory without content');
  return {
    checksum: checks.matching(`${at}.checksum`, compaction.checksum, CHECKSUM, '64 of [0-9a-f]'),
    contentBytes: checks.within(`${at}.content_bytes`, contentBytes, 0, MEMORY_LIMITS.contentBytes),
    droppedKeys: droppedKeys
      .slice(0, KEYS_MAX)
      .map((key, index) => checks.text(`${at}.dropped_keys[${index}]`, key, KEY_BYTES, { plain: true })),
    ...(decimals === undefined ? {} : { decimals: checks.within(`${at}.decimals`, decimals, 0, DECIMALS_MAX) }),
  };
}
