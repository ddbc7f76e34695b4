import { expect, it } from '@jest/globals';
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
