import { MnemeError } from '../../memory/errors.ts';
import { SCOPE_PARTS, type ScopePolicy } from '../../memory/scope.ts';
import { compareTexts } from '../../memory/values.ts';
import type { MemoryStore } from '../memory-store.ts';
import { SCOPE_POLICIES_MAX, type ScopePolicies, type SeenKeyspaces } from '../scope-policies.ts';
import { Outcomes } from './all-namespaces.ts';

const RETENTION_US = 24 * 60 * 60 * 1_000_000;

/** Policies beside a memory store, in the process only. */
export class InMemoryScopePolicies implements ScopePolicies {
  private readonly namespaces: Pick<MemoryStore, 'getNamespace'>;
  private readonly outcomes = new Outcomes(RETENTION_US);
  /** By key of the namespace: a namespace that is created again has no policies. */
  private readonly policies = new Map<string, ScopePolicy[]>();
  private readonly listeners = new Set<(namespace: string) => void>();

  constructor(namespaces: Pick<MemoryStore, 'getNamespace'>) {
    this.namespaces = namespaces;
  }

  async set({ namespace, policy, atUs, idempotency }: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    const life = await this.lifeOf(namespace);
    const kept = idempotency && this.outcomes.find(namespace, idempotency, atUs);
    if (kept) return kept.outcome as ScopePolicy;
    const others = (this.policies.get(life) ?? []).filter((one) => compareScopes(one, policy) !== 0);
    const isOpen = !(policy.isPrivate || policy.isReadOnly || policy.isIsolated);
    if (!isOpen && others.length >= SCOPE_POLICIES_MAX) {
      const message = `namespaces/${namespace} has reached its limit of ${SCOPE_POLICIES_MAX} scope policies`;
      throw new MnemeError('SCOPES_FULL', message, { metadata: { limit: String(SCOPE_POLICIES_MAX) } });
    }
    this.policies.set(life, (isOpen ? others : [...others, structuredClone(policy)]).sort(compareScopes));
    if (idempotency) this.outcomes.keep(namespace, idempotency, policy, atUs);
    for (const listener of this.listeners) listener(namespace);
    return policy;
  }

  async list(namespace: string): Promise<readonly ScopePolicy[]> {
    const life = await this.lifeOf(namespace).catch(() => '');
    return structuredClone(this.policies.get(life) ?? []);
  }

  /** This store is not notified of new and deleted namespaces. */
  atHand(): undefined {
    return undefined;
  }

  onChange(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private async lifeOf(namespace: string): Promise<string> {
    const { name, createdAtUs } = await this.namespaces.getNamespace(namespace);
    return `${name}@${createdAtUs}`;
  }
}

function compareScopes({ scope: one }: ScopePolicy, { scope: other }: ScopePolicy): number {
  const part = SCOPE_PARTS.find((each) => one[each] !== other[each]);
  return part ? compareTexts(one[part], other[part]) : 0;
}

/** In the process only: losses before its start are not detected. */
export class InMemorySeenKeyspaces implements SeenKeyspaces {
  private readonly epochs = new Map<string, string>();

  async epochOf(keyspace: string): Promise<string | undefined> {
    return this.epochs.get(keyspace);
  }
  async see({ keyspace, epoch }: { keyspace: string; epoch: string }): Promise<void> {
    this.epochs.set(keyspace, epoch);
  }
}
