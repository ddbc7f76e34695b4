import { ConflictPolicy } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { StoreRequest } from '../../operations/memories/store-memories.ts';

/** What to do with a memory that is there already. */
export const CONFLICT_POLICIES: Readonly<Record<number, StoreRequest['onConflict']>> = {
  [ConflictPolicy.CONFLICT_POLICY_UNSPECIFIED]: 'keep',
  [ConflictPolicy.CONFLICT_POLICY_KEEP]: 'keep',
  [ConflictPolicy.CONFLICT_POLICY_REPLACE]: 'replace',
  [ConflictPolicy.CONFLICT_POLICY_FAIL]: 'fail',
};
