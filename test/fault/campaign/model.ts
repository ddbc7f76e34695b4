/** What is known of a write that a lane sends. */
export interface Write {
  readonly requestId: string;
  readonly lane: number;
  /** State of each entry after the write: its mark, or `null` where it is erased. All of them or none take effect. */
  readonly after: readonly Entry[];
}

export interface Entry {
  /** Of a memory, a value of a session or a checkpoint. Empty: the server makes it. */
  readonly id: string;
  readonly mark: string | null;
}

/** Ways in which stored state differs from acknowledged state. */
export const FINDING_KINDS = ['lost', 'revived', 'torn', 'duplicated', 'missed', 'wrong'] as const;

/**
 * `lost`: an acknowledged write has no effect. `revived`: an erased entry is there. `torn`: a write has taken effect in part.
 * `duplicated`: twice. `missed`: a watcher was not sent a change, or in another order. `wrong`: any other wrong answer.
 */
export interface Finding {
  readonly kind: (typeof FINDING_KINDS)[number];
  readonly text: string;
}

/** An effect of a write on one entry. */
export interface Effect extends Entry {
  /** Mark that the entry had before. */
  readonly former: string | undefined;
}

/** A write without an answer, and whether it turned out to have taken effect. */
export interface Decided {
  readonly write: Write;
  readonly isDone: boolean;
}

/** Mark of an entry whose parts do not belong together. */
export const TORN = '!';

/**
 * The state that acknowledged writes leave, and the writes without an answer, each of which may or may not have taken effect. One
 * entry is changed by one write at a time, and not at all while the outcome of a write is unknown.
 */
export class Model {
  private readonly settled = new Map<string, { readonly mark: string; readonly lane: number }>();
  private readonly erased = new Set<string>();
  private readonly open = new Map<string, Write>();
  private journal: Effect[] = [];

  begin(write: Write): void {
    this.open.set(write.requestId, write);
  }

  /** `ids`: of the entries, in their order, where the server has made them. */
  acknowledge({ requestId }: Write, ids: readonly string[] = []): void {
    const write = this.open.get(requestId);
    if (!write) throw new Error(`write ${requestId} is not open`);
    this.open.delete(requestId);
    this.apply({ ...write, after: write.after.map(({ id, mark }, at) => ({ id: id || (ids[at] ?? ''), mark })) });
  }

  /** It has not taken effect, and never will. */
  refuse({ requestId }: Write): void {
    this.open.delete(requestId);
  }

  get size(): number {
    return this.settled.size;
  }

  get openCount(): number {
    return this.open.size;
  }

  markOf(id: string): string | undefined {
    return this.settled.get(id)?.mark;
  }

  isErased(id: string): boolean {
    return this.erased.has(id);
  }

  /** Every entry that no open write is about, with its mark. */
  known(): Map<string, string> {
    const open = this.openIds();
    return new Map([...this.settled].flatMap(([id, { mark }]) => (open.has(id) ? [] : [[id, mark] as const])));
  }

  private openIds(): Set<string> {
    return new Set([...this.open.values()].flatMap(({ after }) => after.map(({ id }) => id)));
  }

  /** Effects of writes since the last call, in their order. */
  takeJournal(): Effect[] {
    const taken = this.journal;
    this.journal = [];
    return taken;
  }

  /** Entries of a lane that no open write is about. */
  idsOf(lane: number): string[] {
    const open = this.openIds();
    return [...this.settled].flatMap(([id, entry]) => (entry.lane === lane && !open.has(id) ? [id] : []));
  }

  /** Whether a write of the lane about an entry whose id begins so has no answer. */
  isOpen(lane: number, prefix: string): boolean {
    return [...this.open.values()].some(
      (write) => write.lane === lane && write.after.some(({ id }) => id.startsWith(prefix)),
    );
  }

  /** Compares the stored state with this one. The stored state is the expected one from then on, and no write is open. */
  judge(stored: ReadonlyMap<string, string>): { readonly findings: Finding[]; readonly decided: Decided[] } {
    const findings: Finding[] = [];
    const unnamed = this.unnamedByMark(stored);
    const decided = [...this.open.values()].map((write) => this.decide(write, stored, unnamed, findings));
    this.open.clear();
    for (const { write, isDone } of decided) if (isDone) this.apply(write);
    for (const [id, { mark, lane }] of [...this.settled]) {
      const seen = stored.get(id);
      if (seen === mark) continue;
      findings.push(difference(id, mark, seen));
      if (seen === undefined) this.settled.delete(id);
      else this.settled.set(id, { mark: seen, lane });
    }
    const marks = new Set([...this.settled.values()].map(({ mark }) => mark));
    for (const [id, mark] of stored) {
      if (this.settled.has(id)) continue;
      if (this.erased.has(id)) findings.push({ kind: 'revived', text: `${id} was erased and is there with ${mark}` });
      else if (marks.has(mark)) findings.push({ kind: 'duplicated', text: `${mark} is there again as ${id}` });
      else findings.push({ kind: 'wrong', text: `${id} with ${mark} was never stored` });
      this.settled.set(id, { mark, lane: 0 });
    }
    return { findings, decided };
  }

  /** Stored entries that no acknowledged write made, by their marks. */
  private unnamedByMark(stored: ReadonlyMap<string, string>): Map<string, string> {
    const found = new Map<string, string>();
    for (const [id, mark] of stored) {
      if (!this.settled.has(id) && !this.erased.has(id) && !found.has(mark)) found.set(mark, id);
    }
    return found;
  }

  private decide(
    write: Write,
    stored: ReadonlyMap<string, string>,
    unnamed: ReadonlyMap<string, string>,
    findings: Finding[],
  ): Decided {
    const after = write.after.map(({ id, mark }) => ({ id: id || (unnamed.get(mark ?? '') ?? ''), mark }));
    const done = after.filter(({ id, mark }) => id !== '' && (stored.get(id) ?? null) === mark);
    const isDone = done.length === after.length;
    const isNotDone = after.every(({ id }) => stored.get(id) === this.markOf(id));
    if (!isDone && !isNotDone && done.length > 0) {
      findings.push({
        kind: 'torn',
        text: `${write.requestId}: ${done.length} of ${after.length} entries are written`,
      });
    }
    return { write: { ...write, after }, isDone };
  }

  private apply({ lane, after }: Write): void {
    for (const { id, mark } of after) {
      this.journal.push({ id, mark, former: this.markOf(id) });
      if (mark === null) {
        this.settled.delete(id);
        this.erased.add(id);
      } else {
        this.settled.set(id, { mark, lane });
        this.erased.delete(id);
      }
    }
  }
}

function difference(id: string, mark: string, seen: string | undefined): Finding {
  if (seen === undefined) return { kind: 'lost', text: `${id} with ${mark} is not there` };
  if (seen.startsWith(TORN)) return { kind: 'torn', text: `${id}: ${seen}` };
  return { kind: 'lost', text: `${id} has ${seen} instead of ${mark}` };
}
