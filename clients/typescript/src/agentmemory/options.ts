import { nearestOf } from '../nearest-name.ts';
import { MemoryConfigException } from './errors.ts';
import { inherited } from './inherited.ts';
import { isNumber, isRecord } from './models.ts';
import { shown } from './shown.ts';

type Check = (value: unknown) => string | undefined;

/** An option: its default, its check, and the setting of the server that it is. */
export interface Option {
  readonly default: unknown;
  /** Returns what is wrong with a value. */
  readonly check: Check;
  /** Dotted key of the server's setting. Absent for an option of the client. */
  readonly setting?: string;
  /** Value of the setting. */
  readonly text?: (value: never) => string;
}

export type Options = Readonly<Record<string, Option>>;

/** A whole number within limits. */
export function whole(low: number, high = Number.MAX_SAFE_INTEGER): Check {
  const written = (value: number) => value.toLocaleString('en-US');
  const limits =
    high === Number.MAX_SAFE_INTEGER ? `of at least ${written(low)}` : `from ${written(low)} to ${written(high)}`;
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high
      ? undefined
      : `must be a whole number ${limits}, got ${shown(value)}`;
}

/** A number within limits. */
export function number(low: number, high: number): Check {
  return (value) =>
    isNumber(value) && value >= low && value <= high
      ? undefined
      : `must be a number from ${low} to ${high}, got ${shown(value)}`;
}

/** A value of this type. */
export function kind(type: 'boolean' | 'string' | 'function'): Check {
  return (value) => (typeof value === type ? undefined : `must be a ${type}, got ${shown(value)}`);
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): Check {
  return (value) =>
    values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}, got ${shown(value)}`;
}

/** An option that has no equivalent: any value except the default is refused. */
export function only(value: unknown, instead: string): Option {
  const same = JSON.stringify(value);
  const check: Check = (given) =>
    given === value || (typeof given === typeof value && JSON.stringify(given) === same)
      ? undefined
      : `has no equivalent in Mneme, so only ${shown(value)} is accepted, got ${shown(given)}. ${instead}`;
  return { default: value, check };
}

/** The exception for an option that is out of its range. */
export function invalidOption(field: string, problem: string): MemoryConfigException {
  const recoverability = 'potentially_recoverable';
  return new MemoryConfigException(`${field}: ${problem}`, {
    reason: 'FIELD_INVALID',
    context: { field },
    recoverability,
  });
}

type PartClass = (new (given?: object) => Config) & { readonly prototype: Config };

/** The tables of a class of configurations. */
interface Tables {
  readonly options: Options;
  readonly parts: Readonly<Record<string, PartClass>>;
}

const TABLES = new WeakMap<object, Tables>();

/** Gives a class its options. */
export function declareOptions(
  config: { readonly prototype: Config },
  options: Options,
  parts: Readonly<Record<string, PartClass>> = {},
): void {
  TABLES.set(config.prototype, { options, parts });
  for (const name of [...Object.keys(options), ...Object.keys(parts)]) {
    Object.defineProperty(config.prototype, name, {
      get(this: Config) {
        return this.option(name);
      },
      set(this: Config, value: unknown) {
        this.setOption(name, value);
      },
      configurable: true,
    });
  }
}

function tablesOf(config: object): Tables {
  return inherited(TABLES, config) ?? { options: {}, parts: {} };
}

/** A configuration. An unknown option, or an invalid value, throws `MemoryConfigException` with its name. */
export abstract class Config {
  readonly #values = new Map<string, unknown>();
  readonly #given = new Set<string>();

  constructor(given: object = {}) {
    const { options, parts } = tablesOf(this);
    for (const [name, Part] of Object.entries(parts)) this.#values.set(name, new Part());
    for (const [name, option] of Object.entries(options)) this.#values.set(name, option.default);
    if (!isRecord(given)) throw invalidOption('config', `must be an object of options, got ${shown(given)}`);
    for (const [name, value] of Object.entries(given)) if (value !== undefined) this.setOption(name, value);
    this.checkTogether();
  }

  /** True where the option was set, to whatever value. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** The options that were set, parts as objects. */
  asDict(): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    const { options, parts } = tablesOf(this);
    for (const name of Object.keys(options)) if (this.#given.has(name)) found[name] = this.#values.get(name);
    for (const name of Object.keys(parts)) {
      const part = this.part(name).asDict();
      if (Object.keys(part).length > 0) found[name] = part;
    }
    return found;
  }

  /** Settings of the server by dotted key, of the options that were set. */
  settings(): Record<string, string> {
    const found: Record<string, string> = {};
    const { options, parts } = tablesOf(this);
    for (const [name, { setting, text }] of Object.entries(options)) {
      if (setting === undefined || !this.#given.has(name)) continue;
      const value = this.#values.get(name) as never;
      found[setting] = text ? text(value) : String(value);
    }
    for (const name of Object.keys(parts)) Object.assign(found, this.part(name).settings());
    return found;
  }

  /** Checks options that limit each other. */
  protected checkTogether(): void {}

  /** @internal */
  option(name: string): unknown {
    return this.#values.get(name);
  }

  /** @internal */
  setOption(name: string, value: unknown): void {
    const { options, parts } = tablesOf(this);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const Part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (Part) {
      this.#values.set(name, partOf(Part, name, value));
      return;
    }
    if (!option) throw unknownOption(name, [...Object.keys(options), ...Object.keys(parts)]);
    const problem = option.check(value);
    if (problem !== undefined) throw invalidOption(name, problem);
    this.#values.set(name, value);
    this.#given.add(name);
  }

  /** @internal Options that were set, merged with changes: by name, by dotted name, or an object for a part. */
  merged(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const merged = this.asDict();
    for (const [key, value] of Object.entries(changes)) {
      const [first = '', ...rest] = key.split('.');
      const given = value instanceof Config ? value.asDict() : value;
      const news = rest.length > 0 ? { [rest.join('.')]: value } : given;
      const isPart = Object.hasOwn(tablesOf(this).parts, first) && isRecord(news);
      if (isPart) merged[first] = { ...(merged[first] as object | undefined), ...news };
      else merged[key] = value;
    }
    return merged;
  }

  private part(name: string): Config {
    return this.#values.get(name) as Config;
  }
}

function partOf(Part: PartClass, name: string, value: unknown): Config {
  if (value instanceof Part) return value;
  if (!isRecord(value)) throw invalidOption(name, `must be a ${Part.name} or an object, got ${shown(value)}`);
  try {
    return new Part(value);
  } catch (error) {
    if (!(error instanceof MemoryConfigException)) throw error;
    const [, problem = ''] = /: (.*)/s.exec(error.message) ?? [];
    throw invalidOption(`${name}.${error.context.field ?? ''}`, problem);
  }
}

function unknownOption(name: string, known: readonly string[]): MemoryConfigException {
  const near = nearestOf(name, known);
  const hint = near === undefined ? '' : `the nearest is ${near}; `;
  return invalidOption(name, `is not an option; ${hint}known are ${known.join(', ')}`);
}
