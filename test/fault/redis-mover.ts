import { expect } from '@jest/globals';
import { type Memory, type Mneme, MnemeError, type NewMemory } from '../../clients/typescript/src/index.ts';
import { TIERS } from '../../src/memory/memory.ts';
import type { TestRandom } from '../support/random.ts';

const LANES = 5;
const PER_LANE = 6;
const COUNT = LANES * PER_LANE;
type Tier = (typeof TIERS)[number];

/** Possible states of a memory: the acknowledged one, and those of calls without an answer. */
interface Expected {
  tiers: Set<Tier>;
  importances: Set<number>;
}

const idOf = (lane: number, at: number) => `m-${lane}-${at}`;

/** Moves and changes memories in several lanes, each with memories of its own; reports the expected states. */
export class RedisMover {
  acknowledged = 0;
  private readonly random: TestRandom;
  private readonly expected = new Map<string, Expected>();
  private isStopped = false;

  constructor(random: TestRandom) {
    this.random = random;
  }

  async begin(mneme: Mneme): Promise<void> {
    await mneme.batchStore(
      Array.from({ length: COUNT }, (_, at) => first(idOf(Math.floor(at / PER_LANE), at % PER_LANE))),
    );
    for (let lane = 0; lane < LANES; lane++) {
      for (let at = 0; at < PER_LANE; at++) {
        const id = idOf(lane, at);
        await mneme.update(id, second(id));
        this.expected.set(id, { tiers: new Set(['short_term']), importances: new Set([0.5]) });
      }
    }
  }

  /** Until `stop` or, where failures are not expected, until the first call without an answer. */
  async run(mneme: Mneme, goesOn: boolean): Promise<void> {
    this.isStopped = false;
    await Promise.all(Array.from({ length: LANES }, (_, lane) => this.lane(mneme, lane, goesOn)));
  }

  stop(): void {
    this.isStopped = true;
  }

  private async lane(mneme: Mneme, lane: number, goesOn: boolean): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.step(mneme, lane);
        this.acknowledged++;
      } catch (error) {
        if (!(error instanceof MnemeError) || error.code !== 'UNAVAILABLE') throw error;
        if (!goesOn) return;
      }
    }
  }

  private async step(mneme: Mneme, lane: number): Promise<void> {
    const { random } = this;
    const id = idOf(lane, random.int(PER_LANE));
    const expected = this.expected.get(id);
    if (!expected) throw new Error(`nothing is known of ${id}`);
    if (random.chance(0.2)) {
      const importance = random.int(1000) / 1000;
      expected.importances.add(importance);
      await mneme.update(id, { importance });
      expected.importances = new Set([importance]);
      return;
    }
    const to = random.pick(TIERS);
    // Its present owner is uncertain: one of the two calls does nothing.
    expected.tiers.add(to);
    if (to !== 'short_term') await mneme.demote([id], { toTier: to });
    if (to !== 'long_term') await mneme.promote([id], { toTier: to });
    expected.tiers = new Set([to]);
  }

  /** Expects every memory once, complete, as acknowledged. The observed state is the expected one from then on. */
  async check(mneme: Mneme, where: string): Promise<void> {
    const listed: Memory[] = [];
    for await (const memory of mneme.list({ view: 'full' })) listed.push(memory);
    const ids = listed.map(({ id }) => id).toSorted();
    expect([where, ids]).toEqual([where, [...this.expected.keys()].toSorted()]);
    const { memories } = await mneme.batchGet(ids, { view: 'full' });
    const read = new Map(memories.map((memory) => [memory.id, memory]));
    for (const one of listed) {
      const memory = read.get(one.id) as Memory;
      const expected = this.expected.get(one.id) as Expected;
      expect([where, memory]).toEqual([where, one]);
      const { text, content, embedding } = second(one.id);
      expect([where, one.id, memory.text, memory.content?.json()]).toEqual([where, one.id, text, content]);
      expect([where, one.id, [...(memory.embedding?.values ?? [])]]).toEqual([
        where,
        one.id,
        [...(embedding?.values ?? [])],
      ]);
      expect([where, one.id, [...expected.tiers]]).toEqual([where, one.id, expect.arrayContaining([memory.tier])]);
      expect([where, one.id, [...expected.importances]]).toEqual([
        where,
        one.id,
        expect.arrayContaining([memory.importance]),
      ]);
      const texts: unknown[] = [];
      for await (const state of mneme.listRevisions(one.id)) texts.push(state.memory.text);
      expect([where, one.id, texts.at(-1)]).toEqual([where, one.id, first(one.id).text]);
      expected.tiers = new Set([memory.tier]);
      expected.importances = new Set([memory.importance]);
    }
  }
}

function first(id: string): NewMemory {
  return { id, text: `the first text of ${id}`, embedding: { model: 'm', values: valuesOf(id) } };
}

/** Longer than its abstract in the lower tiers. */
function second(id: string): NewMemory {
  const text = `${id} begins here. ${`A sentence of ${id} with words enough to be left out below. `.repeat(120)}`;
  const content = { id, list: Array.from({ length: 50 }, (_, at) => `${id} ${at}`) };
  return { text, content, embedding: { model: 'm', values: valuesOf(id) } };
}

function valuesOf(id: string): Float32Array {
  return Float32Array.from({ length: 16 }, (_, at) => Math.fround(Math.sin(at + id.charCodeAt(2) * id.charCodeAt(4))));
}
