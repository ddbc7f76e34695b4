import { expect, it } from '@jest/globals';
import { Bits } from '../../../src/search/filtering/bits.ts';
import { ValueColumn } from '../../../src/search/filtering/value-column.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';

const VALUES = ['a', 'b', 'c', 'd'];

function randomValues(random: TestRandom): string[] {
  return VALUES.filter(() => random.chance(0.3));
}

/** Sequences of a set that have one of the values. */
function selected(model: readonly (readonly string[])[], values: readonly string[], within: Bits): number[] {
  return [...within.sequences()].filter((sequence) => model[sequence]?.some((value) => values.includes(value)));
}

it.each([900, 14_000])(
  'ValueColumn › selections asked for again and again of %i memories › as a look at each memory',
  (count) => {
    const random = seededRandom('value column');
    const column = new ValueColumn<string>();
    const model: string[][] = [[]];
    for (let sequence = 1; sequence <= count; sequence++) {
      model[sequence] = randomValues(random);
      column.put(sequence, model[sequence] as string[]);
    }
    for (let round = 0; round < 20; round++) {
      for (let change = 0; change < 20; change++) {
        // Some are new, so that the column grows.
        const sequence = random.chance(0.3) ? model.length + random.int(40) : 1 + random.int(model.length - 1);
        const values = randomValues(random);
        while (model.length <= sequence) model.push([]);
        if (random.chance(0.3)) {
          const value = random.pick(VALUES);
          column.add(sequence, value);
          model[sequence] = [...new Set([...(model[sequence] as string[]), value])];
        } else {
          column.put(sequence, values);
          model[sequence] = values;
        }
      }
      const within = Bits.none(model.length + 64);
      for (let sequence = 0; sequence < model.length; sequence++) if (random.chance(0.5)) within.add(sequence);
      for (const values of [['a'], ['b'], ['a', 'c'], VALUES, ['none']]) {
        const due = selected(model, values, within);
        const all = model.filter((own) => own.some((value) => values.includes(value))).length;
        for (const chosen of [column.chooseOnly(values), column.choose((value) => values.includes(value))]) {
          const { count: found, within: select } = column.having(chosen);
          expect([found, [...select(within).sequences()]]).toEqual([all, due]);
        }
      }
    }
  },
);
