import { IDENTITY, IDENTITY_SHAPE } from '../../memory/principal.ts';
import { checkPattern, fieldsOf, objectOf, shown, textsOf, wrong } from './policy-fields.ts';
import type { Rate } from './token-bucket.ts';

/** Limits of rates, with their units in errors. */
const RATE_UNITS = {
  calls: 'calls',
  read_calls: 'read calls',
  write_calls: 'write calls',
  delete_calls: 'delete calls',
  admin_calls: 'admin calls',
  message_bytes: 'message bytes',
};
/** Limits of numbers at one time. */
const COUNT_UNITS = { calls_in_flight: 'calls in flight', open_streams: 'open streams' };
/** Limits of stored data. */
const STORED_UNITS = {
  namespace_memories: 'memories in a namespace',
  namespace_bytes: 'bytes in a namespace',
  namespaces: 'namespaces',
};

export type RateLimit = keyof typeof RATE_UNITS;
export type CountLimit = keyof typeof COUNT_UNITS;
export type StoredLimit = keyof typeof STORED_UNITS;

/** A rate as the policy file has it. */
export interface NamedRate extends Rate {
  /** As in the file, for errors: `100` and `calls per second`. */
  readonly limit: number;
  readonly unit: string;
}

/** Limits of identities, by a name that errors and metrics have. */
export interface LimitRule {
  readonly name: string;
  /** Names of identities, each with at most one `*`. */
  readonly identities: readonly string[];
  /** Whether all identities of the rule together have these limits; otherwise each has them for itself. */
  readonly isShared: boolean;
  readonly rates: Readonly<Partial<Record<RateLimit, NamedRate>>>;
  readonly counts: Readonly<Partial<Record<CountLimit, number>>>;
  readonly stored: Readonly<Partial<Record<StoredLimit, number>>>;
}

/** What the rules of a policy file may have at most. */
export const RULE_LIMITS = {
  rules: 1000,
  identities: 1000,
  perSecond: 1_000_000_000,
  perDay: 1_000_000_000_000,
  /** Of numbers and bursts. */
  number: 1_000_000_000_000,
};

const RULE_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const RULE_NAME_SHAPE = 'at most 63 of a-z, 0-9, _ and -, a letter first';
const DAY_SECONDS = 86_400;

const RATES = keysOf(RATE_UNITS);
const COUNTS = keysOf(COUNT_UNITS);
const STORED = keysOf(STORED_UNITS);
const FIELDS = ['identities', 'shared', ...RATES, ...COUNTS, ...STORED];

/** Reads the limits of a policy: `{"agents": {"identities": ["agent-*"], "calls": {"per_second": 50}, "open_streams": 10}}`. */
export function limitRulesIn(value: unknown): readonly LimitRule[] {
  const entries = Object.entries(objectOf('limits', value));
  if (entries.length > RULE_LIMITS.rules) throw wrong('limits', `has more than ${RULE_LIMITS.rules}`);
  return entries.map(([name, rule]) => ruleIn(name, rule));
}

function ruleIn(name: string, value: unknown): LimitRule {
  const at = `limits[${JSON.stringify(name)}]`;
  if (!RULE_NAME.test(name)) throw wrong(at, `must be named by ${RULE_NAME_SHAPE}`);
  const fields = fieldsOf(at, value, FIELDS);
  const { identities = ['*'], shared = false } = fields;
  if (typeof shared !== 'boolean') throw wrong(`${at}.shared`, `must be true or false, got ${shown(shared)}`);
  const rule = {
    name,
    identities: textsOf(`${at}.identities`, identities, RULE_LIMITS.identities).map((one) => identityIn(at, one)),
    isShared: shared,
    rates: existing(RATES, fields, (limit, rate) => rateIn(`${at}.${limit}`, rate, RATE_UNITS[limit])),
    counts: existing(COUNTS, fields, (limit, most) => wholeIn(`${at}.${limit}`, most, RULE_LIMITS.number)),
    stored: existing(STORED, fields, (limit, most) => wholeIn(`${at}.${limit}`, most, RULE_LIMITS.number)),
  };
  const own = Object.keys(rule.stored).at(0);
  if (shared && own !== undefined) throw wrong(`${at}.${own}`, 'must be absent in a rule that is shared');
  return rule;
}

function identityIn(at: string, name: string): string {
  const place = `${at}.identities`;
  if (!IDENTITY.test(name)) throw wrong(place, `must have names of ${IDENTITY_SHAPE}, got ${shown(name)}`);
  checkPattern(place, name);
  return name;
}

function rateIn(at: string, value: unknown, unit: string): NamedRate {
  const fields = fieldsOf(at, value, ['per_second', 'per_day', 'burst']);
  const [perSecond, perDay] = [fields['per_second'], fields['per_day']];
  if ((perSecond === undefined) === (perDay === undefined)) throw wrong(at, 'must have per_second or per_day');
  const limit =
    perSecond === undefined
      ? numberIn(`${at}.per_day`, perDay, RULE_LIMITS.perDay)
      : numberIn(`${at}.per_second`, perSecond, RULE_LIMITS.perSecond);
  const burst = fields['burst'] ?? Math.max(1, Math.ceil(limit));
  return {
    perSecond: perSecond === undefined ? limit / DAY_SECONDS : limit,
    burst: wholeIn(`${at}.burst`, burst, RULE_LIMITS.number, 1),
    limit,
    unit: `${unit} per ${perSecond === undefined ? 'day' : 'second'}`,
  };
}

/** At least one in a hundred seconds, or in ten days: a caller must not wait for ever. */
const LEAST = 0.01;

function numberIn(at: string, value: unknown, most: number): number {
  if (typeof value === 'number' && value >= LEAST && value <= most) return value;
  throw wrong(at, `must be a number from ${LEAST} to ${most}, got ${shown(value)}`);
}

function wholeIn(at: string, value: unknown, most: number, least = 0): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(at, `must be a whole number from ${least} to ${most}, got ${shown(value)}`);
}

function existing<K extends string, V>(
  names: readonly K[],
  fields: Readonly<Record<string, unknown>>,
  read: (name: K, value: unknown) => V,
): Partial<Record<K, V>> {
  const found: Partial<Record<K, V>> = {};
  for (const name of names) if (fields[name] !== undefined) found[name] = read(name, fields[name]);
  return found;
}

function keysOf<K extends string>(units: Readonly<Record<K, string>>): readonly K[] {
  return Object.keys(units) as K[];
}

/** The unit of a limit of numbers or of stored data, for errors. */
export function unitOf(limit: CountLimit | StoredLimit): string {
  return { ...COUNT_UNITS, ...STORED_UNITS }[limit];
}
