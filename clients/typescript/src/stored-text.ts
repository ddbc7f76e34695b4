import { badInput } from './bad-input.ts';
import type { NewMemory } from './memory.ts';
import type { WriteOptions } from './options.ts';
import type { TimeLike } from './precise-date.ts';

/** Fields of a memory that is stored as a text, beside those of the call. */
export interface TextFields extends Omit<NewMemory, 'text'> {
  /** Short for `source.speaker`. */
  readonly speaker?: string;
  /** Short for `scope.session`. */
  readonly session?: string;
  /** Short for `eventTime`. */
  readonly time?: TimeLike;
  /** Namespace that it is stored in. Default: that of the client. */
  readonly namespace?: string;
}

export type StoreOptions = WriteOptions & TextFields;

/** Options of the call apart from the fields of memories. */
export function splitOptions(options: StoreOptions): {
  readonly call: WriteOptions;
  readonly namespace: string | undefined;
  readonly fields: Omit<TextFields, 'namespace'>;
} {
  const { requestId, timeoutMs, signal, traceparent, tracestate, namespace, ...fields } = options;
  const call = { requestId, timeoutMs, signal, traceparent, tracestate };
  const isSet = ([, value]: readonly [string, unknown]) => value !== undefined;
  return {
    call: Object.fromEntries(Object.entries(call).filter(isSet)),
    namespace,
    fields: Object.fromEntries(Object.entries(fields).filter(isSet)),
  };
}

/** The memory of a text with its fields, or of an object: a field that the object has itself stays. */
export function memoryWith(memory: string | NewMemory, { speaker, session, time, ...fields }: TextFields): NewMemory {
  const whole: NewMemory = typeof memory === 'string' ? { ...fields, text: memory } : { ...fields, ...memory };
  const { source, scope } = whole;
  if (typeof memory === 'string') {
    refuseTwice('speaker', speaker, 'source.speaker', source?.speaker);
    refuseTwice('session', session, 'scope.session', scope?.session);
    refuseTwice('time', time, 'eventTime', fields.eventTime);
  }
  const eventTime = whole.eventTime ?? time;
  return {
    ...whole,
    ...(speaker !== undefined && { source: { speaker, ...source } }),
    ...(session !== undefined && { scope: { session, ...scope } }),
    ...(eventTime !== undefined && { eventTime }),
  };
}

function refuseTwice(short: string, value: unknown, long: string, other: unknown): void {
  if (value !== undefined && other !== undefined) throw badInput(short, `must be absent beside ${long}`);
}

/** Refuses fields of a memory among the options of a call that stores an object. */
export function refuseFields(fields: object): void {
  const [name] = Object.keys(fields);
  if (name !== undefined)
    throw badInput(name, 'belongs in the memory, the first argument; beside a text it is an option');
}
