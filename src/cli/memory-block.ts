import stringWidth from 'string-width';
import type { MatchedPassage, Memory, RecallHit } from '../../clients/typescript/src/index.ts';
import { columnsOf, paint, wrapped } from './terminal.ts';

/** How much room memories have in a list. */
export interface Layout {
  /** Infinity: nothing is wrapped. */
  readonly columns: number;
  /** Most lines of one text. */
  readonly linesMax: number;
}

const LINES_MAX = 6;

/** On a terminal texts are wrapped, and cut after some lines unless `full`. Elsewhere each is whole and on one line. */
export function layoutOf({ full = false }: { readonly full?: boolean | undefined }, columns = columnsOf()): Layout {
  return { columns, linesMax: full ? Number.POSITIVE_INFINITY : LINES_MAX };
}

/** A memory in a list: its text, and below it when, who and the id. `lead` stands before the first line. */
export function memoryBlock(memory: Memory, layout: Layout, lead = ''): string {
  const indent = ' '.repeat(Math.max(2, stringWidth(lead)));
  const lines = textLines(summaryOf(memory), layout, lead === '' ? 0 : indent.length);
  const about = [timeText(memory.eventTime), whoOf(memory), memory.id];
  const [time = '', who = '', id = ''] = about;
  const below = `${paint('cyan', time)}  ${paint('yellow', who)}  ${paint('dim', id)}`;
  return [...lines.map((line, at) => (at === 0 ? lead : lead === '' ? '' : indent) + line), indent + below].join('\n');
}

/** A hit: its rank, how well it answers, and the memory. */
export function hitBlock(hit: RecallHit, rank: number, layout: Layout, mark = ''): string {
  const { memory, passage } = hit;
  const shown =
    passage && layout.linesMax !== Number.POSITIVE_INFINITY ? { ...memory, text: cutOut(passage, memory) } : memory;
  return memoryBlock(shown, layout, `${mark}${paint('bold', `${String(rank).padStart(3)}  ${figureOf(hit)}`)}  `);
}

/** The part of a long text that answers, with a sign where there is more of it. */
function cutOut({ text, offsetBytes }: MatchedPassage, memory: Memory): string {
  const isEnd = offsetBytes + Buffer.byteLength(text) >= Buffer.byteLength(memory.text);
  return `${offsetBytes > 0 ? '… ' : ''}${text.trim()}${isEnd ? '' : ' …'}`;
}

/** Columns before the text of a hit. */
export const HIT_INDENT = ' '.repeat(11);

/** Whether the blocks of two states of a memory differ. */
export function looksDifferent(one: Memory, other: Memory): boolean {
  const shown = (memory: Memory) => [summaryOf(memory), timeText(memory.eventTime), whoOf(memory)].join('\0');
  return shown(one) !== shown(other);
}

function figureOf({ relevance }: RecallHit): string {
  return relevance.toFixed(2);
}

/** A state without a text is shown by its content. */
function summaryOf({ text, content }: Memory): string {
  if (text !== '' || !content) return text;
  const isText = /^text\/|[/+]json\b/.test(content.mediaType);
  return isText ? Buffer.from(content.data).toString('utf8') : `(${content.mediaType}, ${content.data.length} bytes)`;
}

function textLines(text: string, { columns, linesMax }: Layout, indent: number): string[] {
  const lines = wrapped(text, Math.max(20, columns - indent));
  if (lines.length <= linesMax) return lines;
  const more = `… ${lines.length - linesMax + 1} more lines: --full or "mneme get" shows them`;
  return [...lines.slice(0, linesMax - 1), paint('dim', more)];
}

/** To the minute; the day alone where that is midnight. */
function timeText(time: Date): string {
  const minute = time.toISOString().slice(0, 16).replace('T', ' ');
  return minute.replace(/ 00:00$/, '');
}

function whoOf({ source, type }: Memory): string {
  return wrapped(source.speaker ?? type, Number.POSITIVE_INFINITY).join(' ');
}
