import { RE2JS } from 're2js';

/** Maximum length of a pattern in characters: the compiled size and the time of a search grow with it. */
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

/** The problem with a pattern. */
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

/**
 * A pattern of keys, identical on every backend: `*` matches any characters, `?` one character, `[abc]` one of a set,
 * `[a-z]` one of a range, `[!a-z]` one outside a range, and a backslash makes the next character literal. Characters
 * are code points; matching is case-sensitive; the pattern must match the whole key. An unterminated set is literal.
 */
export interface Glob {
  /** Characters that every match starts with. */
  readonly prefix: string;
  matches(text: string): boolean;
}

type Token = { readonly kind: 'any' } | { readonly kind: 'one'; admits(character: string): boolean };

export function globOf(pattern: string): Glob {
  const tokens: Token[] = [];
  const characters = [...pattern];
  let prefix = '';
  let isPrefix = true;
  for (let at = 0; at < characters.length; ) {
    const { token, literal, next } = tokenAt(characters, at);
    if (literal === undefined) isPrefix = false;
    else if (isPrefix) prefix += literal;
    if (!(token.kind === 'any' && tokens.at(-1)?.kind === 'any')) tokens.push(token);
    at = next;
  }
  return { prefix, matches: (text) => matches(tokens, [...text]) };
}

function tokenAt(pattern: readonly string[], at: number): { token: Token; literal?: string; next: number } {
  const character = pattern[at] ?? '';
  if (character === '*') return { token: { kind: 'any' }, next: at + 1 };
  if (character === '?') return { token: { kind: 'one', admits: () => true }, next: at + 1 };
  if (character === '[') {
    const set = setAt(pattern, at);
    if (set) return { token: { kind: 'one', admits: set.admits }, next: set.next };
  }
  const escaped = character === '\\' ? pattern[at + 1] : undefined;
  const literal = escaped ?? character;
  const token: Token = { kind: 'one', admits: (other) => other === literal };
  return { token, literal, next: at + (escaped === undefined ? 1 : 2) };
}

/** A leading `]` is literal. */
function setAt(pattern: readonly string[], at: number) {
  const isNegated = pattern[at + 1] === '!';
  const ranges: [number, number][] = [];
  let next = at + (isNegated ? 2 : 1);
  const take = (): number | undefined => {
    if (pattern[next] === '\\' && pattern[next + 1] !== undefined) next++;
    return pattern[next++]?.codePointAt(0);
  };
  for (let isFirst = true; isFirst || pattern[next] !== ']'; isFirst = false) {
    const low = take();
    if (low === undefined) return undefined;
    const isRange = pattern[next] === '-' && pattern[next + 1] !== ']' && pattern[next + 1] !== undefined;
    if (isRange) next++;
    ranges.push([low, isRange ? (take() ?? low) : low]);
  }
  const admits = (character: string): boolean => {
    const point = character.codePointAt(0) ?? -1;
    return ranges.some(([low, high]) => point >= low && point <= high) !== isNegated;
  };
  return { admits, next: next + 1 };
}

/** Backtracks to the last `*` only, so the time is at most pattern length × text length. */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const current = tokens[token];
    if (current?.kind === 'any') {
      star = token++;
      starAt = at;
    } else if (current?.admits(text[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token]?.kind === 'any') token++;
  return token === tokens.length;
}
