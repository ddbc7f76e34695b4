import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Entry, Model, type Write } from '../campaign/model.ts';

let model: Model;
let count: number;
beforeEach(() => {
  model = new Model();
  count = 0;
});

function begun(...after: Entry[]): Write {
  const write = { requestId: `q${count++}`, lane: 1, after };
  model.begin(write);
  return write;
}

function acknowledged(...after: Entry[]): void {
  model.acknowledge(begun(...after));
}

const entry = (id: string, mark: string | null): Entry => ({ id, mark });
const kindsOf = (stored: Record<string, string>) =>
  model.judge(new Map(Object.entries(stored))).findings.map(({ kind }) => kind);

describe('what a campaign knows', () => {
  it('stored state as acknowledged › nothing is found', () => {
    acknowledged(entry('a', '1'), entry('b', '2'));
    acknowledged(entry('a', '3'));
    acknowledged(entry('b', null));
    expect(kindsOf({ a: '3' })).toEqual([]);
  });

  it('an acknowledged write is missing, or undone › lost', () => {
    acknowledged(entry('a', '1'));
    acknowledged(entry('b', '2'));
    acknowledged(entry('b', '3'));
    expect(kindsOf({ b: '2' })).toEqual(['lost', 'lost']);
  });

  it('an erased entry is there › revived', () => {
    acknowledged(entry('a', '1'));
    acknowledged(entry('a', null));
    expect(kindsOf({ a: '1' })).toEqual(['revived']);
  });

  it('a write without an answer › may be there whole or not at all', () => {
    acknowledged(entry('a', '1'));
    begun(entry('a', '2'));
    begun(entry('b', '3'), entry('c', '3'));
    begun(entry('d', '4'));
    const { findings, decided } = model.judge(new Map(Object.entries({ a: '1', b: '3', c: '3' })));
    expect(findings).toEqual([]);
    expect(decided.map(({ isDone }) => isDone)).toEqual([false, true, false]);
    expect(kindsOf({ a: '1', b: '3', c: '3' })).toEqual([]);
    expect(kindsOf({ a: '1', b: '3' })).toEqual(['lost']);
  });

  it('a batch without an answer is there in part › torn', () => {
    begun(entry('a', '1'), entry('b', '2'));
    expect(kindsOf({ a: '1' })[0]).toBe('torn');
  });

  it('parts of an entry do not belong together › torn', () => {
    acknowledged(entry('a', '1'));
    expect(kindsOf({ a: '! 1 has another text' })).toEqual(['torn']);
  });

  it('the server makes the id and the answer is lost › there once, or duplicated', () => {
    begun(entry('', '1'));
    begun(entry('', '2'));
    const { findings, decided } = model.judge(new Map(Object.entries({ x: '1', y: '1' })));
    expect(findings.map(({ kind }) => kind)).toEqual(['duplicated']);
    expect(decided.map(({ isDone, write }) => [isDone, write.after[0]?.id])).toEqual([
      [true, 'x'],
      [false, ''],
    ]);
  });

  it('a refused write has taken effect › wrong', () => {
    model.refuse(begun(entry('a', '1')));
    expect(kindsOf({ a: '1' })).toEqual(['wrong']);
  });

  it('each difference › is found once', () => {
    acknowledged(entry('a', '1'), entry('b', '2'));
    expect(kindsOf({ b: '3' })).toHaveLength(2);
    expect(kindsOf({ b: '3' })).toEqual([]);
  });

  it('the journal › has each effect with the former mark, once', () => {
    acknowledged(entry('a', '1'));
    acknowledged(entry('a', null));
    expect(model.takeJournal()).toEqual([
      { id: 'a', mark: '1', former: undefined },
      { id: 'a', mark: null, former: '1' },
    ]);
    expect(model.takeJournal()).toEqual([]);
  });

  it('entries of open writes › are not offered to other writes', () => {
    acknowledged(entry('a', '1'), entry('b', '2'));
    begun(entry('a', '3'));
    expect(model.idsOf(1)).toEqual(['b']);
    expect([...model.known()]).toEqual([['b', '2']]);
    expect([model.isOpen(1, 'a'), model.isOpen(1, 'b'), model.isOpen(2, 'a')]).toEqual([true, false, false]);
  });
});
