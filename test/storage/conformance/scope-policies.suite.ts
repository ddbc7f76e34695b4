import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Scope } from '../../../src/memory/memory.ts';
import type { ScopePolicy } from '../../../src/memory/scope.ts';
import { SCOPE_POLICIES_MAX, type ScopePolicies } from '../../../src/storage/scope-policies.ts';
import type { WholeStore } from '../../support/whole-store.ts';

export interface ScopePoliciesSubject {
  readonly name: string;
  /** Policies beside an empty store. */
  create(): Promise<{ policies: ScopePolicies; store: WholeStore; close(): Promise<void> }>;
}

const OPEN = { isPrivate: false, isReadOnly: false, isIsolated: false };
const scopeOf = (parts: Partial<Scope>): Scope => ({ project: '', agentType: '', agent: '', session: '', ...parts });
const policyOf = (parts: Partial<Scope>, rules: Partial<typeof OPEN> = { isPrivate: true }): ScopePolicy => ({
  scope: scopeOf(parts),
  ...OPEN,
  ...rules,
});

/** Contract of all `ScopePolicies`. */
export function scopePoliciesSuite({ name, create }: ScopePoliciesSubject): void {
  describe(`scope policies (${name})`, () => {
    let policies: ScopePolicies;
    let store: WholeStore;
    let close: () => Promise<void>;
    let atUs = 1_700_000_000_000_000;
    beforeEach(async () => {
      ({ policies, store, close } = await create());
      for (const space of ['space', 'other']) await makeSpace(space);
    });
    afterEach(() => close());

    const makeSpace = (space: string) =>
      store.write({ kind: 'createNamespace', name: space, description: '', memoryLimit: 0, atUs: ++atUs });
    const set = (policy: ScopePolicy, more: object = {}) =>
      policies.set({ namespace: 'space', policy, atUs: ++atUs, ...more });

    it('a policy › is listed in the order of the parts of its scope, in its namespace only', async () => {
      for (const parts of [{ agent: 'b' }, { project: 'p' }, { agent: 'a' }, { project: 'p', session: 's' }]) {
        await set(policyOf(parts));
      }
      const scopes = (await policies.list('space')).map(({ scope }) => scope);
      expect(scopes).toEqual([
        scopeOf({ agent: 'a' }),
        scopeOf({ agent: 'b' }),
        scopeOf({ project: 'p' }),
        scopeOf({ project: 'p', session: 's' }),
      ]);
      expect(await policies.list('other')).toEqual([]);
      expect(await policies.list('nowhere')).toEqual([]);
    });

    it('set again › replaces the former policy; one that allows everything deletes it', async () => {
      await set(policyOf({ agent: 'a' }, { isPrivate: true, isIsolated: true }));
      const second = policyOf({ agent: 'a' }, { isReadOnly: true });
      expect(await set(second)).toEqual(second);
      expect(await policies.list('space')).toEqual([second]);
      await set(policyOf({ agent: 'a' }, {}));
      expect(await policies.list('space')).toEqual([]);
    });

    it('set › listeners get its namespace before the answer, until they are removed', async () => {
      const notified: string[] = [];
      const end = policies.onChange((namespace) => notified.push(namespace));
      await set(policyOf({ agent: 'a' }));
      expect(notified).toEqual(['space']);
      end();
      await set(policyOf({ agent: 'a' }, {}));
      expect(notified).toEqual(['space']);
    });

    it('parts with separators and patterns › are compared whole', async () => {
      const odd = [{ agent: 'a*' }, { agent: 'a' }, { agent: 'a/b' }, { project: 'a', agent: '' }, { agent: '%61' }];
      for (const parts of odd) await set(policyOf(parts));
      expect(await policies.list('space')).toHaveLength(odd.length);
    });

    it('repeated with its request id › has one effect; another request with it is refused', async () => {
      const idempotency = { requestId: 'r1', fingerprint: 'f1' };
      const policy = policyOf({ agent: 'a' });
      await set(policy, { idempotency });
      await set(policyOf({ agent: 'a' }, {}));
      expect(await set(policy, { idempotency })).toEqual(policy);
      expect(await policies.list('space')).toEqual([]);
      const reused = set(policyOf({ agent: 'b' }), { idempotency: { ...idempotency, fingerprint: 'f2' } });
      await expect(reused).rejects.toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    });

    it('in a missing namespace, or above the limit › fails', async () => {
      const nowhere = policies.set({ namespace: 'nowhere', policy: policyOf({ agent: 'a' }), atUs });
      await expect(nowhere).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
      await Promise.all(Array.from({ length: SCOPE_POLICIES_MAX }, (_, at) => set(policyOf({ agent: `a${at}` }))));
      await expect(set(policyOf({ agent: 'more' }))).rejects.toMatchObject({ reason: 'SCOPES_FULL' });
      await set(policyOf({ agent: 'a1' }, { isReadOnly: true }));
    });

    it('of a deleted namespace › are deleted, also when it is created again', async () => {
      await set(policyOf({ agent: 'a' }));
      await store.write({ kind: 'deleteNamespace', name: 'space', force: true, atUs: ++atUs });
      expect(await policies.list('space')).toEqual([]);
      await makeSpace('space');
      expect(await policies.list('space')).toEqual([]);
    });
  });
}
