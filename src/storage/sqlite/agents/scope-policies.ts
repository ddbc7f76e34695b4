import type { ScopePolicy } from '../../../memory/scope.ts';
import type { ScopePolicies } from '../../scope-policies.ts';
import type { Command } from '../commands/command.ts';
import type { SqliteAccess } from '../store-parts.ts';
import { policiesByName } from './policy-rows.ts';

/** Namespaces whose policies are cached. */
const NAMESPACES_MAX = 10_000;
const CHANGING: ReadonlySet<Command['kind']> = new Set(['setScopePolicy', 'createNamespace', 'deleteNamespace']);

/**
 * Policies in the database of the memories. Every call reads them: a cached entry stays valid until this process, the only
 * writer, changes the policies.
 */
export class SqliteScopePolicies implements ScopePolicies {
  private readonly access: SqliteAccess;
  private readonly known = new Map<string, readonly ScopePolicy[]>();
  private readonly listeners = new Set<(namespace: string) => void>();

  constructor(access: SqliteAccess) {
    this.access = access;
  }

  set(write: Parameters<ScopePolicies['set']>[0]): Promise<ScopePolicy> {
    return this.access.write({ kind: 'setScopePolicy', ...write });
  }

  atHand(namespace: string): readonly ScopePolicy[] | undefined {
    return this.known.get(namespace);
  }

  async list(namespace: string): Promise<readonly ScopePolicy[]> {
    const known = this.known.get(namespace);
    if (known) return known;
    const found = await this.access.read((database) => policiesByName(database, namespace));
    if (this.known.size >= NAMESPACES_MAX) this.known.clear();
    this.known.set(namespace, found);
    return found;
  }

  /** To be called with every command: invalidates the policies that it changes when it is done. */
  after<T>(command: Command, outcome: Promise<T>): Promise<T> {
    return CHANGING.has(command.kind) ? outcome.finally(() => this.forget(command)) : outcome;
  }

  /** Calls back with the namespace whose policy was set. */
  onChange(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private forget(command: Command): void {
    this.known.clear();
    if (command.kind !== 'setScopePolicy') return;
    for (const listener of this.listeners) listener(command.namespace);
  }
}
