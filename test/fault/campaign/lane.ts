import { type Mneme, MnemeError, type NewMemory } from '../../../clients/typescript/src/index.ts';
import { TIERS } from '../../../src/memory/memory.ts';
import { randomOf, type TestRandom } from '../../support/random.ts';
import { markOf, markOfValues, memoryWith, valueWith } from './entries.ts';
import type { Entry, Finding, Model, Write } from './model.ts';

/** Memories of a lane from which on it erases as many as it stores. */
const MEMORIES_MAX = 80;
const KEYS = 6;
const CHECKPOINTS_MAX = 4;

export const VALUE = 's/';
export const CHECKPOINT = 'c/';
export const sessionOf = (lane: number) => `lane${lane}`;
const valueId = (lane: number, key: string) => `${VALUE}${lane}/${key}`;
const checkpointId = (lane: number, id: string) => `${CHECKPOINT}${lane}/${id}`;
export const lastOf = (id: string) => id.slice(id.lastIndexOf('/') + 1);

/** A write and the call that makes it; the call may be repeated with the same request id. */
export interface Planned {
  readonly write: Write;
  /** Resolves to the ids of the memories. */
  readonly send: (mneme: Mneme, requestId: string) => Promise<readonly string[]>;
}

export interface Step {
  /** `moved`: a memory changed its tier, or may have, which is not compared. */
  readonly outcome: 'acknowledged' | 'refused' | 'unknown' | 'moved';
  readonly finding?: Finding;
}

/** Reasons for which the server refuses a write that has no effect and never will have. */
const REFUSALS: ReadonlySet<string> = new Set(['STORAGE_FULL', 'QUEUE_FULL']);
/** After these the outcome of a write is unknown. */
const BROKEN: ReadonlySet<string> = new Set(['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED']);

/** Writes one after the other; each lane has memories and a session of its own. */
export class Lane {
  readonly planned = new Map<string, Planned>();
  private readonly number: number;
  private readonly round: number;
  private readonly model: Model;
  private readonly random: TestRandom;
  private readonly memories: string[];
  private count = 0;

  constructor(options: {
    readonly number: number;
    readonly round: number;
    readonly seed: string;
    readonly model: Model;
  }) {
    this.number = options.number;
    this.round = options.round;
    this.model = options.model;
    this.random = randomOf(`lane ${options.number}`, `${options.seed}-${options.round}`);
    this.memories = this.model.idsOf(this.number).filter((id) => !id.startsWith(VALUE) && !id.startsWith(CHECKPOINT));
  }

  /** Makes the next write. Returns a finding where the server gives an answer that no fault explains. */
  async step(mneme: Mneme): Promise<Step> {
    if (this.random.chance(0.08)) return this.move(mneme);
    const planned = this.plan();
    const { write } = planned;
    this.planned.set(write.requestId, planned);
    this.model.begin(write);
    for (const { id } of write.after) this.drop(id);
    try {
      const ids = await planned.send(mneme, write.requestId);
      this.model.acknowledge(write, ids);
      this.keep(write.after, ids);
      return { outcome: 'acknowledged' };
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      if (REFUSALS.has(error.reason ?? '')) {
        this.model.refuse(write);
        for (const { id } of write.after) if (this.model.markOf(id) !== undefined) this.keepId(id);
        return { outcome: 'refused' };
      }
      if (BROKEN.has(error.code)) return { outcome: 'unknown' };
      return { outcome: 'unknown', finding: unexpected(write, error) };
    }
  }

  /** Moves memories between tiers, which changes none of their parts. */
  private async move(mneme: Mneme): Promise<Step> {
    const id = this.memories[this.random.int(this.memories.length)];
    const toTier = this.random.pick(TIERS);
    if (id === undefined) return { outcome: 'moved' };
    try {
      if (toTier !== 'short_term') await mneme.demote([id], { toTier });
      else await mneme.promote([id], { toTier });
      return { outcome: 'moved' };
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      if (BROKEN.has(error.code) || REFUSALS.has(error.reason ?? '')) return { outcome: 'unknown' };
      return { outcome: 'unknown', finding: { kind: 'wrong', text: `move of ${id}: ${textOf(error)}` } };
    }
  }

  private plan(): Planned {
    const { random, memories } = this;
    this.count++;
    const isFull = memories.length >= MEMORIES_MAX;
    const drawn = random.next();
    if (drawn < 0.3) return this.ofSession();
    if (memories.length === 0 || (drawn < 0.6 && !isFull))
      return this.stored(random.chance(0.4) ? 2 + random.int(5) : 1);
    const id = random.pick(memories);
    return drawn < 0.82 && !isFull ? this.updated(id) : this.erased(id);
  }

  private stored(count: number): Planned {
    const isUnnamed = count === 1 && this.random.chance(0.3);
    const after = Array.from({ length: count }, (_, at) => {
      const mark = this.mark(at);
      return { id: isUnnamed ? '' : `m-${mark}`, mark };
    });
    const memories = after.map(({ id, mark }) => memoryWith(mark, id));
    const [only] = memories;
    return this.planOf(after, async (mneme, requestId) => {
      if (count === 1) return [(await mneme.store(only as NewMemory, { requestId })).id];
      return (await mneme.batchStore(memories, { requestId })).map(({ id }) => id);
    });
  }

