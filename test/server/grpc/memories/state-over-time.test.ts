import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connect,
  type Mneme,
  type MnemeError,
  type NewMemory,
  where,
} from '../../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;

const at = (minute: number) => new Date(Date.UTC(2024, 4, 1, 12, minute));

beforeAll(async () => {
  server = await startTestServer();
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'history' });
  const scope = { agent: 'walker' };
  const states: NonNullable<NewMemory['content']>[] = [
    { position: { room: 'hall' }, health: 90 },
    { position: { room: 'hall' }, health: 80, key: { a: 1, b: [1] } },
    { position: { room: 'attic' }, health: 80, key: { b: [1], a: 1 } },
    { health: 80 },
    { position: { room: 'attic' }, health: null },
  ];
  for (const [index, content] of states.entries()) {
    const step = (index + 1) * 10;
    await mneme.store({ id: `s${step}`, scope, type: 'state', step, eventTime: at(step), content });
  }
  await mneme.store({ id: 'later20', scope, type: 'state', step: 20, eventTime: at(20), content: { health: 70 } });
  await mneme.store({ id: 'act', scope, type: 'action', step: 20, eventTime: at(20), text: 'went up' });
  await mneme.store({
    id: 'alien',
    scope: { agent: 'other' },
    type: 'state',
    step: 30,
    eventTime: at(31),
    content: { health: 1 },
  });
});

afterAll(async () => {
  void mneme.close();
  await server.stop();
});

const walker = { scope: { agent: 'walker' } };
const isNotLater = where.id.isIn(['s10', 's20', 's30', 's40', 's50']);

async function fieldsOf(call: Promise<unknown>): Promise<readonly string[]> {
  return call.then(
    () => ['answered'],
    (error: MnemeError) => error.violations.map(({ field }) => field),
  );
}

describe('GetChangeHistory', () => {
  it('reports when a nested value appeared, changed, disappeared and reappeared', async () => {
    const { changes } = await mneme.getAttributeHistory('position.room', { ...walker, filter: isNotLater });
    expect(
      changes.map(({ step, kind, previousValue: previous, newValue: next }) => [step, kind, previous, next]),
    ).toEqual([
      [10, 'appeared', undefined, 'hall'],
      [30, 'changed', 'hall', 'attic'],
      [40, 'disappeared', 'attic', undefined],
      [50, 'appeared', undefined, 'attic'],
    ]);
    expect(changes[0]).toMatchObject({ id: 's10', eventTime: at(10) });
  });

  it('treats objects with the same values as equal whatever the order of their keys, and null as a value', async () => {
    const key = await mneme.getAttributeHistory('key', { ...walker, filter: isNotLater });
    expect(key.changes.map(({ step, kind }) => [step, kind])).toEqual([
      [20, 'appeared'],
      [40, 'disappeared'],
    ]);
    const health = await mneme.getAttributeHistory('health', { ...walker, filter: isNotLater, startStep: 40 });
    expect(health.changes.map(({ step, previousValue: previous, newValue: next }) => [step, previous, next])).toEqual([
      [40, undefined, 80],
      [50, 80, null],
    ]);
    expect((await mneme.getAttributeHistory('key.b.0', { ...walker, filter: isNotLater })).changes[0]?.newValue).toBe(
      1,
    );
  });

  it('orders states of one step by their storing', async () => {
    const { changes } = await mneme.getAttributeHistory('health', { ...walker, startStep: 20, endStep: 20 });
    expect(changes.map(({ id, newValue: next }) => [id, next])).toEqual([
      ['s20', 80],
      ['later20', 70],
    ]);
  });

  it('reports when there are more than the limit', async () => {
    const { changes, truncated } = await mneme.getAttributeHistory('position.room', {
      ...walker,
      filter: isNotLater,
      limit: 2,
    });
    expect([changes.length, truncated]).toEqual([2, true]);
  });

  it('names the errors of a request', async () => {
    expect(await fieldsOf(mneme.getAttributeHistory('', {}))).toEqual(['path']);
    expect(await fieldsOf(mneme.getAttributeHistory('a', { startStep: 2, endStep: 1 }))).toEqual(['end_step']);
    expect(await fieldsOf(mneme.getAttributeHistory('a', { limit: -1 }))).toEqual(['limit']);
  });
});

describe('GetSnapshots', () => {
  it('returns the state at exactly each step, the one stored last of several', async () => {
    const snapshots = await mneme.getStatesAtSteps([30, 20, 25, 20], walker);
    expect(snapshots.map(({ step, memory }) => [step, memory?.id])).toEqual([
      [30, 's30'],
      [20, 'later20'],
      [25, undefined],
    ]);
  });

  it('carries the nearest state before a step forward when asked to', async () => {
    const snapshots = await mneme.getStatesAtSteps([5, 25, 1000], { ...walker, carryForward: true });
    expect(snapshots.map(({ memory }) => memory?.id)).toEqual([undefined, 'later20', 's50']);
  });

  it('names the errors of a request', async () => {
    expect(await fieldsOf(mneme.getStatesAtSteps([]))).toEqual(['steps']);
    expect(await fieldsOf(mneme.getStatesAtSteps([1, -1]))).toEqual(['steps[1]']);
  });
});

describe('GetSequence', () => {
  const idsAround = async (id: string, query = {}) => {
    const { before, memory, after } = await mneme.getSequence(id, query);
    return [before.map((one) => one.id), memory.id, after.map((one) => one.id)];
  };

  it('returns two before and two after in the order of time, ties in the order of storing', async () => {
    expect(await idsAround('later20')).toEqual([['s10', 's20'], 'later20', ['act', 's30']]);
  });

  it('returns the requested number on each side, of the same type and scope, inside a window', async () => {
    expect(await idsAround('s30', { beforeCount: 1, afterCount: 0 })).toEqual([['act'], 's30', []]);
    expect(await idsAround('s30', { beforeCount: 1, sameType: true, sameScope: true })).toEqual([
      ['later20'],
      's30',
      ['s40', 's50'],
    ]);
    expect(await idsAround('s30', { timeWindowMs: 10 * 60_000, sameType: true })).toEqual([
      ['s20', 'later20'],
      's30',
      ['alien', 's40'],
    ]);
  });

  it('fails for a missing memory and for an empty window', async () => {
    await expect(mneme.getSequence('gone')).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
    expect(await fieldsOf(mneme.getSequence('s10', { timeWindowMs: 0 }))).toEqual(['time_window']);
  });
});
