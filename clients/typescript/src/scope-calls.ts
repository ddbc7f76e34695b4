import { randomUUID } from 'node:crypto';
import { ScopeServiceService as methods } from '../../../gen/ts/mneme/v1/scope_service.ts';
import type { Connection } from './connection.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';

/** Rules for the memories of a scope and of all its descendants. Default: everything is allowed. */
export interface ScopePolicy {
  /** Recalls from other scopes do not see its memories. */
  readonly isPrivate?: boolean;
  /** Its memories cannot be stored, changed or deleted. */
  readonly readOnly?: boolean;
  /** Recalls from within do not see memories of its ancestors. */
  readonly isolated?: boolean;
}

/** Policies of scopes. */
export interface ScopeCalls {
  /** A policy that allows everything removes the policy. */
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
