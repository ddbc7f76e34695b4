import type { Idempotency } from '../../../src/memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../../src/memory/errors.ts';
import type { Micros } from '../../../src/memory/memory.ts';
import { newNamespace } from '../../../src/storage/changed-memory.ts';
import type { NamespaceWrite } from '../../../src/storage/records.ts';
import { Draft, type NamespaceContents } from '../../../src/storage/rules/draft.ts';
import { type Kept, keptOutcome } from '../../../src/storage/rules/kept-outcome.ts';
import { begunInCall } from './begun-in-call.ts';
import { EntryLog } from './entry-log.ts';
import { ownBytes } from './own-bytes.ts';

interface Write {
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  readonly toKeep?: unknown;
}

/** All namespaces. A write replaces its namespace or changes nothing. */
export class AllNamespaces {
  revision = 0;
  isClosed = false;
  readonly outcomes: Outcomes;
  readonly log = new EntryLog(this);
  private readonly namespaces = new Map<string, NamespaceContents>();

  constructor(options: { retentionUs: Micros }) {
    this.outcomes = new Outcomes(options.retentionUs);
  }

  /** Namespaces by name. */
  all(): NamespaceContents[] {
    return [...this.namespaces.values()].sort((a, b) => (a.namespace.name < b.namespace.name ? -1 : 1));
  }

  find(name: string): NamespaceContents | undefined {
    return this.namespaces.get(name);
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  get(name: string): NamespaceContents {
    const contents = this.namespaces.get(name);
    if (!contents) throw namespaceNotFound(name);
    return contents;
  }

  /** The namespace; without a name, all of them. */
  some(name: string | undefined): NamespaceContents[] {
    return name === undefined ? this.all() : [this.get(name)];
  }

  /** Runs a write once for each request id, unless its call ends before the end of this turn. */
  async once<O>(name: string, { idempotency, atUs, toKeep }: Write, run: () => O): Promise<O> {
    await begunInCall();
    if (this.isClosed) throw new MnemeError('DRAINING', 'the store is closed: nothing more is stored');
    if (!idempotency) return run();
    const kept = this.outcomes.find(name, idempotency, atUs);
    if (kept) return kept.outcome as O;
    const outcome = run();
    this.outcomes.keep(name, idempotency, toKeep ?? outcome, atUs);
    return outcome;
  }

  /** Reverts all changes of `run` to the set of namespaces when it fails. */
  whole<O>(run: () => O): O {
    const before = new Map(this.namespaces);
    const { revision } = this;
    const undo = this.log.savepoint();
    try {
      return run();
    } catch (error) {
      this.namespaces.clear();
      for (const [name, contents] of before) this.namespaces.set(name, contents);
      this.revision = revision;
      undo();
      throw error;
    }
  }

  change<O>(name: string, run: (draft: Draft) => O, atUs: Micros = 0): O {
    const draft = new Draft(this.get(name), this.revision);
    const outcome = run(draft);
    ownBytes(draft);
    this.log.take(draft, atUs);
    const { namespace, entries, nextSequence } = draft;
    this.namespaces.set(name, { namespace, entries, nextSequence });
    this.revision = draft.revision;
    this.log.tell();
    return outcome;
  }

  add(write: NamespaceWrite): NamespaceContents {
    const contents = { namespace: newNamespace(write, ++this.revision), entries: new Map(), nextSequence: 1 };
    this.namespaces.set(write.name, contents);
    this.log.open(write.name, this.revision, write.atUs);
    return contents;
  }

  remove(name: string, atUs: Micros = 0): void {
    this.namespaces.delete(name);
    this.log.close(name, ++this.revision, atUs);
  }
}

/** Outcomes of writes with a request id. */
export class Outcomes {
  private readonly retentionUs: Micros;
  private readonly outcomes = new Map<string, Kept>();

  constructor(retentionUs: Micros) {
    this.retentionUs = retentionUs;
  }

  /** Fails with REQUEST_ID_REUSED. */
  find(namespace: string, idempotency: Idempotency, nowUs: Micros): { outcome: unknown } | undefined {
    return keptOutcome(this.outcomes.get(`${namespace} ${idempotency.requestId}`), idempotency, nowUs);
  }

  keep(namespace: string, { requestId, fingerprint }: Idempotency, outcome: unknown, atUs: Micros): void {
    const kept = { fingerprint, outcome, expiresAtUs: atUs + this.retentionUs };
    this.outcomes.set(`${namespace} ${requestId}`, kept);
  }
}
