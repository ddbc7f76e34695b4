import { describe, expect, it } from '@jest/globals';
import { faultsOf, foundBy, NOW_US, stored } from './resolve.ts';

const HOUR_US = 3_600_000_000;
const ago = (hours: number) => NOW_US - hours * HOUR_US;

const memories = [
  stored('now', { eventAtUs: ago(0), step: 10 }),
  stored('hour', { eventAtUs: ago(1), step: 20, json: { at: '2024-07-01T00:00:00Z' } }),
  stored('day', { eventAtUs: ago(24), step: 30, json: { at: 1_719_792_000 } }),
  stored('week', { eventAtUs: ago(168) }),
];

describe('window', () => {
  it('leaves its relative start out and its end in, newest first', () => {
    expect(foundBy('window', { last_hours: 24 }, memories)).toEqual(['now', 'hour']);
    expect(foundBy('window', { last_days: 7 }, memories)).toEqual(['now', 'hour', 'day']);
  });

  it('defaults to the last 30 minutes', () => {
    expect(foundBy('window', {}, memories)).toEqual(['now']);
  });

  it('includes both explicit ends, whatever their time zone', () => {
    const window = { start_time: '2024-07-17T15:30:00+02:00', end_time: '2024-07-17T14:30:00Z' };
    expect(foundBy('window', window, memories)).toEqual(['now', 'hour']);
  });

  it('uses a time inside the content, a text or a number', () => {
    const window = { start_time: '2024-06-30', end_time: '2024-07-01', timestamp_field: 'content.at' };
    expect(foundBy('window', window, memories).sort()).toEqual(['day', 'hour']);
  });

  it('does not confuse the time of an entry with one that its content lacks', () => {
    const at = '2024-07-17T14:00:00Z';
    const entries = [
      stored('with', { json: { memory_id: 'with', content: { metadata: { timestamp: at } }, metadata: {} } }),
      stored('without', { json: { memory_id: 'without', content: {}, metadata: { timestamp: at } } }),
    ];
    const window = { last_hours: 1, timestamp_field: 'content.metadata.timestamp' };
    expect(foundBy('window', window, entries)).toEqual(['with']);
    const path = { path: 'content.metadata.timestamp', exists: true };
    expect(foundBy('path', path, entries)).toEqual(['with']);
  });

  it.each([
    [{ last_hours: 0 }, ['last_hours']],
    [{ last_days: -1 }, ['last_days']],
    [{ last_hours: 1, last_days: 1 }, ['last_days']],
    [{ last_hours: 1, start_time: '2024-07-17', end_time: '2024-07-18' }, ['last_hours']],
    [{ start_time: '2024-07-17' }, ['end_time']],
    [{ start_time: '2024-07-18', end_time: '2024-07-17' }, ['start_time']],
    [{ start_time: '2024/07/17 12:00:00', end_time: '2024-02-31' }, ['start_time', 'end_time']],
  ])('refuses %j', (parameters, fields) => {
    expect(faultsOf('window', parameters)).toEqual(fields.map((field) => `preset.parameters.${field}`));
  });
});

describe('step_based', () => {
  it('looks around a step, nearest first', () => {
    expect(foundBy('step_based', { reference_step: '21', step_range: 10 }, memories)).toEqual(['hour', 'day']);
  });

  it('returns a range lowest step first, both ends included', () => {
    expect(foundBy('step_based', { start_step: 10, end_step: 20 }, memories)).toEqual(['now', 'hour']);
    expect(foundBy('step_based', { start_step: 20, end_step: 10 }, memories)).toEqual([]);
    expect(foundBy('step_based', { start_step: -9, end_step: -1 }, memories)).toEqual([]);
  });

  it('accepts texts that are whole numbers', () => {
    expect(foundBy('step_based', { start_step: '10', end_step: ' 20' }, memories)).toEqual(['now', 'hour']);
    expect(foundBy('step_based', { reference_step: '10', step_range: '10' }, memories)).toEqual(['now', 'hour']);
  });

  it.each([
    [{}, 'reference_step'],
    [{ reference_step: 'soon' }, 'reference_step'],
    [{ reference_step: 1, step_weight: 0 }, 'step_weight'],
    [{ start_step: 1.5 }, 'start_step'],
    [{ end_step: '1.5' }, 'end_step'],
    [{ reference_step: 1, step_range: '-1' }, 'step_range'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('step_based', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('temporal', () => {
  it('looks from 7 days before an instant to 1 day after it, nearest first', () => {
    const timestamp = ago(25) / 1e6;
    const older = [...memories, stored('old', { eventAtUs: ago(25 + 169) })];
    expect(foundBy('temporal', { timestamp }, older)).toEqual(['day', 'hour', 'week']);
  });

  it('is the mean of both kinds of nearness when steps weigh less than 1, and steps alone from 1 on', () => {
    const near = [stored('time', { eventAtUs: ago(0), step: 500 }), stored('step', { eventAtUs: ago(100), step: 0 })];
    const both = { timestamp: ago(0) / 1e6, step: 0 };
    expect(foundBy('temporal', { ...both, step_weight: 1 }, near)).toEqual(['step', 'time']);
    expect(foundBy('temporal', { ...both, step_weight: 0.1 }, near)).toEqual(['step', 'time']);
    expect(foundBy('temporal', { ...both, step_weight: 0.9, recency_weight: 50 }, near)).toEqual(['time', 'step']);
  });

  it('does not exclude memories without a step, which come after near ones', () => {
    expect(foundBy('temporal', { start_step: 15, end_step: 35, step: 30 }, memories)).toEqual(['day', 'hour', 'week']);
  });

  it.each([
    [{ timestamp: 'yesterday' }, 'timestamp'],
    [{ start_time: '07/18/2024', end_time: '2024/07/17' }, 'start_time'],
    [{ timestamp: 1, recency_weight: 0, step_weight: 0 }, 'recency_weight'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('temporal', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('the listing presets', () => {
  it.each([
    ['recent', {}, ['now', 'hour', 'day', 'week']],
    ['oldest', {}, ['week', 'day', 'hour', 'now']],
    ['by_step', { step: 20 }, ['hour']],
    ['step_range', { start_step: 20, end_step: 30 }, ['hour', 'day']],
    ['time_range', { start_time: '2024-07-16', end_time: '2024-07-17T13:30:00Z' }, ['day', 'hour']],
    ['last_minutes', {}, ['now']],
    ['last_hours', { hours: 2 }, ['now', 'hour']],
    ['last_days', { days: 1.5 }, ['now', 'hour', 'day']],
  ])('%s %j', (name, parameters, expected) => {
    expect(foundBy(name, parameters, memories)).toEqual(expected);
  });

  it.each([
    ['by_step', { step: -1 }, 'step'],
    ['step_range', { start_step: 2, end_step: 1 }, 'start_step'],
    ['last_minutes', { minutes: 0 }, 'minutes'],
    ['tag', { tag: [] }, 'tag'],
    ['attributes', { attributes: {} }, 'attributes'],
  ])('%s refuses %j', (name, parameters, field) => {
    expect(faultsOf(name, parameters)).toEqual([`preset.parameters.${field}`]);
  });
});
