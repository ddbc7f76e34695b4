import { inherited } from './inherited.ts';
import { shown } from './shown.ts';

/** Values by name, as JSON carries them. */
export interface Fields {
  [name: string]: unknown;
}

type Check = (value: unknown) => string | undefined;

/** True for a finite number. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** True for a whole number that can be a step. */
export function isStep(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** True for an object with fields: no list, no `null`. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : `must be a text that is not empty, got ${shown(value)}`;
const step: Check = (value) =>
  isStep(value) ? undefined : `must be a whole number from 0 to 2^53 - 1, got ${shown(value)}`;
const number: Check = (value) => (isNumber(value) ? undefined : `must be a finite number, got ${shown(value)}`);
const duration: Check = (value) =>
  isNumber(value) && value >= 0 ? undefined : `must be a number of at least 0, in seconds, got ${shown(value)}`;
const object: Check = (value) => (isRecord(value) ? undefined : `must be an object, got ${shown(value)}`);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? undefined : check(value);

/**
 * A validated record. Setting a field checks it; `TypeError` names model, field and problem. Fields have the names under
 * which they are stored, in every language.
 */
export abstract class Model {
  /** Fields that the model does not have. */
  declare extra_data: Fields;
  readonly #values = new Map<string, unknown>();

  constructor(given: Fields, defaults: Fields) {
    const checks = checksOf(this);
    const { extra_data: extra, ...rest } = given;
    for (const name of checks.keys()) this.setField(name, rest[name] ?? defaults[name]);
    this.setField('extra_data', extra ?? {});
    const unknown = Object.entries(rest).filter(([name, value]) => !checks.has(name) && value !== undefined);
    if (unknown.length > 0) this.setField('extra_data', { ...this.extra_data, ...Object.fromEntries(unknown) });
  }

  /** The fields that have a value, copied. */
  asDict(): Fields {
    return structuredClone(this.fields());
  }

  /** The same for `JSON.stringify`. */
  toJSON(): Fields {
    return this.fields();
  }

  /** @internal The fields that have a value; not copied. */
  fields(): Fields {
    const found: Fields = {};
    for (const [name, value] of this.#values) if (value !== undefined && value !== null) found[name] = value;
    return found;
  }

  /** @internal */
  field(name: string): unknown {
    return this.#values.get(name);
  }

  /** @internal */
  setField(name: string, value: unknown): void {
    const problem = (checksOf(this).get(name) ?? object)(value);
    if (problem !== undefined) throw new TypeError(`${this.constructor.name}.${name}: ${problem}`);
    const isExtra = name === 'extra_data' || name === 'params' || name === 'action_params';
    this.#values.set(name, isExtra ? { ...(value as Fields) } : value);
  }
}

const CHECKS = new WeakMap<object, ReadonlyMap<string, Check>>();

function checksOf(model: object): ReadonlyMap<string, Check> {
  return inherited(CHECKS, model) ?? new Map();
}

/** Gives a model its fields. */
function declareFields(model: { readonly prototype: Model }, checks: Readonly<Record<string, Check>>): void {
  CHECKS.set(model.prototype, new Map(Object.entries(checks)));
  for (const name of [...Object.keys(checks), 'extra_data']) {
    Object.defineProperty(model.prototype, name, {
      get(this: Model) {
        return this.field(name);
      },
      set(this: Model, value: unknown) {
        this.setField(name, value);
      },
      configurable: true,
    });
  }
}

export interface AgentStateFields extends Fields {
  agent_id: string;
  /** Default 0. */
  step_number?: number;
  health?: number;
  reward?: number;
  position_x?: number;
  position_y?: number;
  position_z?: number;
  resource_level?: number;
  extra_data?: Fields;
}

/** The state of an agent at a step. */
export class AgentState extends Model {
  declare agent_id: string;
  declare step_number: number;
  declare health: number | undefined;
  declare reward: number | undefined;
  declare position_x: number | undefined;
  declare position_y: number | undefined;
  declare position_z: number | undefined;
  declare resource_level: number | undefined;

  constructor(fields: AgentStateFields) {
    super(fields, { step_number: 0 });
  }
}

declareFields(AgentState, {
  agent_id: text,
  step_number: step,
  health: optional(number),
  reward: optional(number),
  position_x: optional(number),
  position_y: optional(number),
  position_z: optional(number),
  resource_level: optional(number),
});

export interface ActionResultFields extends Fields {
  action_type: string;
  /** Default `{}`. */
  params?: Fields;
  /** Default 0. */
  reward?: number;
  extra_data?: Fields;
}

/** The result of an action. */
export class ActionResult extends Model {
  declare action_type: string;
  declare params: Fields;
  declare reward: number;

  constructor(fields: ActionResultFields) {
    super(fields, { params: {}, reward: 0 });
  }
}

declareFields(ActionResult, { action_type: text, params: object, reward: number });

export interface ActionDataFields extends Fields {
  action_type: string;
  /** Default `{}`. */
  action_params?: Fields;
  state_before?: Fields;
  state_after?: Fields;
  /** Default 0. */
  reward?: number;
  /** In seconds. */
  execution_time?: number;
  step_number?: number;
  extra_data?: Fields;
}

/** An action, with the states before and after it. */
export class ActionData extends Model {
  declare action_type: string;
  declare action_params: Fields;
  declare state_before: Fields | undefined;
  declare state_after: Fields | undefined;
  declare reward: number;
  declare execution_time: number | undefined;
  declare step_number: number | undefined;

  constructor(fields: ActionDataFields) {
    super(fields, { action_params: {}, reward: 0 });
  }

  /** Signed change of each number that both states have at their top level. */
  getStateDifference(): Record<string, number> {
    const after = this.state_after ?? {};
    const found: Record<string, number> = {};
    for (const [name, value] of Object.entries(this.state_before ?? {})) {
      const next = after[name];
      if (isNumber(value) && isNumber(next)) found[name] = next - value;
    }
    return found;
  }
}

declareFields(ActionData, {
  action_type: text,
  action_params: object,
  state_before: optional(object),
  state_after: optional(object),
  reward: number,
  execution_time: optional(duration),
  step_number: optional(step),
});

/**
 * How much a state changed, 0 to 1: the mean of `min(1, |after - before| / max(1, |before|))` over the numbers and truth
 * values that both have. 0.5 where there is none in common, 1 where one of the states is empty and the other is not.
 */
export function stateImportance(before: Readonly<Fields>, after: Readonly<Fields>): number {
  const names = Object.keys(before);
  const isOther = Object.keys(after).length === 0;
  if (names.length === 0 || isOther) return names.length === 0 && isOther ? 0.5 : 1;
  let sum = 0;
  let count = 0;
  for (const name of names) {
    const old = amountOf(before[name]);
    const now = amountOf(after[name]);
    if (old === undefined || now === undefined) continue;
    sum += Math.min(1, Math.abs(now - old) / Math.max(1, Math.abs(old)));
    count += 1;
  }
  return count === 0 ? 0.5 : sum / count;
}

function amountOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  return isNumber(value) ? value : undefined;
}
