import { OPTION_SHAPES } from '../../../gen/ts/client/option-shapes.ts';
import { badInput } from './bad-input.ts';
import { type Fault, faultOf, namesOf, optionsOf, shown } from './option-faults.ts';
import type { Call, Shape, ShapeTable } from './option-shapes.ts';

/**
 * Checks at run time what TypeScript checks when it compiles: JavaScript and notebooks have no compiler. The table is made
 * from the types of this client (`tools/option-shapes.ts`), so no call has a list of its own.
 */
const TABLE = OPTION_SHAPES as ShapeTable;
/** Parameters whose options are named alone, without the name of the parameter. */
const OPTIONS: ReadonlySet<string> = new Set(['query', 'options', 'config', 'settings']);

/** Refuses options of a constructor or function that do not exist or have another type. */
export function checkOptions(type: string, value: unknown, of: string): void {
  const members = TABLE.objects[type];
  if (!members) throw new Error(`no options ${type}`);
  const fault = faultOf(TABLE, { object: members }, value, '');
  if (!fault) return;
  const holder = fault.unknown === undefined ? undefined : holderOf(fault.unknown, members);
  throw refusal(fault, fault.field === '' ? 'config' : fault.field, of, holder && `it belongs in ${holder}`);
}

/** What is wrong with a value that may have one of several types. */
export function optionFault(type: string, value: unknown): Fault | undefined {
  return faultOf(TABLE, { ref: type }, value, '');
}

type Function_ = (...args: readonly unknown[]) => unknown;

/** The same calls, with arguments that are checked before anything is done. Objects that they answer with are checked too. */
export function checkedCalls<Target extends object>(name: string, calls: Target): Target {
  return mapCalls(name, calls, checkedCall);
}

/** Calls in place of others, by the table of their parameters; the calls of its properties too. */
export function mapCalls<Target extends object>(
  name: string,
  calls: Target,
  other: (key: string, call: Call, function_: Function_) => Function_,
): Target {
  const table = TABLE.calls[name] ?? {};
  const descriptors = Object.getOwnPropertyDescriptors(calls) as Record<PropertyKey, PropertyDescriptor>;
  for (const [key, value] of Object.entries(calls) as [string, unknown][]) {
    const call = table[key];
    if (typeof call === 'string') {
      descriptors[key] = { value: mapCalls(call, value as object, other), enumerable: true };
    } else if (call && typeof value === 'function') {
      descriptors[key] = { value: other(key, call, value.bind(calls) as Function_), enumerable: true, writable: true };
    }
  }
  return Object.create(Object.getPrototypeOf(calls) as object | null, descriptors) as Target;
}

function checkedCall(name: string, call: Call, function_: Function_): Function_ {
  return (...args) => {
    let checked: readonly unknown[];
    try {
      checked = checkedArguments(name, call, args);
    } catch (error) {
      if (call.isPromise) return Promise.reject(error);
      throw error;
    }
    const answer = function_(...checked);
    const { answer: type } = call;
    if (type === undefined) return answer;
    if (call.isPromise) return (answer as Promise<object>).then((value) => checkedCalls(type, value));
    return checkedCalls(type, answer as object);
  };
}

function checkedArguments(name: string, { parameters }: Call, args: readonly unknown[]): readonly unknown[] {
  // A call without arguments may be a listener, such as `process.once('SIGTERM', worker.stop)`: events have arguments.
  if (parameters.length > 0 && args.length > parameters.length) {
    const known = parameters.map(([parameter]) => parameter.replace('?', '')).join(', ');
    throw badInput(name, `takes ${parameters.length} arguments (${known}), got ${args.length}`);
  }
  return parameters.map(([parameter, shape], at) => {
    const value = args[at];
    const of = parameter.replace('?', '');
    const prefix = OPTIONS.has(of) ? '' : of;
    if (value === undefined && parameter.endsWith('?')) return value;
    if (typeof shape === 'object' && 'each' in shape) return checkedEach(shape, value, of);
    const fault = faultOf(TABLE, shape, value, prefix);
    if (!fault) return value;
    const elsewhere = fault.unknown === undefined ? undefined : placeOf(fault.unknown, parameters, at);
    throw refusal(fault, fault.field === '' ? of : fault.field, name, elsewhere);
  });
}

/** Checks each item as it is taken. */
function checkedEach(shape: { readonly each: Shape }, value: unknown, of: string): unknown {
  const fault = faultOf(TABLE, shape, value, of);
  if (fault) throw refusal(fault, of, of, undefined);
  if (shape.each === 'any') return value;
  return (async function* () {
    let at = 0;
    for await (const item of value as AsyncIterable<unknown>) {
      const wrong = faultOf(TABLE, shape.each, item, `${of}[${at}]`);
      if (wrong) throw refusal(wrong, wrong.field, of, undefined);
      at += 1;
      yield item;
    }
  })();
}

function refusal({ description, unknown }: Fault, field: string, of: string, elsewhere: string | undefined) {
  if (unknown === undefined) return badInput(field, description);
  const text =
    elsewhere === undefined
      ? description
      : description.replace('unknown option;', `unknown option here: ${elsewhere};`);
  return badInput(field, `${text} (${of})`);
}

/** Where an option belongs that another argument has, or an object among the options. */
function placeOf(name: string, parameters: Call['parameters'], at: number): string | undefined {
  for (const [other, [parameter, shape]] of parameters.entries()) {
    const members = optionsOf(TABLE, shape);
    const of = parameter.replace('?', '');
    if (other !== at && namesOf(members).includes(name)) return `it belongs in argument ${other + 1}, ${of}`;
    const holder = other === at ? holderOf(name, members) : undefined;
    if (holder !== undefined) return `it belongs in ${holder}`;
  }
  return undefined;
}

/** The option that holds an object with this option. */
function holderOf(name: string, members: Readonly<Record<string, Shape>>): string | undefined {
  const holds = ([, shape]: readonly [string, Shape]) => namesOf(optionsOf(TABLE, shape)).includes(name);
  return Object.entries(members).find(holds)?.[0].replace('?', '');
}

/** Refuses parts of a message that its encoding would leave out. `kept` is what a reader of the encoded message finds. */
export function checkMessage(message: unknown, kept: unknown, field = ''): void {
  if (typeof message !== 'object' || message === null || ArrayBuffer.isView(message)) return;
  if (Array.isArray(message)) {
    for (const [at, each] of (message as unknown[]).entries())
      checkMessage(each, (kept as unknown[] | undefined)?.[at], `${field}[${at}]`);
    return;
  }
  const known = typeof kept === 'object' && kept !== null ? kept : {};
  for (const [name, value] of Object.entries(message) as [string, unknown][]) {
    if (value === undefined) continue;
    const at = field === '' ? name : `${field}.${name}`;
    if (!Object.hasOwn(known, name)) {
      const shape = { object: Object.fromEntries(Object.keys(known).map((each) => [`${each}?`, 'any' as const])) };
      const fault = faultOf(TABLE, shape, { [name]: value }, field);
      throw badInput(at, fault?.description ?? `cannot be sent, got ${shown(value)}`);
    }
    checkMessage(value, known[name as keyof typeof known], at);
  }
}
