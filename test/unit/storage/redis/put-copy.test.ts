import { describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import type { Memory } from '../../../../src/memory/memory.ts';
import { decodeEntry, encodeEntry } from '../../../../src/storage/redis/entry-codec.ts';
import { putUnchanged } from '../../../../src/storage/redis/keyspace-writer.ts';
import type { Entry } from '../../../../src/storage/rules/draft.ts';
import { newMemory } from '../../../support/new-memory.ts';

const VALUES = Float32Array.of(0.5, -1 / 3);
const TAIL_BYTES = 5;
const memory: Memory = {
  ...newMemory({ id: 'a', text: 'The garden was green.' }),
  namespace: 'n',
  textDerived: false,
  createdAtUs: 1_700_000_000_000_000,
  updatedAtUs: 1_700_000_000_000_000,
  retrievalCount: 0,
  tier: 'short_term',
  checksum: checksumOf('The garden was green.'),
  revision: 7,
  embedding: { model: 'm', values: VALUES },
};
const stored: Entry = {
  memory,
  sequence: 5,
  state: 'there',
  attempts: 0,
  notBeforeUs: 0,
  tierSinceUs: 9,
  change: 'stored',
  past: [],
};

/** What is in the place of the entry, as it is read for its sums, when the other store has what is given. */
function put(entry: Entry, other: Memory): Memory | undefined {
  const { entry: bytes, vector } = encodeEntry(entry);
  const read = decodeEntry('n', { entry: bytes, vector: vector?.subarray(-TAIL_BYTES) }, 'sums');
  const entries = new Map<string, Entry>(read ? [['a', read]] : []);
  putUnchanged(entries, other);
  return entries.get('a')?.memory;
}

const { embedding: _, ...withoutVector } = memory;
const copy = (rest: Partial<Memory>): Memory => ({ ...memory, ...rest });

describe('a copy in another store', () => {
  it('is equal › replaces the entry', () => {
    const same = copy({ embedding: { model: 'm', values: Float32Array.from(VALUES) } });
    expect(put(stored, same)).toBe(same);
    const plain = { ...stored, state: 'none', memory: withoutVector } as const;
    expect(put(plain, { ...withoutVector })).toEqual(withoutVector);
  });

  it.each<[string, Memory]>([
    ['of another revision', copy({ revision: 8 })],
    ['of another text', copy({ text: 'x', checksum: checksumOf('x') })],
    ['of another tier', copy({ tier: 'intermediate' })],
    ['read more often', copy({ retrievalCount: 1 })],
    ['with another vector', copy({ embedding: { model: 'm', values: Float32Array.of(0.5, 0.5) } })],
    ['with a vector of another model', copy({ embedding: { model: 'o', values: VALUES } })],
    ['without the vector', withoutVector],
    ['with content', copy({ content: { mediaType: '', data: Buffer.from('c') } })],
  ])('is %s › does not', (_name, other) => {
    expect(put(stored, other)).not.toBe(other);
  });

  it('the vector is missing where there was one › does not', () => {
    expect(put({ ...stored, memory: withoutVector }, memory)).not.toBe(memory);
  });

  it.each<[string, Partial<Entry>]>([
    ['was updated', { change: 'updated' }],
    ['waits for a vector', { state: 'pending' }],
  ])(
    'is the same, and the memory %s › does not: its former states, or what it waits for, are not there',
    (_name, rest) => {
      expect(put({ ...stored, ...rest }, memory)).not.toBe(memory);
    },
  );
});
