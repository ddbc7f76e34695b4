import { expect, it } from '@jest/globals';
import { FineProducts } from '../../../src/search/ranking/rough-products.ts';
import { rowProducts } from '../../../src/search/ranking/row-products.ts';
import { seededRandom } from '../../support/random.ts';

it('rowProducts returns the sums that one row after the other has, bit for bit', () => {
  const random = seededRandom('row products');
  const vector = Float64Array.from({ length: 64 }, () => random.next() - 0.5);
  const values = Int8Array.from({ length: 64 * 11 }, () => random.int(255) - 127);
  for (let count = 0; count <= 10; count++) {
    const rows = Array.from({ length: count }, () => ({ values, from: random.int(64 * 10) }));
    const expected = rows.map(({ from }) => {
      let sum = 0;
      for (let d = 0; d < 64; d++) sum += (values[from + d] ?? 0) * (vector[d] ?? 0);
      return sum;
    });
    expect([...rowProducts(rows, vector)]).toEqual(expected);
  }
});

it('FineProducts returns the same as exactly as numbers of 32 bits', () => {
  const random = seededRandom('fine products');
  const values = Int8Array.from({ length: 300 * 512 }, () => random.int(255) - 127);
  const rows = Array.from({ length: 300 }, (_, at) => ({ values, from: 512 * at }));
  const vector = Float32Array.from({ length: 512 }, () => random.next() - 0.5);
  const exact = rowProducts(rows, Float64Array.from(vector));
  const fine = new FineProducts().of(rows, vector);
  exact.forEach((product, at) => {
    expect(Math.abs((fine[at] as number) - product)).toBeLessThan(1e-5);
  });
});
