import { randomUUID } from 'node:crypto';
import { MemoryServiceService as methods } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Connection } from './connection.ts';
import { tierOf } from './enums.ts';
import { filterFields } from './filter.ts';
import type { MemoryCalls } from './memory-calls.ts';
import { namespaceName, partsOfName } from './names.ts';
import { timestampOf } from './precise-date.ts';

/** The calls of MemoryService that are about all memories that a filter admits. */
export function selectionCalls(connection: Connection, namespace: string): Pick<MemoryCalls, 'count' | 'forget'> {
  const parent = namespaceName(namespace);
  return {
    async count({ filter, includeInvalid, asOf } = {}, options = {}) {
      const minRevision = connection.minRevision(options);
      const validity = { includeInvalid, asOf: timestampOf(asOf) };
      const request = { parent, ...filterFields(filter), ...validity, minRevision };
      const answer = await connection.unary(methods.countMemories, request, options);
      return {
        count: answer.count,
        tiers: answer.tiers.map(({ tier, count }) => ({ tier: tierOf(tier), count })),
        revision: connection.seen(answer.revision),
      };
    },

    async forget({ filter, all = false, dryRun = false }, { requestId = randomUUID(), ...options } = {}) {
      const answer = await connection.unary(
        methods.forgetMemories,
        { parent, ...filterFields(filter), all, dryRun, requestId },
        options,
      );
      return {
        forgottenCount: answer.forgottenCount,
        tiers: answer.tiers.map(({ tier, count }) => ({ tier: tierOf(tier), count })),
        ids: answer.names.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },
  };
}
