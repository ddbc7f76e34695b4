import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Body, BodyStore } from '../../../src/storage/body-store.ts';

export interface BodiesOfTest {
  readonly bodies: BodyStore;
  close(): Promise<void>;
}

function bytesOf(body: Body | undefined): Uint8Array {
  return body?.content?.data ?? new Uint8Array();
}

/** Contract of a store of bodies. */
export function bodyStoreSuite({ name, create }: { readonly name: string; create(): Promise<BodiesOfTest> }): void {
  describe(`bodies (${name})`, () => {
    let bodies: BodyStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ bodies, close } = await create());
    });
    afterEach(() => close());

    const all = async (): Promise<string[]> => {
      const found = new Set<string>();
      for await (const keys of bodies.keys()) for (const key of keys) found.add(key);
      return [...found].sort();
    };
    const content = (mediaType: string, data: string | Buffer) => ({ mediaType, data: Buffer.from(data) });

    it.each<readonly [string, Body]>([
      ['a text', { text: 'the red house' }],
      ['an empty text', { text: '' }],
      ['signs of several bytes, line ends and a zero', { text: 'süß 東京 🦊\r\n\u0000 end' }],
      ['a content', { text: 'x', content: content('application/json', '{"a":1}') }],
      ['an empty content', { text: 'x', content: content('text/plain', '') }],
      [
        'any bytes',
        { text: '', content: content('image/png', Buffer.from(Array.from({ length: 256 }, (_, at) => at))) },
      ],
      ['a megabyte', { text: 'word '.repeat(200_000), content: content('a/b', Buffer.alloc(1_000_000, 7)) }],
    ])('%s › the same again', async (_, body) => {
      const key = randomUUID();
      await bodies.put([{ key, body }]);
      const [found] = await bodies.get([key]);
      expect(found?.text).toBe(body.text);
      expect(found?.content?.mediaType).toBe(body.content?.mediaType);
      // Compared by Buffer: Jest takes seconds for a megabyte.
      expect(Buffer.compare(bytesOf(found), bytesOf(body))).toBe(0);
    });

    it('many at once › each under its key, in the order that is asked for; nothing where there is none', async () => {
      const keys = Array.from({ length: 600 }, () => randomUUID());
      await bodies.put(keys.map((key, at) => ({ key, body: { text: `text ${at}` } })));
      const found = await bodies.get([...keys.toReversed(), 'missing']);
      expect(found.map((body) => body?.text)).toEqual([...keys.map((_, at) => `text ${at}`).toReversed(), undefined]);
      expect(await all()).toEqual(keys.toSorted());
    });

    it('erased › gone, the others stay; once more, or a missing one › no failure', async () => {
      await bodies.put(['a', 'b', 'c'].map((key) => ({ key, body: { text: key } })));
      await bodies.erase(['a', 'c', 'missing']);
      await bodies.erase(['a']);
      expect((await bodies.get(['a', 'b', 'c'])).map((body) => body?.text)).toEqual([undefined, 'b', undefined]);
      expect(await all()).toEqual(['b']);
    });

    it('missing › the keys without a body, in their order', async () => {
      await bodies.put(['a', 'b'].map((key) => ({ key, body: { text: '' } })));
      expect(await bodies.missing(['gone', 'a', 'b', 'never there'])).toEqual(['gone', 'never there']);
    });

    it('no key › no answer', async () => {
      await bodies.put([]);
      expect(await bodies.missing([])).toEqual([]);
      await bodies.erase([]);
      expect(await bodies.get([])).toEqual([]);
      expect(await all()).toEqual([]);
    });

    it('describes itself', () => {
      expect(bodies.describe()).toEqual({
        technology: expect.stringMatching(/./),
        durability: expect.stringMatching(/./),
      });
    });
  });
}
