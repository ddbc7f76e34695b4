import type { WholeStore } from '../../../support/whole-store.ts';

export interface TieredSubject {
  readonly store: WholeStore;
}
