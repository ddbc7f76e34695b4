import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_IMPORTANCE_SETTINGS,
  demotionScore,
  type ImportanceSettings,
  type ImportanceTraits,
  importanceOf,
  rewardOf,
  surpriseOf,
} from '../../src/memory/tier-policy.ts';
import { seededRandom } from '../support/random.ts';

const NOW_US = 1_800_000_000_000_000;
const DAY_US = 86_400_000_000;
const NOW = { nowUs: NOW_US };

/** Traits without value: no reward, never read, very old, importance 0. */
const traits = (more: Partial<ImportanceTraits> = {}): ImportanceTraits => ({
  importance: 0,
  priority: 1,
  retrievalCount: 0,
  createdAtUs: NOW_US - 1e6 * DAY_US,
  ...more,
});
const undecayed: ImportanceSettings = {
  ...DEFAULT_IMPORTANCE_SETTINGS,
  decay: { factor: 1, per: 'time', interval: DAY_US },
};
const importance = (
  more: Partial<ImportanceTraits>,
  settings = undecayed,
  now: { nowUs: number; step?: number } = NOW,
) => importanceOf(traits(more), settings, now);

describe('importanceOf', () => {
  it('no valuable traits › 0', () => {
    expect(importance({})).toBe(0);
  });

  it('reward › 0.4 of it at its maximum, whatever its sign, proportionally less below, capped above', () => {
    expect(importance({ reward: 10 })).toBeCloseTo(0.4, 12);
    expect(importance({ reward: -10 })).toBeCloseTo(0.4, 12);
    expect(importance({ reward: 5 })).toBeCloseTo(0.2, 12);
    expect(importance({ reward: 1e9 })).toBeCloseTo(0.4, 12);
    expect(importance({ reward: 5 }, { ...undecayed, rewardMax: 5 })).toBeCloseTo(0.4, 12);
  });

  it('retrievals › 0.3 of it from five on, proportionally less below', () => {
    expect(importance({ retrievalCount: 5 })).toBeCloseTo(0.3, 12);
    expect(importance({ retrievalCount: 1 })).toBeCloseTo(0.06, 12);
    expect(importance({ retrievalCount: 500 })).toBeCloseTo(0.3, 12);
    expect(importance({ retrievalCount: 5 }, { ...undecayed, retrievalMax: 10 })).toBeCloseTo(0.15, 12);
  });

  it('recency › 0.2 of it now, 1/e of that after a day; an access resets it; a future time counts as now', () => {
    expect(importance({ createdAtUs: NOW_US })).toBeCloseTo(0.2, 12);
    expect(importance({ createdAtUs: NOW_US - DAY_US })).toBeCloseTo(0.2 / Math.E, 12);
    expect(importance({ lastAccessedAtUs: NOW_US })).toBeCloseTo(0.2, 12);
    expect(importance({ createdAtUs: NOW_US + DAY_US })).toBeCloseTo(0.2, 12);
    expect(importance({ createdAtUs: NOW_US - DAY_US }, { ...undecayed, recencyUs: 2 * DAY_US })).toBeCloseTo(
      0.2 * Math.exp(-0.5),
      12,
    );
  });

  it('surprise › 0.1 of it in full', () => {
    expect(importance({ surprise: 1 })).toBeCloseTo(0.1, 12);
    expect(importance({ surprise: 0.5 })).toBeCloseTo(0.05, 12);
  });

  it('weights › count by their share of the sum; all zero leaves the stated importance', () => {
    const settings = { ...undecayed, rewardWeight: 3, retrievalWeight: 0, recencyWeight: 1, surpriseWeight: 0 };
    expect(importance({ reward: 10 }, settings)).toBeCloseTo(0.75, 12);
    expect(importance({ importance: 0.3, reward: 10 }, { ...settings, rewardWeight: 0, recencyWeight: 0 })).toBeCloseTo(
      0.3,
    );
  });

  it("the caller's importance › fills the remainder of the formula", () => {
    expect(importance({ importance: 0.5 })).toBeCloseTo(0.5, 12);
    expect(importance({ importance: 0.5, reward: 10 })).toBeCloseTo(0.7, 12);
    expect(importance({ importance: 1 })).toBe(1);
  });

  it('priority › multiplies it', () => {
    expect(importance({ importance: 0.8, priority: 0.5 })).toBeCloseTo(0.4, 12);
    expect(importance({ importance: 1, priority: 0 })).toBe(0);
  });

  it('decay per time › one factor for each interval of age, accesses or not', () => {
    const settings: ImportanceSettings = { ...undecayed, decay: { factor: 0.5, per: 'time', interval: DAY_US } };
    const aged = { importance: 1, createdAtUs: NOW_US - 2 * DAY_US, lastAccessedAtUs: NOW_US };
    expect(importance(aged, settings)).toBeCloseTo(0.25, 12);
    expect(importance({ importance: 1, createdAtUs: NOW_US + DAY_US }, settings)).toBe(1);
  });

  it('decay per step › by the steps since; none where the memory or the agent counts no steps', () => {
    const settings: ImportanceSettings = { ...undecayed, decay: { factor: 0.5, per: 'step', interval: 100 } };
    expect(importance({ importance: 1, step: 100 }, settings, { nowUs: NOW_US, step: 400 })).toBeCloseTo(0.125, 12);
    expect(importance({ importance: 1 }, settings, { nowUs: NOW_US, step: 400 })).toBe(1);
    expect(importance({ importance: 1, step: 100 }, settings)).toBe(1);
    expect(importance({ importance: 1, step: 500 }, settings, { nowUs: NOW_US, step: 400 })).toBe(1);
  });

  it('any traits and settings › from 0 to 1', () => {
    const random = seededRandom('importance');
    for (let i = 0; i < 2000; i++) {
      const value = importanceOf(
        {
          importance: random.next(),
          priority: random.next(),
          retrievalCount: random.int(100),
          createdAtUs: NOW_US + (random.next() - 0.9) * 1000 * DAY_US,
          step: random.int(1000),
          reward: (random.next() - 0.5) * 100,
          surprise: random.next(),
        },
        { ...DEFAULT_IMPORTANCE_SETTINGS, rewardWeight: random.int(4), recencyWeight: random.int(4) },
        { nowUs: NOW_US, step: random.int(1000) },
      );
      expect(value >= 0 && value <= 1).toBe(true);
    }
  });
});

