/** Values that scenarios save and refer to. */
export type Values = Map<string, unknown>;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Puts saved values in place of `{"$ref":"x"}`, and of `${x}` inside texts. */
export function resolved(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => String(known(name, values)));
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, values));
  if (!isFields(value)) return value;
  if (typeof value['$ref'] === 'string') return known(value['$ref'], values);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, values)]));
}

function known(name: string, values: Values): unknown {
  if (!values.has(name)) throw new Error(`no value is saved as ${name}`);
  return values.get(name);
}

/** Path of the first difference from the expected value, or `undefined`. Saves the values that `$save` names. */
export function mismatch(expected: unknown, actual: unknown, values: Values, at = 'it'): string | undefined {
  if (isFields(expected)) {
    const [operator] = Object.keys(expected);
    if (operator?.startsWith('$') && operator !== '$bytes')
      return placeholder(operator, expected[operator], actual, values, at);
    if (!isFields(actual)) return differs(at, expected, actual);
    for (const [key, each] of Object.entries(expected)) {
      const found = mismatch(each, actual[key], values, `${at}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return differs(at, expected, actual);
    for (const [index, each] of expected.entries()) {
      const found = mismatch(each, actual[index], values, `${at}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const wanted = typeof expected === 'string' ? resolved(expected, values) : expected;
  return Object.is(wanted, actual) ? undefined : differs(at, wanted, actual);
}

function placeholder(operator: string, value: unknown, actual: unknown, values: Values, at: string) {
  const holds = (condition: boolean) => (condition ? undefined : differs(at, { [operator]: value }, actual));
  const number = (one: unknown): number => Number(resolved(one, values));
  switch (operator) {
    case '$any':
      return holds(actual !== undefined);
    case '$absent':
      return holds(actual === undefined);
    case '$save':
      values.set(String(value), actual);
      return holds(actual !== undefined);
    case '$ref':
      return mismatch(known(String(value), values), actual, values, at);
    case '$match':
      return holds(typeof actual === 'string' && new RegExp(String(value), 'su').test(actual));
    case '$length':
      return holds((Array.isArray(actual) || typeof actual === 'string') && actual.length === value);
    case '$approx':
      return holds(
        typeof actual === 'number' && Math.abs(actual - number(value)) <= 1e-6 * Math.max(1, Math.abs(number(value))),
      );
    case '$at_least':
      return holds(typeof actual === 'number' && actual >= number(value));
    case '$above':
      return holds(typeof actual === 'number' && actual > number(value));
    case '$between':
      return holds(
        Array.isArray(value) && typeof actual === 'number' && actual >= number(value[0]) && actual <= number(value[1]),
      );
    case '$contains':
      return holds(Array.isArray(actual) && actual.some((each) => mismatch(value, each, values) === undefined));
    case '$not':
      return holds(mismatch(value, actual, values) !== undefined);
    case '$all':
      if (!Array.isArray(value)) throw new Error('$all takes a list');
      return value.map((each) => mismatch(each, actual, values, at)).find((found) => found !== undefined);
    default:
      throw new Error(`unknown placeholder ${operator}`);
  }
}

function differs(at: string, expected: unknown, actual: unknown): string {
  return `${at} is ${shown(actual)}, expected ${shown(expected)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}
