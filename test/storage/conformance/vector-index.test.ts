import { ExactVectorIndex } from '../../../src/search/vectors/exact.ts';
import { LayeredVectorIndex } from '../../../src/search/vectors/layered.ts';
import { newMemoryRows } from '../../support/memory-rows.ts';
import { vectorIndexSuite } from './vector-index.suite.ts';

vectorIndexSuite({
  name: 'exact',
  create: (dimension) => new ExactVectorIndex(dimension),
  settle: () => undefined,
  overlapMin: 1,
});

vectorIndexSuite({
  name: 'layered, too few for a graph',
  create: (dimension) => new LayeredVectorIndex({ dimension, newRows: newMemoryRows, exactMax: 10_000 }),
  settle: (index) => index.advance(1),
  overlapMin: 1,
});

vectorIndexSuite({
  name: 'layered, all in the graph',
  create: (dimension) => new LayeredVectorIndex({ dimension, newRows: newMemoryRows, exactMax: 0 }),
  settle: (index) => {
    while (index.advance(1000));
  },
  overlapMin: 0.98,
});

let nowMs = 0;
vectorIndexSuite({
  name: 'layered, half of the new ones in the graph',
  // Time passes by a millisecond a look, so a budget is a number of vectors.
  create: (dimension) =>
    new LayeredVectorIndex({ dimension, newRows: newMemoryRows, exactMax: 0, nowMs: () => nowMs++ }),
  settle: (index) => index.advance(index.exactCount / 2),
  overlapMin: 0.98,
});
