import {
  allOf,
  anyOf,
  Content,
  type Filter,
  type FilterLike,
  type Json,
  MnemeError,
  negate,
  PreciseDate,
  path,
  where,
  within,
} from '../src/index.ts';

type Fields = Readonly<Record<string, unknown>>;

const TIMES = /^(as_of|as_of_recorded|valid_from|valid_until|time|now)$|_time$/;
/** Fields whose own keys are the caller's. */
const OPEN_KEYS = new Set(['metadata', 'settings', 'parameters']);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A value that a language may be unable to express. */
export class NotInThisLanguage extends Error {}

/** Arguments of the protocol in the form of the client. */
export function argumentOf(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => argumentOf(each, name));
  if (typeof value === 'string') return TIMES.test(name) ? PreciseDate.from(value) : value;
  if (!isFields(value)) return value;
  const [operator] = Object.keys(value);
  if (operator?.startsWith('$')) return special(value);
  if (name === 'filter') return filterOf(value);
  if (name === 'content' || name === 'value' || name === 'notes' || name === 'data') return contentOf(value);
  if (name === 'initial_values') return mapped(value, (each) => contentOf(each as Fields));
  if (OPEN_KEYS.has(name)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [camelCase(key), argumentOf(each, key)]));
}

function mapped(value: Fields, change: (each: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each)]));
}

function special(value: Fields): unknown {
  if ('$nan' in value) return Number.NaN;
  if ('$inf' in value) return Number.POSITIVE_INFINITY;
  if ('$float32' in value) return Float32Array.from(value['$float32'] as number[]);
  if ('$bytes' in value) return Buffer.from(String(value['$bytes']), 'base64');
  if ('$repeat' in value) return String(value['$repeat']).repeat(Number(value['count']));
  if ('$time' in value) return PreciseDate.from(String(value['$time']));
  if ('$unserializable' in value) return () => {};
  if ('$naive_time' in value) throw new NotInThisLanguage('a Date is an instant: it has no zone to be left out');
  if ('$deep' in value) return deep(Number(value['$deep']));
  if ('$other' in value) return OTHER_VECTORS[String(value['$other'])];
  if ('$cycle' in value) {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    return cycle;
  }
  if ('$sequence' in value) {
    const text = JSON.stringify(value['$sequence']);
    return Array.from({ length: Number(value['count']) }, (_, index) =>
      argumentOf(JSON.parse(text.replaceAll('#', String(index)))),
    );
  }
  throw new TypeError(`unknown value ${JSON.stringify(value)}`);
}

/** A list in a list, so many times. */
function deep(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

/** Invalid vectors, as programs without types may pass them. */
const OTHER_VECTORS: Fields = { text: '0.5,1', number: 1, texts: ['0.5', '1'], rows: [[0.5, 1]] };

function contentOf(value: Fields | string): unknown {
  if (typeof value === 'string') return value;
  const { media_type: mediaType = 'text/plain', json, text, data } = value;
  if ('$repeat' in value) return special(value);
  if ('json' in value) return plain(json);
  return new Content(
    String(mediaType),
    text === undefined ? (special(data as Fields) as Buffer) : String(argumentOf(text)),
  );
}

/** A value of the language for JSON: its keys are left as they are. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isFields(value)) return value;
  if (Object.keys(value)[0]?.startsWith('$')) return special(value);
  return mapped(value, plain);
}

type Comparing = Readonly<Record<string, (value?: unknown, options?: { ignoreCase: boolean }) => Filter>>;

export function filterOf(value: FilterLike | Fields): FilterLike {
  if (typeof value === 'string') return value;
  const given = value as Fields;
  const all = (list: unknown) => (list as Fields[]).map((each) => filterOf(each) as Filter);
  if ('all' in given) return allOf(...all(given['all']));
  if ('any' in given) return anyOf(...all(given['any']));
  if ('not' in given) return negate(filterOf(given['not'] as Fields) as Filter);
  if ('within' in given) return within(argumentOf(given['within']) as Parameters<typeof within>[0]);
  const field = camelCase(String(given['field'])) as keyof typeof where;
  const target = ('path' in given ? path(String(given['path'])) : where[field]) as unknown as Comparing;
  const op = camelCase(String(given['op']));
  const compare = target[op === 'in' ? 'isIn' : op];
  if (!compare) throw new TypeError(`no comparison ${String(given['op'])}`);
  const ignoreCase = given['ignore_case'] === true;
  return compare(plain(given['value']), ...(ignoreCase ? [{ ignoreCase }] : []));
}

/** Results of the client in the form of the protocol. */
export function resultOf(value: unknown, name = ''): unknown {
  if (value instanceof Date) return timeOf(value);
  if (value instanceof Content) return contentResult(value);
  if (value instanceof MnemeError) return errorResult(value);
  if (value instanceof Float32Array) return Array.from(value);
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map((each) => (each === undefined ? null : resultOf(each)));
  if (!isFields(value) || name === 'previousValue' || name === 'newValue' || OPEN_KEYS.has(name)) return value;
  const known = Object.entries(value).filter(([, each]) => each !== undefined && typeof each !== 'function');
  return Object.fromEntries(known.map(([key, each]) => [snakeCase(key), resultOf(each, key)]));
}

function timeOf(date: Date): string {
  const microseconds = date instanceof PreciseDate ? date.microseconds : 0;
  return `${new Date(date).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`;
}

function contentResult(content: Content): Fields {
  const { mediaType, data } = content;
  if (mediaType === 'application/json') return { media_type: mediaType, json: content.json() satisfies Json };
  if (mediaType.startsWith('text/')) return { media_type: mediaType, text: content.text() };
  return { media_type: mediaType, data: resultOf(data) };
}

export function errorResult(error: MnemeError): Fields {
  const { code, reason, metadata, violations, retryable, retryDelayMs, family, message } = error;
  return {
    code,
    ...(reason && { reason }),
    metadata,
    violations,
    retryable,
    ...(retryDelayMs !== undefined && { retry_delay_ms: retryDelayMs }),
    family,
    message,
  };
}
