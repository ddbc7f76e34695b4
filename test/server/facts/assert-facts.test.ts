import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FACT_TYPE } from '../../../src/memory/facts/fact-record.ts';
import { forgetFacts, undoFact } from '../../../src/server/operations/facts/amend-facts.ts';
import { factHistory, getFact } from '../../../src/server/operations/facts/read-facts.ts';
import { call } from '../operations/support.ts';
import { BACKENDS, DAY_US, FactBench, heard, NOWHERE, SPACE, START_US } from './support.ts';

describe.each(BACKENDS)('facts (%s)', (backend) => {
  let bench: FactBench;
  beforeEach(async () => {
    bench = await FactBench.open(backend);
  });
  afterEach(() => bench.close());
  const later = (days: number) => {
    bench.clock.us = START_US + days * DAY_US;
  };
  const key = { scope: NOWHERE, subject: 'user', attribute: 'home_city' };

  it('assert › a first value › a memory of type fact with a sentence and its content', async () => {
    const [outcome] = await bench.assert({ value: 'Lisbon', sources: ['turn/1'] });
    expect(outcome).toMatchObject({ kind: 'created', endedIds: [] });
    const { fact, memory } = await getFact(bench.deps, SPACE, outcome?.id ?? '', call);
    expect(fact).toMatchObject({ key, value: 'Lisbon', confidence: 0.8, reinforcements: 0, sources: ['turn/1'] });
    expect(memory).toMatchObject({ type: FACT_TYPE, text: 'The user’s home city is Lisbon.', validFromUs: START_US });
  });

  it('assert › the same value from another source › reinforced; from the same source › as it was', async () => {
    await bench.assert(heard('Lisbon', 'turn/1'));
    const repeated = { value: ' the LISBON. ', attribute: 'lives in', text: 'In Lisbon.' };
    expect(await bench.assert(heard('Lisbon', 'turn/2', repeated))).toMatchObject([{ kind: 'reinforced' }]);
    expect(await bench.assert(heard('Lisbon', 'turn/2', repeated))).toMatchObject([{ kind: 'reinforced' }]);
    const [found, ...others] = await bench.list();
    expect(others).toHaveLength(0);
    expect(found?.fact).toMatchObject({ value: 'Lisbon', reinforcements: 1, sources: ['turn/1', 'turn/2'] });
    expect(found?.fact.confidence).toBeCloseTo(0.88);
  });

  it('assert › another value of a single-valued attribute › supersedes; kept and named by as_of', async () => {
    const [first] = await bench.assert({ value: 'Lisbon' });
    later(10);
    const [second] = await bench.assert({ value: 'Rome' });
    expect(second).toMatchObject({ kind: 'created', endedIds: [first?.id] });
    expect(await bench.values()).toEqual(['Rome']);
    expect(await bench.values({ includesSuperseded: true })).toEqual(['Lisbon', 'Rome']);
    expect(await bench.values({ validAtUs: START_US + 5 * DAY_US })).toEqual(['Lisbon']);
    expect(await bench.values({ recordedAtUs: START_US + 5 * DAY_US })).toEqual(['Lisbon']);
    expect(await bench.values({ validAtUs: START_US + 10 * DAY_US })).toEqual(['Rome']);
    const { memory } = await getFact(bench.deps, SPACE, first?.id ?? '', call);
    expect(memory).toMatchObject({ supersededBy: second?.id, validUntilUs: START_US + 10 * DAY_US });
  });

  it('assert › values of an attribute that has several › all count, until one replaces them', async () => {
    const likes = { attribute: 'likes' };
    await bench.assert({ ...likes, value: 'tea' }, { ...likes, value: 'coffee' });
    expect(await bench.values()).toEqual(['coffee', 'tea']);
    later(1);
    const [water] = await bench.assert({ ...likes, value: 'water', replaces: true });
    expect(water?.endedIds).toHaveLength(2);
    expect(await bench.values()).toEqual(['water']);
    later(2);
    await bench.assert({ ...likes, value: 'water', retracts: true });
    expect(await bench.values()).toEqual([]);
  });

  it('assert › values learned out of order › the timeline is that of their times, on both axes', async () => {
    later(30);
    await bench.assert({ value: 'Rome', validFromUs: START_US + 20 * DAY_US });
    later(31);
    await bench.assert({ value: 'Lisbon', validFromUs: START_US });
    later(32);
    await bench.assert({ value: 'Bonn', validFromUs: START_US + 10 * DAY_US });
    expect(await bench.values()).toEqual(['Rome']);
    const at = (valid: number, recorded?: number) =>
      bench.values({
        validAtUs: START_US + valid * DAY_US,
        recordedAtUs: recorded === undefined ? undefined : START_US + recorded * DAY_US,
      });
    expect([await at(5), await at(15), await at(25)]).toEqual([['Lisbon'], ['Bonn'], ['Rome']]);
    expect([await at(15, 31), await at(15, 30), await at(5, 31)]).toEqual([['Lisbon'], [], ['Lisbon']]);
    const { facts } = await factHistory(bench.deps, SPACE, key, call);
    expect(facts.map(({ fact, state }) => [fact.value, state.by !== undefined])).toEqual([
      ['Lisbon', true],
      ['Bonn', true],
      ['Rome', false],
    ]);
  });

  it('assert › from a time to come › the former value counts until then', async () => {
    await bench.assert({ value: 'Lisbon' });
    later(1);
    await bench.assert({ value: 'Rome', validFromUs: START_US + 5 * DAY_US });
    expect(await bench.values()).toEqual(['Lisbon']);
    later(6);
    expect(await bench.values()).toEqual(['Rome']);
  });

  it('assert › with an end that has passed › not current', async () => {
    await bench.assert({ value: 'Lisbon', validUntilUs: START_US + DAY_US });
    later(2);
    expect(await bench.values()).toEqual([]);
    expect(await bench.values({ validAtUs: START_US })).toEqual(['Lisbon']);
  });

  it('undo › a supersession › the former value counts, the other is history; repeated by a turn it stays so', async () => {
    const [first] = await bench.assert(heard('Lisbon', 'turn/1'));
    later(1);
    const [second] = await bench.assert(heard('Rome', 'turn/2'));
    later(2);
    expect(await undoFact(bench.deps, SPACE, first?.id ?? '', call)).toMatchObject({ withdrawnId: second?.id });
    expect(await bench.values()).toEqual(['Lisbon']);
    expect(await bench.values({ recordedAtUs: START_US + 1.5 * DAY_US })).toEqual(['Rome']);
    expect(await bench.assert(heard('Rome', 'turn/2'))).toMatchObject([{ kind: 'ignored', reason: 'corrected' }]);
    await expect(undoFact(bench.deps, SPACE, first?.id ?? '', call)).rejects.toMatchObject({
      reason: 'FACT_NOT_SUPERSEDED',
    });
    expect(await bench.assert({ value: 'Rome' })).toMatchObject([{ kind: 'created' }]);
    expect(await bench.values()).toEqual(['Rome']);
  });

  it('forget › a fact › gone with its history; only an explicit assertion brings it back', async () => {
    await bench.assert(heard('Lisbon', 'turn/1'));
    later(1);
    await bench.assert(heard('Rome', 'turn/2'));
    const request = { namespace: SPACE, ids: [], subject: 'user', value: 'Rome', dryRun: false };
    expect(await forgetFacts(bench.deps, { ...request, dryRun: true }, call)).toMatchObject({ count: 1 });
    expect(await forgetFacts(bench.deps, request, call)).toMatchObject({ count: 1 });
    expect(await bench.values({ includesSuperseded: true })).toEqual(['Lisbon']);
    expect(await bench.values()).toEqual([]);
    later(2);
    expect(await bench.assert(heard('Rome', 'turn/2'))).toMatchObject([{ kind: 'ignored', reason: 'forgotten' }]);
    expect(await bench.assert(heard('Rome', 'turn/9'))).toMatchObject([{ kind: 'ignored', reason: 'forgotten' }]);
    expect(await bench.assert({ value: 'Rome' })).toMatchObject([{ kind: 'created' }]);
    expect(await bench.values()).toEqual(['Rome']);
  });

  it('assert › a turn that is ingested again after its value was superseded › changes nothing', async () => {
    await bench.assert(heard('Lisbon', 'turn/1'));
    later(1);
    await bench.assert(heard('Rome', 'turn/2'));
    later(2);
    expect(await bench.assert(heard('Lisbon', 'copy/1'))).toMatchObject([{ kind: 'ignored', reason: 'repeated' }]);
    const echo = heard('Lisbon', 'turn/3', { trust: 'assistant', text: 'You live in Lisbon.' });
    expect(await bench.assert(echo)).toMatchObject([{ kind: 'ignored', reason: 'outranked' }]);
    expect(await bench.values()).toEqual(['Rome']);
    const back = heard('Lisbon', 'turn/4', { text: 'We moved back to Lisbon.' });
    expect(await bench.assert(back)).toMatchObject([{ kind: 'created' }]);
    expect(await bench.values()).toEqual(['Lisbon']);
  });

  it('assert › what a source of more trust has said › is an echo, and reinforces nothing', async () => {
    const [stated] = await bench.assert(heard('Lisbon', 'turn/1'));
    later(1);
    const echo = heard('Lisbon', 'turn/2', { trust: 'assistant', text: 'You live in Lisbon.' });
    expect(await bench.assert(echo)).toMatchObject([{ kind: 'ignored', reason: 'echoed', id: stated?.id }]);
    expect(await bench.assert(heard('Lisbon', 'turn/3'))).toMatchObject([{ kind: 'reinforced' }]);
    expect(await bench.values()).toEqual(['Lisbon']);
  });

  it('assert › of the user by name › the same subject as user', async () => {
    await bench.assert({ subject: 'Ana', attribute: 'likes', value: 'chess' });
    await bench.assert({ attribute: 'name', value: 'Ana' }, { value: 'Lisbon' });
    later(1);
    const [moved] = await bench.assert({ subject: 'Ana', value: 'Rome' });
    expect(moved?.endedIds).toHaveLength(1);
    expect(await bench.values({ subject: 'Ana', attribute: 'city' })).toEqual(['Rome']);
    expect(await bench.values({ subject: 'user', attribute: 'likes' })).toEqual(['chess']);
  });

  it('assert › many writers of one key at once › one timeline in which one value counts', async () => {
    const values = Array.from({ length: 12 }, (_, at) => `City ${at}`);
    await Promise.all(values.map((value, at) => bench.assert({ value, validFromUs: START_US + at * 1000 })));
    later(1);
    expect(await bench.values()).toEqual(['City 11']);
    const { facts } = await factHistory(bench.deps, SPACE, key, call);
    expect(facts.map(({ fact }) => fact.value)).toEqual(values);
    for (const [at, { state }] of facts.entries()) expect(state.by).toBe(facts[at + 1]?.fact.id);
  });

  it('assert › a memory of a fact that was deleted › its value counts as forgotten', async () => {
    const [outcome] = await bench.assert(heard('Lisbon', 'turn/1'));
    const write = { namespace: SPACE, ids: [outcome?.id ?? ''], cause: 'deleted', mustExist: true } as const;
    await bench.deps.store.write({ kind: 'delete', ...write, atUs: bench.clock.us });
    expect(await bench.assert(heard('Lisbon', 'turn/2'))).toMatchObject([{ kind: 'ignored', reason: 'forgotten' }]);
    expect(await bench.values()).toEqual([]);
  });
});
