import { type Fields, isNumber, isRecord, isStep, Model } from './models.ts';
import { shown } from './shown.ts';

const DEPTH_MAX = 32;
/** Objects and lists of one capture that are converted one by one: objects that refer to each other have no end. */
const OBJECTS_MAX = 5_000;
const TEXT_MAX = 65_536;
/** Value of a state that has keys, but no numbers to compare. */
const NO_NUMBERS: Readonly<Fields> = { '': null };

/** A state at an instant. Later changes of the agent do not reach it. */
export interface Snapshot {
  readonly json: string;
  /** Its numbers and truth values at the top level; empty for an empty state. */
  readonly numbers: Readonly<Fields>;
  readonly agentId: string | undefined;
  readonly step: number | undefined;
  /** Of the state by itself, 0.5 to 1: how bad its health and how large its reward is. */
  readonly importance: number;
}

/** The state as it is now. */
export function snapshotOf(state: unknown): Snapshot {
  const fields = fieldsOf(state);
  const numbers: Fields = {};
  let hasNumbers = false;
  let isEmpty = true;
  for (const name of Object.keys(fields)) {
    isEmpty = false;
    const value = fields[name];
    if (typeof value !== 'number' && typeof value !== 'boolean') continue;
    numbers[name] = value;
    hasNumbers = true;
  }
  const agent = fields['agent_id'] ?? fields['agentId'];
  const step = fields['step_number'] ?? fields['stepNumber'];
  return {
    json: jsonOfAny(fields),
    numbers: hasNumbers || isEmpty ? numbers : NO_NUMBERS,
    agentId: typeof agent === 'string' && agent !== '' ? agent : undefined,
    step: isStep(step) ? step : undefined,
    importance: importanceOf(fields),
  };
}

function importanceOf({ health, reward }: Readonly<Fields>): number {
  const risk = isNumber(health) ? 1 - health : 0;
  const gain = isNumber(reward) ? Math.abs(reward) / 5 : 0;
  return Math.min(1, Math.max(0.5, risk, gain));
}

/** Fields of it: of a model, an object or a `Map`, of an object with `asDict` or `toJSON`; otherwise `{ value }`. */
export function fieldsOf(value: unknown): Readonly<Fields> {
  if (value instanceof Model) return value.fields();
  if (value === undefined || value === null) return {};
  if (value instanceof Map) return Object.fromEntries(value) as Fields;
  if (!isRecord(value) || value instanceof Set || value instanceof Date || ArrayBuffer.isView(value)) return { value };
  for (const method of ['asDict', 'toJSON']) {
    const made = value[method];
    const fields: unknown = typeof made === 'function' ? made.call(value) : undefined;
    if (isRecord(fields)) return fields;
  }
  return value;
}

/** Own attributes with plain values whose names begin without `_`, of an agent without `getState`. */
export function publicState(agent: object): Fields {
  const found: Fields = {};
  for (const [name, value] of Object.entries(agent)) {
    if (!name.startsWith('_') && isPlain(value)) found[name] = value;
  }
  return found;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  const prototype = Reflect.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value as JSON. Values that JSON cannot carry are converted, so a capture never refuses one. */
export function jsonOfAny(value: unknown): string {
  try {
    return JSON.stringify(value, converted) ?? 'null';
  } catch {
    return JSON.stringify(plain(value, 0, { left: OBJECTS_MAX })) ?? 'null';
  }
}

/** The same; of a value with more than 65,536 characters of JSON their number. */
export function boundedJsonOf(value: unknown): string {
  const text = jsonOfAny(value);
  return text.length <= TEXT_MAX ? text : `"<${text.length.toLocaleString('en-US')} characters>"`;
}

/** The nearest that JSON can carry. */
function converted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    return typeof value === 'function' || typeof value === 'symbol' ? shown(value) : value;
  }
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Error) return { type: value.name, message: value.message };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    // `Buffer` is written by its own `toJSON` before it comes here.
    return value instanceof Uint8Array ? `<${value.byteLength} bytes>` : Array.from(value as unknown as number[]);
  }
  return value;
}

/** The value without what is nested too deeply, cannot be read, or comes after too many others. */
function plain(value: unknown, depth: number, objects: { left: number }): unknown {
  try {
    const simple = converted('', value);
    if (typeof simple !== 'object' || simple === null) return simple;
    if (objects.left === 0) return '<too many objects>';
    objects.left -= 1;
    if (depth > DEPTH_MAX) return '<nested too deeply>';
    if (Array.isArray(simple)) return simple.map((each) => plain(each, depth + 1, objects));
    if (simple instanceof Date) return simple.toISOString();
    const found: Fields = {};
    for (const [name, each] of Object.entries(simple)) found[name] = plain(each, depth + 1, objects);
    return found;
  } catch {
    return '<cannot be read>';
  }
}
