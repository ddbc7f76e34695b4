import { where } from '../../../clients/typescript/src/index.ts';

const TAG = 'signal';
const FILTER = where.tag.equals(TAG);

/** Memories that durable subscriptions and standing queries are for. The programs in Python and Go have the same values. */
export const SIGNALS = {
  tag: TAG,
  /** One in so many memories of a writer. */
  every: 3,
  filter: FILTER,
  subscription: 'signals',
  /** A work queue of the same changes, which the workers of one program share, and how many these are. */
  workQueue: 'jobs',
  workers: 2,
  /** The newest ones: more than are stored while a stream is broken. */
  query: { filter: FILTER, limit: 50 },
} as const;
