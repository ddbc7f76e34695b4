import { ownerOf } from '../recall/namespace-owner.ts';
import type { AffectedQueries, Evaluated, Evaluation, StandingQuery, StandingQueryIndex } from './standing-query.ts';

/** An index with the queries of some namespaces. */
interface Part {
  readonly index: StandingQueryIndex;
  /** Queries that the index has confirmed. */
  readonly ids: Set<number>;
  /** Found after revisions that the other parts have not reached. */
  ahead: AffectedQueries | undefined;
}

/** Standing queries in several indexes: those of a namespace are in the index that owns it. */
export class SplitStandingIndex implements StandingQueryIndex {
  private readonly parts: readonly Part[];
  private readonly partOf = new Map<number, Part>();

  constructor(indexes: readonly StandingQueryIndex[]) {
    this.parts = indexes.map((index) => ({ index, ids: new Set(), ahead: undefined }));
  }

  async put(id: number, query: StandingQuery, afterRevision: number): Promise<void> {
    const part = this.parts[ownerOf(query.namespace, this.parts.length)] as Part;
    // Known before the index answers: a removal meanwhile must reach the index after the query.
    this.partOf.set(id, part);
    try {
      await part.index.put(id, query, afterRevision);
    } catch (error) {
      if (!part.ids.has(id)) this.partOf.delete(id);
      throw error;
    }
    if (this.partOf.get(id) === part) part.ids.add(id);
  }

  async remove(id: number): Promise<void> {
    const part = this.partOf.get(id);
    this.partOf.delete(id);
    part?.ids.delete(id);
    await part?.index.remove(id);
  }

  /** Results of a part that is ahead of the others wait: all parts have reached `throughRevision`. */
  async affected({ afterRevision }: { readonly afterRevision: number }): Promise<AffectedQueries> {
    const asked = this.parts.filter(({ ids }) => ids.size > 0);
    // An index without queries reads up to the end.
    const parts = asked.length > 0 ? asked : this.parts.slice(0, 1);
    await Promise.all(
      parts.map(async (part) => {
        // A part that is ahead waits: if it read on, its results would be kept back for as long as writes come in.
        part.ahead ??= await part.index.affected({ afterRevision, count: part.ids.size });
      }),
    );
    const throughRevision = Math.min(...parts.map(({ ahead }) => ahead?.throughRevision ?? 0));
    const reached: AffectedQueries[] = [];
    for (const part of this.parts) {
      if (!part.ahead || part.ahead.throughRevision > throughRevision) continue;
      reached.push(part.ahead);
      part.ahead = undefined;
    }
    return joined(reached, throughRevision);
  }

  async evaluate(evaluations: readonly Evaluation[]): Promise<readonly Evaluated[]> {
    const byPart = new Map<Part, number[]>();
    const results: Evaluated[] = evaluations.map(() => ({ isUnknown: true }));
    for (const [at, { id }] of evaluations.entries()) {
      const part = this.partOf.get(id);
      if (!part) continue;
      const places = byPart.get(part);
      if (places) places.push(at);
      else byPart.set(part, [at]);
    }
    await Promise.all(
      Array.from(byPart, async ([{ index }, places]) => {
        const found = await index.evaluate(places.map((at) => evaluations[at] as Evaluation));
        for (const [nth, at] of places.entries()) results[at] = found[nth] ?? { isUnknown: true };
      }),
    );
    return results;
  }
}

function joined(found: readonly AffectedQueries[], throughRevision: number): AffectedQueries {
  return {
    throughRevision,
    urgent: distinct(found.map(({ urgent }) => urgent)),
    settling: distinct(found.map(({ settling }) => settling)),
    settlingNamespaces: distinct(found.map(({ settlingNamespaces }) => settlingNamespaces)),
    changed: found.flatMap(({ changed }) => changed),
    isEverything: found.some(({ isEverything }) => isEverything),
  };
}

function distinct<V>(lists: readonly (readonly V[])[]): V[] {
  return [...new Set(lists.flat())];
}
