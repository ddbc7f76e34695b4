import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Micros, Scope } from '../../../src/memory/memory.ts';
import {
  assertFacts,
  type Statement,
  type StatementOutcome,
} from '../../../src/server/operations/facts/assert-facts.ts';
import type { FactDeps, StoredFact } from '../../../src/server/operations/facts/fact-deps.ts';
import { type ListFactsRequest, listFacts } from '../../../src/server/operations/facts/read-facts.ts';
import { VisibilityRules } from '../../../src/server/operations/visibility/visibility.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { InMemoryMemoryStore } from '../../storage/in-memory/memory-store.ts';
import { call, TestEmbedder } from '../operations/support.ts';

export const SPACE = 'space';
export const DAY_US = 86_400_000_000;
export const START_US = Date.parse('2024-01-01T00:00:00Z') * 1000;
export const NOWHERE: Scope = { project: '', agentType: '', agent: '', session: '' };

const openPolicies = { list: async () => [], atHand: () => [] };

export type Backend = 'in-memory' | 'sqlite';
export const BACKENDS: readonly Backend[] = ['in-memory', 'sqlite'];

/** Operations on facts over a store of its own; time stands still until it is moved. */
export class FactBench {
  readonly deps: FactDeps;
  readonly clock: { us: Micros; nowUs(): Micros };
  private readonly closing: () => Promise<void>;

  private constructor(deps: FactDeps, clock: FactBench['clock'], closing: () => Promise<void>) {
    this.deps = deps;
    this.clock = clock;
    this.closing = closing;
  }

  static async open(backend: Backend): Promise<FactBench> {
    const clock = { us: START_US, nowUs: () => clock.us };
    const folder = await mkdtemp(join(tmpdir(), 'mneme-facts-'));
    const store = backend === 'sqlite' ? await openSqliteStore({ folder }) : new InMemoryMemoryStore();
    const closing = async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    };
    return new FactBench(factDeps(store, clock), clock, closing);
  }

  close(): Promise<void> {
    return this.closing();
  }

  async assert(...statements: Partial<Statement>[]): Promise<readonly StatementOutcome[]> {
    return (await assertFacts(this.deps, SPACE, statements.map(statement), call)).outcomes;
  }

  async list(request: Partial<ListFactsRequest> = {}): Promise<readonly StoredFact[]> {
    const whole = { namespace: SPACE, scope: NOWHERE, includesSuperseded: false, limit: 1000, ...request };
    return (await listFacts(this.deps, whole, call)).facts;
  }

  async values(request: Partial<ListFactsRequest> = {}): Promise<string[]> {
    return (await this.list(request)).map(({ fact }) => fact.value).sort();
  }
}

/** What operations on facts need, over a store. */
export function factDeps(store: FactDeps['store'] & FactDeps['view'], clock: FactDeps['clock']): FactDeps {
  let ids = 0;
  return {
    store,
    seen: store,
    view: store,
    embedder: Object.assign(new TestEmbedder(), { inline: true }),
    clock,
    newId: () => `id-${++ids}`,
    onEmbeddingPending: () => undefined,
    autoCreateNamespaces: true,
    visibilityRules: new VisibilityRules(openPolicies),
    factHalfLifeDays: 365,
  };
}

/** A statement that a caller makes; what a test does not say is of no account to it. */
export function statement(changes: Partial<Statement>): Statement {
  return {
    scope: NOWHERE,
    subject: 'user',
    attribute: 'home_city',
    value: '',
    text: '',
    confidence: 0.8,
    sources: [],
    trust: 'explicit',
    isExplicit: true,
    replaces: false,
    retracts: false,
    ...changes,
  };
}

/** A statement that an extractor made of a turn. */
export function heard(value: string, turn: string, changes: Partial<Statement> = {}): Partial<Statement> {
  return { value, trust: 'user', isExplicit: false, sources: [turn], text: `I live in ${value}.`, ...changes };
}