describe('demotionScore', () => {
  const HOUR_US = 3_600_000_000;
  const score = (more: Partial<ImportanceTraits & { tierSinceUs: number }>, ttlUs?: number) =>
    demotionScore({ ...traits(more), tierSinceUs: more.tierSinceUs ?? NOW_US - HOUR_US }, undecayed, {
      nowUs: NOW_US,
      ttlUs,
    });

  it('age factor × (1 − importance) › age as a share of the time to live, at most all of it', () => {
    expect(score({ importance: 0.25 }, 2 * HOUR_US)).toBeCloseTo(0.375, 12);
    expect(score({ importance: 0.25 }, HOUR_US / 4)).toBeCloseTo(0.75, 12);
    expect(score({ importance: 1 }, HOUR_US)).toBe(0);
  });

  it('read in focus a moment ago › as if it had just come', () => {
    expect(score({ lastAccessedAtUs: NOW_US }, HOUR_US)).toBe(0);
  });

  it('no time to live › an hour counts in full', () => {
    expect(score({ tierSinceUs: NOW_US - HOUR_US / 2 })).toBeCloseTo(0.5, 12);
    expect(score({ tierSinceUs: NOW_US - 9 * HOUR_US })).toBe(1);
  });

  it('two of one age › the one of lower priority moves first', () => {
    expect(score({ importance: 0.5, priority: 0.2 }, HOUR_US)).toBeGreaterThan(score({ importance: 0.5 }, HOUR_US));
  });
});

describe('rewardOf, surpriseOf', () => {
  const json = (value: unknown) => ({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) });

  it('numbers at the top or in metadata › used; the top wins', () => {
    expect(rewardOf(json({ reward: -2.5, metadata: { reward: 9 } }))).toBe(-2.5);
    expect(rewardOf(json({ metadata: { reward: 9 } }))).toBe(9);
    expect(surpriseOf(json({ surprise: 0.25 }))).toBe(0.25);
    expect(surpriseOf(json({ metadata: { surprise_factor: 0.75 } }))).toBe(0.75);
    expect(surpriseOf(json({ surprise: 7 }))).toBe(1);
  });

  it('any other value › 0', () => {
    const contents = [undefined, json(3), json(null), json([{ reward: 1 }]), json({ reward: '5' }), json({})];
    for (const content of contents) expect([rewardOf(content), surpriseOf(content)]).toEqual([0, 0]);
    expect(rewardOf({ mediaType: 'application/json', data: Buffer.from('{') })).toBe(0);
    expect(rewardOf({ mediaType: 'text/plain', data: Buffer.from('{"reward":1}') })).toBe(0);
  });
});
