/** The parts of a page of the documentation that can be run. */

/** A command of a console block, and its documented output. */
export interface Command {
  readonly kind: 'command';
  readonly line: string;
  readonly output: string;
  /** Lines of the page with the output, from 0; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A file that the reader saves: ```python remember.py */
export interface SavedFile {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
}

/** Another block: its language and its text. */
export interface OtherBlock {
  readonly kind: 'other';
  readonly language: string;
  readonly text: string;
}

const PROMPT = '$ ';
const CONTINUATION = '> ';

export function partsOf(page: string): readonly (Command | SavedFile | OtherBlock)[] {
  const lines = page.split('\n');
  const parts: (Command | SavedFile | OtherBlock)[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence = '', language = '', name = ''] = /^ *(```+)(\S*) *(.*)$/.exec(lines[at] ?? '') ?? [];
    if (fence === '') continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`);
    const text = `${lines.slice(at + 1, end).join('\n')}\n`;
    if (language === 'console') parts.push(...commandsOf(lines, at + 1, end));
    else parts.push(name === '' ? { kind: 'other', language, text } : { kind: 'file', name, text });
    at = end;
  }
  return parts;
}

function* commandsOf(lines: readonly string[], start: number, end: number): Generator<Command> {
  if (!(lines[start] ?? '').startsWith(PROMPT)) throw new Error(`line ${start + 1}: a console block begins with "$ "`);
  for (let at = start; at < end; ) {
    const line = [(lines[at] ?? '').slice(PROMPT.length)];
    at += 1;
    while (at < end && (lines[at] ?? '').startsWith(CONTINUATION)) {
      line.push((lines[at] ?? '').slice(CONTINUATION.length));
      at += 1;
    }
    const from = at;
    while (at < end && !(lines[at] ?? '').startsWith(PROMPT)) at += 1;
    yield { kind: 'command', line: line.join('\n'), output: lines.slice(from, at).join('\n').trimEnd(), from, to: at };
  }
}

/** The page with other outputs, by the command that printed them. */
export function withOutputs(page: string, outputs: ReadonlyMap<Command, string>): string {
  const lines = page.split('\n');
  for (const [{ from, to }, output] of [...outputs].sort(([a], [b]) => b.from - a.from)) {
    // An empty line between two commands stays.
    const gap = to > from && lines[to - 1] === '' ? [''] : [];
    lines.splice(from, to - from, ...(output === '' ? [] : output.split('\n')), ...gap);
  }
  return lines.join('\n');
}
