/** Half of the memories of all rooms together whose numbers are known at most: some 10 MB in all. */
const HALF = 50_000;

type Sequences = Map<string, Map<string, number>>;

/**
 * Numbers that memories have in Redis, by room and id, as they were when this server last wrote or read them. They may be
 * out of date: whoever reads a memory by its number has to look whether it is the one. Those that are long not asked for are
 * forgotten.
 */
export class KnownMembers {
  private recent: Sequences = new Map();
  private former: Sequences = new Map();
  private count = 0;

  sequenceOf(room: string, id: string): number | undefined {
    const sequence = this.recent.get(room)?.get(id);
    if (sequence !== undefined) return sequence;
    const former = this.former.get(room)?.get(id);
    if (former !== undefined) this.note(room, id, former);
    return former;
  }

  /** Of those of the ids whose numbers are known. */
  sequencesOf(room: string, ids: readonly string[]): Map<string, number> {
    const sequences = new Map<string, number>();
    for (const id of ids) {
      const sequence = this.sequenceOf(room, id);
      if (sequence !== undefined) sequences.set(id, sequence);
    }
    return sequences;
  }

  note(room: string, id: string, sequence: number): void {
    let known = this.recent.get(room);
    if (!known) {
      if (this.count >= HALF) this.age();
      known = new Map();
      this.recent.set(room, known);
    }
    const before = known.size;
    known.set(id, sequence);
    this.count += known.size - before;
    if (this.count > HALF) this.age();
  }

  private age(): void {
    this.former = this.recent;
    this.recent = new Map();
    this.count = 0;
  }
}
