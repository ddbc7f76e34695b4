import { describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import type { Memory } from '../../../../src/memory/memory.ts';
import type { Resolution } from '../../../../src/memory/resolution/resolution.ts';
import { decodeEntry, encodeEntry } from '../../../../src/storage/redis/entry-codec.ts';
import type { Entry } from '../../../../src/storage/rules/draft.ts';

const NAMESPACE = 'n';
const LOW: Resolution = { abstractBytesMax: 20, compressionLevel: 3, vector: 'i8', vectorDimension: 0 };

function entryOf(text: string, rest: Partial<Memory> = {}, more: Partial<Entry> = {}): Entry {
  const memory: Memory = {
    namespace: NAMESPACE,
    id: 'a',
    scope: { project: '', agentType: '', agent: 'ädä', session: '' },
    type: 'fact',
    eventAtUs: 1_700_000_000_000_001,
    text,
    textDerived: false,
    tags: [],
    importance: 0.25,
    priority: 1,
    source: { speaker: '', uri: '', origin: '' },
    createdAtUs: 1_700_000_000_000_000,
    updatedAtUs: 1_700_000_000_000_003,
    retrievalCount: 2,
    tier: 'intermediate',
    checksum: checksumOf(text, rest.content),
    revision: 7,
    ...rest,
  };
  const times = { notBeforeUs: 0, tierSinceUs: 1_700_000_000_000_002 };
  return { memory, sequence: 5, state: 'there', attempts: 1, ...times, change: 'updated', past: [], ...more };
}

const embedding = { model: 'm', values: Float32Array.of(0.25, 1 / 3) };
const content = { mediaType: '', data: Buffer.from([0, 255, 1]) };
const step = { step: 3, expiresAtUs: 9, place: { location: 'attic', room: '', region: '', point: { x: 1, y: 2 } } };
const ENTRIES: readonly (readonly [string, Entry])[] = [
  ['the least there can be', entryOf('')],
  ['with all there can be', entryOf('Grüße', { ...step, content, embedding, tags: ['one'] })],
  ['as a lower tier keeps it', entryOf('The garden was green. Nobody knew why.', { content }, { resolution: LOW })],
  ['with a long body', entryOf('x'.repeat(9000), { embedding })],
];

/** Without the data that only Redis has. */
function read(strings: Parameters<typeof decodeEntry>[1], view: 'metadata' | 'basic' | 'full'): unknown {
  const { tail: _, isBodyBeside: __, embeddingModel: ___, ...entry } = decodeEntry(NAMESPACE, strings, view) ?? {};
  return entry;
}

describe.each(ENTRIES)('an entry %s', (_, entry) => {
  const strings = encodeEntry(entry);

  it('is read as it was written', () => {
    const { content: data, embedding: vector, text, ...metadata } = entry.memory;
    const basic = { ...metadata, text, ...(data && { content: data }) };
    expect(read(strings, 'full')).toEqual({ ...entry, memory: { ...basic, ...(vector && { embedding: vector }) } });
    expect(read(strings, 'basic')).toEqual({ ...entry, memory: basic });
    expect(read(strings, 'metadata')).toEqual({ ...entry, memory: { ...metadata, text: '' } });
  });

  it.each(['entry', 'body', 'vector'] as const)(
    'any bit of its %s turned over, or cut anywhere › is noticed',
    (name) => {
      const bytes = strings[name] ?? Buffer.alloc(0);
      for (let at = 0; at < bytes.length; at++) {
        const turned = Buffer.from(bytes);
        turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
        for (const other of [turned, bytes.subarray(0, at)]) {
          const found = decodeEntry(NAMESPACE, { ...strings, [name]: other }, 'full');
          expect(found === undefined || found.isDamaged).toBe(true);
          // The readable fields equal the stored ones.
          if (found) expect(found.memory).toMatchObject({ id: 'a', checksum: entry.memory.checksum, text: '' });
        }
      }
    },
  );

  it('its body or its vector is missing › is detected', () => {
    for (const name of ['body', 'vector'] as const) {
      if (strings[name])
        expect(decodeEntry(NAMESPACE, { ...strings, [name]: undefined }, 'full')?.isDamaged).toBe(true);
    }
  });

  it('moved without reading its vector › the vector stays, and its model is known', () => {
    const before = decodeEntry(NAMESPACE, strings, 'basic');
    if (!before) throw new Error('cannot be read');
    const after = {
      ...before,
      tierSinceUs: 1,
      resolution: LOW,
      memory: { ...before.memory, tier: 'long_term' as const },
    };
    const written = encodeEntry(after, before);
    expect(written.vector).toBeUndefined();
    const kept = { memory: { ...entry.memory, tier: 'long_term' }, tierSinceUs: 1, resolution: LOW };
    expect(read({ ...strings, ...written }, 'full')).toEqual({ ...entry, ...kept });
  });

  it('its fields changed › the bytes of the body stay, and a long body is not written again', () => {
    const before = decodeEntry(NAMESPACE, strings, 'full');
    if (!before) throw new Error('cannot be read');
    const after = { ...before, memory: { ...before.memory, retrievalCount: 3 } };
    const written = encodeEntry(after, before);
    expect([written.body, written.vector]).toEqual([undefined, undefined]);
    expect(read({ ...strings, ...written }, 'full')).toEqual({
      ...entry,
      memory: { ...entry.memory, retrievalCount: 3 },
    });
  });
});
