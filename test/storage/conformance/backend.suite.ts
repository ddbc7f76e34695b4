import type { AgentSnapshots } from '../../../src/storage/agent-snapshots.ts';
import type { ScopePolicies } from '../../../src/storage/scope-policies.ts';
import type { WholeStore } from '../../support/whole-store.ts';
import { agentSnapshotsSuite } from './agent-snapshots.suite.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { scopePoliciesSuite } from './scope-policies.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

/** All parts of a backend that owns memories. */
export interface BackendOfTest {
  readonly store: WholeStore;
  readonly agents: AgentSnapshots;
  readonly policies: ScopePolicies;
  close(): Promise<void>;
}

/** Contract of a backend that owns all data; `create` returns an empty one. */
export function backendSuite(subject: { readonly name: string; create(): Promise<BackendOfTest> }): void {
  memoryStoreSuite(subject);
  tierStoreSuite(subject);
  agentSnapshotsSuite(subject);
  scopePoliciesSuite(subject);
}
