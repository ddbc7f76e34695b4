import { paint, printable } from './terminal.ts';

export type Row = readonly [label: string, value: unknown];

/** Lines of labels and values, without those that have no value. */
export function rows(all: readonly Row[]): string[] {
  const shown = all.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(
    ([label, value]) => `${paint('dim', label.padEnd(width))}  ${printable(String(value)).replaceAll('\n', ' ')}`,
  );
}

/** Columns that values have beside a long label, where 80 are common. */
const VALUE_COLUMNS = 64;

/** A list as the value of a label, on as many lines as it takes. */
export function listRows(label: string, items: readonly string[]): Row[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = `${lines.at(-1)}, ${item}`;
    if (lines.length > 0 && longer.length < VALUE_COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines.map((line, at) => [at === 0 ? label : '', at < lines.length - 1 ? `${line},` : line]);
}
