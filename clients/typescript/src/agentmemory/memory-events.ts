import { isText } from './checks.ts';
import type { Engine } from './engine.ts';
import { MemoryConfigException, MemoryRetrievalException, refused } from './errors.ts';
import { type Fields, isRecord } from './models.ts';
import { shown } from './shown.ts';

/** The memories of the agent of an event. */
interface EventSpace {
  readonly agentId: string;
  storeState(stateData: Readonly<Fields>, stepNumber: number, priority: number): Promise<unknown>;
}

type Hook<Space> = (data: Fields, memorySpace: Space) => unknown;

const PRIORITY_MIN = 1;
const PRIORITY_MAX = 10;
const DEFAULT_PRIORITY = 5;

interface Registered<Space> {
  readonly priority: number;
  readonly hook: Hook<Space>;
}

/** Functions that are called on events of an agent, in the order of their priorities. */
export class EventHooks<Space extends EventSpace> {
  readonly #engine: Engine;
  readonly #hooks = new Map<string, readonly Registered<Space>[]>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Hooks of a higher priority, 1 to 10, are called first; those of one priority in the order of registration. */
  register(agentId: string, eventType: string, hook: Hook<Space>, priority = DEFAULT_PRIORITY): void {
    const refuse = (field: string, problem: string) => refused(MemoryConfigException, field, problem, { agentId });
    if (!isText(eventType)) throw refuse('eventType', `must be a text that is not empty, got ${shown(eventType)}`);
    if (typeof hook !== 'function') throw refuse('hook', `must be a function, got ${shown(hook)}`);
    if (!Number.isInteger(priority) || priority < PRIORITY_MIN || priority > PRIORITY_MAX) {
      const limits = `from ${PRIORITY_MIN} to ${PRIORITY_MAX}`;
      throw refuse('priority', `must be a whole number ${limits}, got ${shown(priority)}`);
    }
    const key = keyOf(agentId, eventType);
    // The sort is stable.
    const hooks = [...(this.#hooks.get(key) ?? []), { priority, hook }].sort((a, b) => b.priority - a.priority);
    this.#hooks.set(key, hooks);
  }

  /** Removes a hook; false where it is not registered. */
  unregister(agentId: string, eventType: string, hook: Hook<Space>): boolean {
    const key = keyOf(agentId, eventType);
    const hooks = this.#hooks.get(key) ?? [];
    const kept = hooks.filter((each) => each.hook !== hook);
    this.#hooks.set(key, kept);
    return kept.length < hooks.length;
  }

  /** Calls each hook once, one after the other. True where there is one and none failed; a failure is logged. */
  async trigger(space: Space, eventType: string, data: Readonly<Fields> | undefined): Promise<boolean> {
    if (data !== undefined && data !== null && !isRecord(data)) {
      const problem = `must be an object, got ${shown(data)}`;
      throw refused(MemoryRetrievalException, 'data', problem, { agentId: space.agentId });
    }
    const hooks = this.#hooks.get(keyOf(space.agentId, eventType)) ?? [];
    let isDone = hooks.length > 0;
    for (const { hook } of hooks) {
      try {
        await storeAnswer(space, await hook({ timestamp: this.#engine.now(), ...data }, space));
      } catch (error) {
        this.#engine.log.write('ERROR', `a hook of ${space.agentId} for ${eventType} failed: ${shown(hook)}`, error);
        isDone = false;
      }
    }
    return isDone;
  }
}

function keyOf(agentId: string, eventType: string): string {
  return JSON.stringify([agentId, eventType]);
}

async function storeAnswer(space: EventSpace, answer: unknown): Promise<void> {
  if (!isRecord(answer) || answer['store_memory'] !== true) return;
  const { memory_data: data = {}, step_number: step = 0, priority = 1 } = answer;
  await space.storeState(data as Fields, step as number, priority as number);
}
