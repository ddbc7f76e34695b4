import { boundedJsonOf, fieldsOf, jsonOfAny, type Snapshot } from './capture.ts';
import { type Fields, isNumber, isRecord, Model, stateImportance } from './models.ts';
import { type Agent, type Recorder, UNKNOWN } from './recorder.ts';

const MESSAGE_MAX = 500;
const ITEMS_MAX = 100;

/** How an action is over. */
export interface Outcome {
  readonly result?: unknown;
  /** What it threw. Absent when it returned. */
  readonly error?: { readonly thrown: unknown };
}

/** The error of a generator that its reader left before its end. */
export const LEFT: Outcome = { error: { thrown: Object.assign(new Error(''), { name: 'GeneratorExit' }) } };

/** One action of an agent, from its begin to its end. */
export class RecordedRun {
  readonly recorder: Recorder;
  readonly #agent: Agent;
  readonly #before: Snapshot | undefined;
  readonly #observation: string | undefined;
  readonly #step: number = 0;
  readonly #startedMs: number;
  /** As JSON. */
  readonly #items: string[] = [];
  #itemCount = 0;
  #isEnded = false;

  /** An action with these arguments begins in this state. */
  constructor(recorder: Recorder, agent: Agent, state: unknown, args: readonly unknown[]) {
    this.recorder = recorder;
    this.#agent = agent;
    const begun = recorder.guard(agent, () => {
      const before = recorder.snapshot(state);
      return { before, step: recorder.begin(agent, before) };
    });
    this.#before = begun?.before;
    this.#step = begun?.step ?? 0;
    if (args.length > 0)
      this.#observation = recorder.guard(agent, () => boundedJsonOf(args.length === 1 ? args[0] : { args }));
    this.#startedMs = recorder.nowMs();
  }

  /** The action yielded an item. */
  saw(item: unknown): void {
    this.#itemCount += 1;
    if (this.#items.length >= ITEMS_MAX) return;
    const json = this.recorder.guard(this.#agent, () => boundedJsonOf(item));
    if (json !== undefined) this.#items.push(json);
  }

  /** The action is over. Counts once. */
  end(state: unknown, outcome: Outcome): void {
    const seconds = (this.recorder.nowMs() - this.#startedMs) / 1000;
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.recorder.guard(this.#agent, () => this.#record(this.recorder.snapshot(state), outcome, seconds));
  }

  /** The same, with the agent's state as it is now; one that is a promise is not read. */
  endNow(outcome: Outcome): void {
    this.end(stateNow(this.recorder, this.#agent), outcome);
  }

  /** The same, with the agent's state, which may be a promise. */
  async endSoon(outcome: Outcome): Promise<void> {
    this.end(await stateSoon(this.recorder, this.#agent), outcome);
  }

  #record(after: Snapshot | undefined, { result, error }: Outcome, seconds: number): void {
    const before = this.#before;
    const action = actionOf(this.#agent, result);
    const reward = action.reward ?? rewardIn(after);
    const change = before && after ? stateImportance(before.numbers, after.numbers) : 0.5;
    const facts: Fields = {
      action_type: action.type,
      reward,
      state_change: change,
      execution_time: seconds,
      step_number: this.#step,
    };
    if (error) facts['error'] = errorFields(error.thrown);
    const parts: [string, string][] = [
      ['action_params', action.params === undefined ? '{}' : boundedJsonOf(action.params)],
      ['state_before', before?.json ?? 'null'],
      ['state_after', after?.json ?? 'null'],
    ];
    if (this.#observation !== undefined) parts.push(['observation', this.#observation]);
    if (action.other !== undefined) parts.push(['result', boundedJsonOf(action.other)]);
    if (this.#itemCount > 0) parts.push(['yielded', `[${this.#items.join()}]`], ['yield_count', `${this.#itemCount}`]);
    const content = `${jsonOfAny(facts).slice(0, -1)}${parts.map(([name, json]) => `,"${name}":${json}`).join('')}}`;
    const importance = Math.min(1, 0.5 * Math.abs(reward) + 0.5 * change);
    const { interactions } = action;
    this.recorder.end({ agent: this.#agent, step: this.#step, after, content, importance, interactions });
  }
}

/** The agent's state; unknown where it is a promise. */
export function stateNow(recorder: Recorder, agent: Agent): unknown {
  const state = recorder.readState(agent);
  if (!(state instanceof Promise)) return state;
  state.catch(() => {});
  return UNKNOWN;
}

/** The agent's state, also where it is a promise. */
export async function stateSoon(recorder: Recorder, agent: Agent): Promise<unknown> {
  try {
    return await recorder.readState(agent);
  } catch (error) {
    recorder.complain(error);
    return UNKNOWN;
  }
}

function rewardIn(after: Snapshot | undefined): number {
  const reward = after?.numbers['reward'];
  return isNumber(reward) ? reward : 0;
}

function errorFields(thrown: unknown): Fields {
  const type = thrown instanceof Error ? thrown.name : typeof thrown;
  const message = (thrown instanceof Error ? thrown.message : jsonOfAny(thrown)).slice(0, MESSAGE_MAX);
  return { type, message, cancelled: type === 'AbortError' || type === 'GeneratorExit' };
}

/** What a result says of an action: an `ActionResult`, an object with the same fields, or any value. */
function actionOf(agent: Agent, result: unknown) {
  const isNothing = result === undefined || result === null || result === agent;
  const hasFields = !isNothing && (result instanceof Model || isRecord(result));
  if (!hasFields) {
    const other = isNothing ? undefined : result;
    return { type: 'act', params: undefined, reward: undefined, interactions: [], other };
  }
  const own = fieldsOf(result);
  const { extra_data: extra, ...fields } = own;
  const all: Readonly<Fields> = isRecord(extra) ? { ...fields, ...extra } : own;
  const { action_type, actionType, action, params, action_params, actionParams, reward, ...more } = all;
  const { interaction, interactions, ...rest } = more;
  const type = [action_type, actionType, action].find((each) => typeof each === 'string' && each !== '');
  const named = [params, action_params, actionParams].find(isRecord);
  const many: readonly unknown[] = Array.isArray(interactions) ? interactions : [];
  return {
    type: (type as string | undefined) ?? 'act',
    params: named && Object.keys(named).length > 0 ? named : undefined,
    reward: isNumber(reward) ? reward : undefined,
    interactions: [...many, interaction].filter(isRecord),
    other: Object.keys(rest).length > 0 ? rest : undefined,
  };
}