  private updated(id: string): Planned {
    const mark = this.mark(0);
    const { id: _, ...changes } = memoryWith(mark, id);
    return this.planOf([{ id, mark }], async (mneme, requestId) => [
      (await mneme.update(id, changes, { requestId })).id,
    ]);
  }

  private erased(id: string): Planned {
    return this.planOf([{ id, mark: null }], async (mneme, requestId) => {
      await mneme.delete(id, { requestId });
      return [id];
    });
  }

  private ofSession(): Planned {
    const { random, number: lane, model } = this;
    const isBusy = model.isOpen(lane, VALUE);
    const drawn = random.next();
    // A checkpoint that is sent again has the values of that moment: until then they stay as they are.
    if (model.isOpen(lane, CHECKPOINT)) return this.stored(1);
    if (drawn < 0.15 && !isBusy) return this.checkpoint();
    const session = (mneme: Mneme) => mneme.session(sessionOf(lane));
    const open = new Set(Array.from({ length: KEYS }, (_, at) => `key${at}`).filter((key) => this.isKeyOpen(key)));
    const keys = Array.from({ length: KEYS }, (_, at) => `key${at}`).filter((key) => !open.has(key));
    if (keys.length < 2) return this.stored(1);
    const first = random.pick(keys);
    const second = random.pick(keys.filter((key) => key !== first));
    const mark = this.mark(0);
    if (drawn < 0.4) {
      const after = [first, second].map((key) => ({ id: valueId(lane, key), mark }));
      const operations = [first, second].map((set) => ({ set, value: valueWith(mark) }));
      return this.planOf(after, async (mneme, requestId) => {
        await session(mneme).transact(operations, { requestId });
        return [];
      });
    }
    if (drawn < 0.5 && model.markOf(valueId(lane, first)) !== undefined) {
      return this.planOf([{ id: valueId(lane, first), mark: null }], async (mneme, requestId) => {
        await session(mneme).delete(first, { requestId });
        return [];
      });
    }
    return this.planOf([{ id: valueId(lane, first), mark }], async (mneme, requestId) => {
      await session(mneme).set(first, valueWith(mark), { requestId });
      return [];
    });
  }

  /** A checkpoint of the session, or the end of its oldest one. */
  private checkpoint(): Planned {
    const { number: lane, model } = this;
    const all = model.idsOf(lane);
    const session = (mneme: Mneme) => mneme.session(sessionOf(lane));
    const kept = all.filter((id) => id.startsWith(CHECKPOINT));
    const values = new Map(
      all.filter((id) => id.startsWith(VALUE)).map((id) => [lastOf(id), model.markOf(id) ?? ''] as const),
    );
    const [oldest] = kept;
    if (values.size === 0) return this.stored(1);
    if (oldest !== undefined && kept.length >= CHECKPOINTS_MAX) {
      return this.planOf([{ id: oldest, mark: null }], async (mneme, requestId) => {
        await session(mneme).deleteCheckpoint(lastOf(oldest), { requestId });
        return [];
      });
    }
    const id = this.mark(0);
    return this.planOf([{ id: checkpointId(lane, id), mark: markOfValues(values) }], async (mneme, requestId) => {
      await session(mneme).createCheckpoint({ checkpointId: id }, { requestId });
      return [];
    });
  }

  private isKeyOpen(key: string): boolean {
    return this.model.isOpen(this.number, valueId(this.number, key));
  }

  private mark(at: number): string {
    return markOf(this.round, this.number, this.count, at);
  }

  private planOf(after: readonly Entry[], send: Planned['send']): Planned {
    const requestId = `q-${this.random.seed}-${this.number}-${this.count}`;
    return { write: { requestId, lane: this.number, after }, send };
  }

  private drop(id: string): void {
    const at = this.memories.indexOf(id);
    if (at >= 0) this.memories.splice(at, 1);
  }

  private keep(after: readonly Entry[], ids: readonly string[]): void {
    for (const [at, { id, mark }] of after.entries()) if (mark !== null) this.keepId(id || (ids[at] ?? ''));
  }

  private keepId(id: string): void {
    if (!id.startsWith(VALUE) && !id.startsWith(CHECKPOINT)) this.memories.push(id);
  }
}

function unexpected({ requestId, after }: Write, error: MnemeError): Finding {
  const ids = after.map(({ id, mark }) => `${id} ${mark ?? 'erased'}`).join(', ');
  const kind = error.code === 'NOT_FOUND' ? 'lost' : 'wrong';
  return { kind, text: `write ${requestId} (${ids}): ${textOf(error)}` };
}

export function textOf(error: MnemeError): string {
  return `${error.code} ${error.reason ?? ''} ${error.message}`.slice(0, 300);
}
