import type { ScopePolicy } from '../../../src/memory/scope.ts';
import type { Records } from '../../../src/storage/records.ts';
import { changedPolicies } from '../../../src/storage/rules/changed-policies.ts';
import type { ScopePolicies, SeenKeyspaces } from '../../../src/storage/scope-policies.ts';
import { Outcomes } from './all-namespaces.ts';

const RETENTION_US = 24 * 60 * 60 * 1_000_000;

/** Policies beside a memory store, in the process only. */
export class InMemoryScopePolicies implements ScopePolicies {
  private readonly namespaces: Pick<Records, 'getNamespace'>;
  private readonly outcomes = new Outcomes(RETENTION_US);
  /** Policies by key of the namespace: a namespace that is created again has no policies. */
  private readonly policies = new Map<string, readonly ScopePolicy[]>();
  private readonly listeners = new Set<(namespace: string) => void>();

  constructor(namespaces: Pick<Records, 'getNamespace'>) {
    this.namespaces = namespaces;
  }

  async set({ namespace, policy, atUs, idempotency }: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    const life = await this.lifeOf(namespace);
    const kept = idempotency && this.outcomes.find(namespace, idempotency, atUs);
    if (kept) return kept.outcome as ScopePolicy;
    this.policies.set(life, changedPolicies(namespace, this.policies.get(life) ?? [], policy));
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

/** Epochs in the process only: losses before its start are not detected. */
export class InMemorySeenKeyspaces implements SeenKeyspaces {
  private readonly epochs = new Map<string, string>();

  async epochOf(keyspace: string): Promise<string | undefined> {
    return this.epochs.get(keyspace);
  }
  async see({ keyspace, epoch }: { keyspace: string; epoch: string }): Promise<void> {
    this.epochs.set(keyspace, epoch);
  }
}
