import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import type { KeptTexts } from '../../../src/search/recall/kept-texts.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';

const { table, tokenizer } = new StaticTexts().load();
const newTexts = () => new NamespaceTexts(new RankedMemories(table, tokenizer));
const WORDS = 'garden gardens painting paint the of Mail naïve 東京 x1 running run 2023 May lake boat tea'.split(' ');
/** More than are taken over in one step. */
const COUNT = 9000;
const ADDED = 50;

function columnsOf(end: number): NamespaceColumns {
  const columns = new NamespaceColumns();
  for (let sequence = 1; sequence < end; sequence++) {
    const moment = { eventAtUs: 1e15 + sequence * 1e9, expiresAtUs: Number.POSITIVE_INFINITY };
    columns.put(sequence, {
      ...moment,
      key: sequence,
      session: '',
      speaker: 'Ann',
      importance: 0.5,
      superseded: false,
    });
  }
  return columns;
}

/** Short texts, an empty one now and then, and long ones in passages. */
function putRandom(texts: NamespaceTexts, sequence: number, random: TestRandom, columns: NamespaceColumns): void {
  putText(texts, sequence, randomText(random), columns);
}

function randomText(random: TestRandom): string {
  const length = random.int(500) === 0 ? 900 : random.int(12);
  return Array.from({ length }, () => random.pick(WORDS)).join(' ');
}

function putText(texts: NamespaceTexts, sequence: number, text: string, columns: NamespaceColumns): void {
  for (const span of texts.put(sequence, { text, whole: text }, columns)) {
    texts.addPassage(sequence, text, span, columns);
  }
}

/** The parts that `toKeep` gives as one, as a file has them; `between` is called after each. */
function keptOf(texts: NamespaceTexts, end: number, between = () => {}): KeptTexts {
  const parts: KeptTexts[] = [];
  for (const part of texts.toKeep(end)) {
    parts.push(part);
    between();
  }
  const [first] = parts;
  if (!first) throw new Error('no part');
  const names = Object.keys(first) as (keyof KeptTexts)[];
  const joined = names.map((name) => {
    const values = parts.flatMap((part) => [...part[name]]);
    const Kind = first[name].constructor as new (of: number[]) => KeptTexts[typeof name];
    return [name, name === 'words' ? Uint8Array.from(values) : new Kind(values)] as const;
  });
  return Object.fromEntries(joined) as unknown as KeptTexts;
}

function adopted(kept: KeptTexts): NamespaceTexts {
  const texts = newTexts();
  for (const _ of texts.adopt(kept));
  return texts;
}

/** Slots are numbered anew when texts are taken over: a passage is named by its memory and its place. */
function passageName({ passages }: NamespaceTexts, slot: number): string {
  return `${passages.ownerOf(slot)} ${passages.spanOf(slot).from}`;
}

/** Everything that a question reads. */
function contentsOf(texts: NamespaceTexts, end: number) {
  const asked = tokenizer.encode('paint the garden');
  const keywords = texts.keywords({ meanLength: () => 7 }, 0);
  const matches: unknown[] = [];
  for (const term of ['paint', 'garden', 'lake', 'ann', 'absent']) {
    keywords.matches(0, term, 0, (key, saturation) => matches.push([term, key, saturation]));
    const passages: unknown[] = [];
    keywords.passages?.matches(term, (slot, saturation) => passages.push([passageName(texts, slot), saturation]));
    matches.push(passages.sort());
  }
  const unit = new StaticTexts().vectorOf('boats on the lake') as Float32Array;
  return {
    matches,
    tokens: [...asked].map((token) => [
      texts.ranked.tokens.having(token),
      Array.from(texts.passages.ranked.tokens.having(token), (slot) => passageName(texts, slot)).sort(),
    ]),
    rows: Array.from({ length: end }, (_, at) => texts.ranked.tokens.has(at) && rowOf(texts, at)),
    near: Array.from({ length: end }, (_, at) => {
      const { slot: _slot, ...near } = texts.nearness(at, unit);
      return near;
    }),
    nearest: texts.ranked.vectors.nearest(unit, 20),
    counts: [texts.ranked.tokenCount, texts.passages.size, texts.passages.memoryCount],
    kept: Object.entries(keptOf(texts, end)).map(([part, array]) => [part, hash('sha256', bytesOf(array))]),
  };
}

function rowOf({ ranked }: NamespaceTexts, at: number): number[] {
  return [ranked.traitsOf(at), ranked.weightOf(at)];
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Short enough to be compared and printed. */
function digestsOf(texts: NamespaceTexts, end: number) {
  return Object.entries(contentsOf(texts, end)).map(([name, content]) => [
    name,
    hash('sha256', JSON.stringify(content)),
  ]);
}

describe('kept texts that are taken over', () => {
  const random = seededRandom('adopted texts');
  const end = COUNT + ADDED + 1;
  const columns = columnsOf(end);
  const read = newTexts();
  for (let sequence = 1; sequence <= COUNT; sequence++) putRandom(read, sequence, random, columns);
  for (let removed = 0; removed < 200; removed++) read.remove(1 + random.int(COUNT));
  const taken = adopted(keptOf(read, COUNT + 1));

  it('are the same as texts that were read', () => {
    expect(digestsOf(taken, COUNT + 1)).toEqual(digestsOf(read, COUNT + 1));
  });

  it('change as these do', () => {
    const seed = String(random.int(1e9));
    for (const texts of [read, taken]) {
      const changes = seededRandom('changes of adopted texts', seed);
      for (let change = 0; change < 300; change++) {
        const sequence = 1 + changes.int(COUNT);
        if (changes.int(3) === 0) texts.remove(sequence);
        else putRandom(texts, sequence, changes, columns);
      }
      for (let sequence = COUNT + 1; sequence < end; sequence++) putRandom(texts, sequence, changes, columns);
    }

    expect(digestsOf(taken, end)).toEqual(digestsOf(read, end));
  });

  it('changed while they are kept › with the changes applied again, they are as the texts are now', () => {
    const changed = new Map<number, string | undefined>();
    const change = (texts: NamespaceTexts, sequence: number, text: string | undefined) => {
      if (text === undefined) texts.remove(sequence);
      else putText(texts, sequence, text, columns);
    };
    const kept = keptOf(read, end, () => {
      for (let count = 0; count < 40; count++) {
        const sequence = 1 + random.int(COUNT);
        const text = random.int(3) === 0 ? undefined : randomText(random);
        change(read, sequence, text);
        changed.set(sequence, text);
      }
    });
    const again = adopted(kept);
    for (const [sequence, text] of changed) change(again, sequence, text);
    expect(changed.size).toBeGreaterThan(150);
    expect(digestsOf(again, end)).toEqual(digestsOf(read, end));
  });

  it('may be none', () => {
    expect(adopted(keptOf(newTexts(), 1)).ranked.tokens.size).toBe(0);
  });
});
