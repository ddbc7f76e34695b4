import type { Measured } from '../load/load-client.ts';
import type { CallRow, FigureRow, Row } from './row.ts';

const CALL_HEADS = [
  'part',
  'what',
  '',
  'calls/s',
  'p50 ms',
  'p99 ms',
  'server CPU µs',
  'of which',
  'ratio',
  'wanted',
  '',
];
const FIGURE_HEADS = ['part', 'what', 'value', 'limit of this run', 'ratio', 'wanted', ''];

/** Tables of all rows as lines, in Markdown whose columns line up. */
export function tables(rows: readonly Row[]): string[] {
  const calls = rows.filter((row): row is CallRow => 'subject' in row);
  const figures = rows.filter((row): row is FigureRow => 'value' in row);
  return [
    ...(calls.length > 0 ? [...markdown(CALL_HEADS, calls.flatMap(callCells)), ''] : []),
    ...(figures.length > 0 ? [...markdown(FIGURE_HEADS, figures.map(figureCells)), ''] : []),
  ];
}

function callCells(row: CallRow): string[][] {
  const verdict = [ratio(row.ratio), row.wanted?.words ?? '', mark(row)];
  const subject = [row.part, row.what, 'Mneme', ...measured(row.subject), ...verdict];
  const others = [...(row.limit ? [[row.limitName ?? 'limit', row.limit] as const] : []), ...(row.beside ?? [])];
  return [subject, ...others.map(([name, result]) => ['', '', name, ...measured(result), '', '', ''])];
}

function measured({ perSecond, p50Us, p99Us, serverUs, threadsUs }: Measured): string[] {
  return [rounded(perSecond), ms(p50Us), ms(p99Us), rounded(serverUs), busiest(threadsUs ?? new Map())];
}

/** The largest shares of the threads, such as `MainThread 12, writer 40`. */
function busiest(threadsUs: ReadonlyMap<string, number>): string {
  const all = [...threadsUs].sort((a, b) => b[1] - a[1]);
  const least = (all[0]?.[1] ?? 0) / 10;
  return all
    .filter(([, us]) => us > least)
    .map(([name, us]) => `${name} ${rounded(us)}`)
    .join(', ');
}

function figureCells(row: FigureRow): string[] {
  const limit = row.limit === undefined ? '' : `${amount(row.limit)} ${row.unit}, ${row.limitName ?? ''}`;
  const value = `${amount(row.value)} ${row.unit}`;
  return [row.part, row.what, value, limit, ratio(row.ratio), row.wanted?.words ?? '', mark(row)];
}

function mark({ wanted }: Row): string {
  if (!wanted) return '';
  return wanted.isMet ? 'met' : 'MISSED';
}

const ms = (us: number): string => (Number.isNaN(us) ? '-' : (us / 1000).toPrecision(3));
const ratio = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(2));
const rounded = (value: number): string => (Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en'));
const amount = (value: number): string => (Math.abs(value) < 100 ? value.toPrecision(4) : rounded(value));

export function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, i) => Math.max(3, head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(heads), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}
