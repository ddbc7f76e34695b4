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
