import { randomUUID } from 'node:crypto';
import { ScopeServiceService as methods } from '../../../gen/ts/mneme/v1/scope_service.ts';
import type { Connection } from './connection.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';

/** What is allowed with the memories of a scope and of everything beneath it. Everything, where nothing is said. */
export interface ScopePolicy {
  /** Nobody outside sees its memories in a recall. */
  readonly isPrivate?: boolean;
  /** Its memories cannot be stored, changed or deleted. */
  readonly readOnly?: boolean;
  /** Recalls from within do not see what its ancestors share. */
  readonly isolated?: boolean;
}

/** Policies of scopes. */
export interface ScopeCalls {
  /** One that allows everything takes the policy away. */
  setPolicy(scope: Scope, policy: ScopePolicy, options?: WriteOptions): Promise<void>;
  listPolicies(options?: CallOptions): Promise<(Required<ScopePolicy> & { readonly scope: Scope })[]>;
}

export function scopeCalls(connection: Connection, namespace: string): ScopeCalls {
  const parent = namespaceName(namespace);
  return {
    async setPolicy(scope, policy, { requestId = randomUUID(), ...options } = {}) {
      const { isPrivate = false, readOnly = false, isolated = false } = policy;
      const message = { scope: scopeMessage(scope), isPrivate, readOnly, isolated };
      await connection.unary(methods.setScopePolicy, { parent, policy: message, requestId }, options);
    },

    async listPolicies(options = {}) {
      const { policies } = await connection.unary(methods.listScopePolicies, { parent }, options);
      return policies.map(({ scope, ...policy }) => ({ ...policy, scope: scopeOfMessage(scope) }));
    },
  };
}
