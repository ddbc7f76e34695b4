import { expect, it } from '@jest/globals';
import { seesAccess } from '../../../src/search/presets/sees-access.ts';
import { spansOf } from '../../../src/search/presets/temporal.ts';
import { planOf } from './resolve.ts';

it('a preset › sees when memories were read where its order, its paths or its filter look at that, in any part of it', () => {
  const byAccess = { sort_by: ['importance', 'recency'] };
  const combined = (parameters: object) =>
    planOf('combined', { strategies: { importance: { parameters }, window: {} } });
  expect(seesAccess(planOf('importance', byAccess))).toBe(true);
  expect(seesAccess(planOf('window', { timestamp_field: 'metadata.last_access_time' }))).toBe(true);
  expect(seesAccess(combined(byAccess))).toBe(true);
  for (const plan of [planOf('importance'), planOf('window'), combined({})]) expect(seesAccess(plan)).toBe(false);
});

it('a preset › has the length of each window that ends now, and none of explicit windows or those of the content', () => {
  const HOUR_US = 3_600_000_000;
  expect(spansOf(planOf('window', { last_hours: 2 }))).toEqual([2 * HOUR_US]);
  expect(spansOf(planOf('window'))).toEqual([HOUR_US / 2]);
  expect(spansOf(planOf('window', { start_time: '2024-01-01', end_time: '2024-02-01' }))).toEqual([]);
  expect(spansOf(planOf('window', { last_hours: 2, timestamp_field: 'when' }))).toEqual([]);
  expect(spansOf(planOf('importance'))).toEqual([]);
});
