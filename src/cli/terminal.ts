import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** The properties of a stream that formatting depends on. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

type Style = Parameters<typeof styleText>[0];

/** Colours only for people: on a terminal, and not where NO_COLOR asks for none (`hasColors` knows). */
export function paint(style: Style, text: string, terminal: Terminal = process.stdout): string {
  const colored = terminal.isTTY === true && terminal.hasColors?.() === true;
  return colored ? styleText(style, text, { validateStream: false }) : text;
}

/** Makes text safe to print: control characters become visible or a space. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
}

/** The text on one line, at most `columns` wide, with an ellipsis where it was cut. */
export function cut(text: string, columns: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  if (!Number.isFinite(columns)) return line;
  let width = 0;
  let kept = '';
  for (const { segment } of graphemes.segment(line)) {
    width += stringWidth(segment);
    if (width > columns) return `${kept}…`;
    if (width < columns) kept += segment;
  }
  return line;
}

/** The text in lines of at most `columns`, broken between words where possible; without a width, one line. */
export function wrapped(text: string, columns: number): string[] {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return Number.isFinite(columns) ? wrapAnsi(line, columns, { hard: true }).split('\n') : [line];
}

/** Width assumed for a terminal that does not report one; some report 0. */
const COLUMNS_UNKNOWN = 80;

/** Columns of the terminal; without one, unlimited. */
export function columnsOf(terminal: Terminal = process.stdout): number {
  return terminal.isTTY === true ? terminal.columns || COLUMNS_UNKNOWN : Number.POSITIVE_INFINITY;
}

const graphemes = new Intl.Segmenter();

/** Prints each item; where there is none, `none` on stderr, so that a person sees that the command has an answer. */
export async function printEach<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  none: string,
  show: (item: Item) => Promise<void>,
): Promise<void> {
  let count = 0;
  for await (const item of items) {
    await show(item);
    count += 1;
  }
  if (count === 0) process.stderr.write(`${none}\n`);
}

/** Writes a line to stdout, no faster than it is read. */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

export async function printJson(value: unknown): Promise<void> {
  await print(JSON.stringify(value));
}

export type Row = readonly [label: string, value: unknown];

/** Lines of labels and values; rows without a value are omitted. */
export function rows(all: readonly Row[]): string[] {
  const shown = all.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(
    ([label, value]) => `${paint('dim', label.padEnd(width))}  ${printable(String(value)).replaceAll('\n', ' ')}`,
  );
}

/** Columns for values after a long label, with the usual total of 80. */
const VALUE_COLUMNS = 64;

/** A list as the value of a label, on as many lines as necessary. */
export function listRows(label: string, items: readonly string[]): Row[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = `${lines.at(-1)}, ${item}`;
    if (lines.length > 0 && longer.length < VALUE_COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines.map((line, at) => [at === 0 ? label : '', at < lines.length - 1 ? `${line},` : line]);
}

/** A count with its noun, such as `1 key`, `2 keys` and `2 memories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** All of stdin, without the line end that a shell adds. */
export async function readStdin(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
