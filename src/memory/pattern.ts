import { RE2JS } from 're2js';

/** Longest pattern in characters: what a pattern compiles to grows with it, and with that the time of a search. */
export const PATTERN_CHARACTERS_MAX = 512;
/** Compiled patterns that are kept. */
const KEPT_MAX = 64;

export interface Pattern {
  /** Whether the pattern matches somewhere in the text, in time that grows with the length of the text only. */
  isIn(text: string): boolean;
}

const kept = new Map<string, Pattern>();

/** A regular expression in RE2 syntax; a dot matches line breaks, too. Throws a `PatternError` when it is none. */
export function patternOf(source: string, ignoreCase: boolean): Pattern {
  const key = `${ignoreCase ? 'i' : 'c'}${source}`;
  const known = kept.get(key);
  if (known) return known;
  const pattern = compiled(source, ignoreCase);
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, pattern);
  return pattern;
}

/** Says what is wrong with a pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

function compiled(source: string, ignoreCase: boolean): Pattern {
  if (source.length > PATTERN_CHARACTERS_MAX) {
    throw new PatternError(`must be at most ${PATTERN_CHARACTERS_MAX} characters, got ${source.length}`);
  }
  try {
    const expression = RE2JS.compile(source, RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    return { isIn: (text) => expression.test(text) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '') : String(cause);
    throw new PatternError(`must be a regular expression in RE2 syntax: ${reason}`, { cause });
  }
}
