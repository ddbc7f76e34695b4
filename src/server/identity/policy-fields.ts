import { parseNewJson } from '../../memory/json.ts';

/** Reads the JSON of a policy file; each function fails in one line that names the place and the problem. */

export function parsed(text: string): unknown {
  try {
    return parseNewJson(text);
  } catch (cause) {
    throw wrong('', `must be JSON: ${(cause as Error).message}`);
  }
}

/** An object with no fields but these. */
export function fieldsOf(at: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = objectOf(at, value);
  const other = Object.keys(fields).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(at, `has the unknown field ${shown(other)}; expected ${names.join(', ')}`);
  return fields;
}

export function objectOf(at: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, 'must be an object');
  return { ...value };
}

export function listOf(at: string, value: unknown, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(at, 'must be a list');
  if (value.length > most) throw wrong(at, `may have ${most} entries, got ${value.length}`);
  return value;
}

/** At least one text. */
export function textsOf(at: string, value: unknown, most: number): readonly string[] {
  const texts = listOf(at, value, most);
  if (texts.length === 0) throw wrong(at, 'must not be empty');
  return texts.map((text) => {
    if (typeof text !== 'string') throw wrong(at, `must have texts, got ${shown(text)}`);
    return text;
  });
}

/** Fails on a name with more than one `*`. */
export function checkPattern(at: string, pattern: string): void {
  if (pattern.split('*').length > 2) throw wrong(at, `may have one *, got ${shown(pattern)}`);
}

export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

export function wrong(at: string, problem: string): Error {
  return new Error(at === '' ? `the policy ${problem}` : `the policy at ${at}: ${problem}`);
}
