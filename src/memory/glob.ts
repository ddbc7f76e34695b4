/**
 * A pattern of keys, the same on every backend: `*` any characters, `?` one character, `[abc]` one of them, `[a-z]` one of
 * a range, `[!a-z]` one of no others, and a backslash before what is to stand for itself. Characters are code points;
 * upper and lower case differ; the pattern is of the whole key. An unfinished set stands for itself.
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

/** A `]` that comes first stands for itself. */
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

/** Goes back to the last `*` only, so the time is at most pattern times text. */
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
