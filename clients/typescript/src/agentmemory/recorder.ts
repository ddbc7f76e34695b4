import { AsyncLocalStorage } from 'node:async_hooks';
import { fieldsOf, jsonOfAny, publicState, type Snapshot, snapshotOf } from './capture.ts';
import type { Engine } from './engine.ts';
import type { MemoryQueue } from './memory-queue.ts';
import { isStep } from './models.ts';

/** Least time between two complaints about one agent. */
const COMPLAINT_INTERVAL_MS = 60_000;

/** An agent, of whatever class. */
export interface Agent {
  readonly stepNumber?: unknown;
  readonly getState?: unknown;
}

/** No state could be read. */
export const UNKNOWN = Symbol('unknown');

/** Agents whose action or capture runs here: their nested actions and `getState` are not recorded. */
const inside = new AsyncLocalStorage<ReadonlySet<object>>();

/** True within an action or a capture of the agent. */
export function isInside(agent: object): boolean {
  return inside.getStore()?.has(agent) ?? false;
}

/** Runs a part of an action, or a capture, of an agent. */
export function runInside<Result>(agent: object, run: () => Result): Result {
  const outer = inside.getStore();
  if (outer?.has(agent)) return run();
  return inside.run(outer === undefined ? new Set([agent]) : new Set([...outer, agent]), run);
}

/** What an action leaves. */
export interface EndedRun {
  readonly agent: Agent;
  readonly step: number;
  readonly after: Snapshot | undefined;
  /** JSON. */
  readonly content: string;
  readonly importance: number;
  readonly interactions: readonly unknown[];
}

/**
 * Records one agent: the agent's own steps where it advances them, otherwise one step for each action. No failure in here
 * reaches the agent.
 */
export class Recorder {
  readonly #queue: MemoryQueue;
  readonly #engine: Engine;
  #agentId: string;
  readonly #isFixedId: boolean;
  #declared: number | undefined;
  #advances = false;
  #acts = 0;
  #currentStep = 0;
  #lastState: { readonly json: string; readonly step: number } | undefined;
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(queue: MemoryQueue, engine: Engine, agentId: string, isFixedId: boolean) {
    this.#queue = queue;
    this.#engine = engine;
    this.#agentId = agentId;
    this.#isFixedId = isFixedId;
  }

  /** Milliseconds since some instant. */
  nowMs(): number {
    return this.#engine.timing.nowMs();
  }

  /** An action begins in this state; its step. */
  begin(agent: Agent, before: Snapshot | undefined): number {
    const declared = declaredBy(agent, before);
    const step = this.#stepOf(declared);
    this.#declared = declared;
    this.#acts += 1;
    this.#currentStep = step;
    if (before) this.#putState(before, step);
    return step;
  }

  /** The agent was asked for its state outside of an action. */
  sawState(agent: Agent, state: unknown): void {
    this.guard(agent, () => {
      const snapshot = this.snapshot(state);
      if (snapshot) this.#putState(snapshot, this.#stepOf(declaredBy(agent, snapshot)));
    });
  }

  /** The agent reports an interaction. */
  interaction(agent: Agent, data: unknown, priority: number): void {
    const isActing = isInside(agent);
    this.guard(agent, () => {
      const step = isActing ? this.#currentStep : this.#stepOf(declaredBy(agent, undefined));
      this.#put('interaction', step, jsonOfAny(fieldsOf(data)), priority);
    });
  }

  /** Stores an action, its interactions, and the state after it. */
  end({ agent, step, after, content, importance, interactions }: EndedRun): void {
    const next = this.#stepAfter(step, declaredBy(agent, after));
    this.#put('action', step, content, importance);
    for (const interaction of interactions) this.#put('interaction', step, jsonOfAny(fieldsOf(interaction)), 1);
    if (after) this.#putState(after, next);
  }

  snapshot(state: unknown): Snapshot | undefined {
    if (state === UNKNOWN) return undefined;
    const snapshot = snapshotOf(state);
    if (!this.#isFixedId && snapshot.agentId !== undefined) this.#agentId = snapshot.agentId;
    return snapshot;
  }

  /** The agent's state, or a promise of it; `UNKNOWN` where it cannot be read. */
  readState(agent: Agent): unknown {
    const read = () => {
      const { getState } = agent;
      return typeof getState === 'function' ? (Reflect.apply(getState, agent, []) as unknown) : publicState(agent);
    };
    return this.guard(agent, read, UNKNOWN);
  }

  /** The result; where it throws, the failure is logged, and the other value is the result. */
  guard<Result, Other = undefined>(agent: object, run: () => Result, other?: Other): Result | Other {
    try {
      return runInside(agent, run);
    } catch (error) {
      this.complain(error);
      return other as Other;
    }
  }

  /** Logs a failure, at most once a minute for each agent. */
  complain(error: unknown): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#complainedMs < COMPLAINT_INTERVAL_MS) return;
    this.#complainedMs = nowMs;
    this.#engine.log.write('WARNING', `something of agent ${this.#agentId} was not recorded`, error);
  }

  #put(memoryType: string, stepNumber: number, json: string, priority: number): void {
    const valid = priority >= 0 && priority <= 1 ? priority : 1;
    const memory = { agentId: this.#agentId, memoryType, stepNumber, json, priority: valid, at: this.#engine.now() };
    this.#queue.put(memory);
  }

  #putState(snapshot: Snapshot, step: number): void {
    const { json } = snapshot;
    if (this.#lastState?.step === step && this.#lastState.json === json) return;
    this.#lastState = { json, step };
    this.#put('state', step, json, snapshot.importance);
  }

  #stepOf(declared: number | undefined): number {
    if (declared === undefined) return this.#acts;
    if (this.#declared !== undefined && declared !== this.#declared) this.#advances = true;
    return this.#advances ? declared : declared + this.#acts;
  }

  #stepAfter(step: number, declared: number | undefined): number {
    if (declared === undefined) return step + 1;
    if (this.#declared !== undefined && declared !== this.#declared) this.#advances = true;
    if (!this.#advances) return step + 1;
    this.#declared = declared;
    return declared;
  }
}

/** The step that the agent says it is at. */
function declaredBy(agent: Agent, snapshot: Snapshot | undefined): number | undefined {
  if (snapshot?.step !== undefined) return snapshot.step;
  return isStep(agent.stepNumber) ? agent.stepNumber : undefined;
}
