import { columnsOf, paint, wrapped } from './terminal.ts';

/** The result of one check of this machine. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The repair. */
  readonly fix?: string;
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const NAME_COLUMNS = 14;
const INDENT = ' '.repeat(6 + NAME_COLUMNS + 2);

export function lineOf({ name, status, message, fix }: Finding): string {
  const columns = columnsOf() - INDENT.length;
  const lines = [...wrapped(message, columns), ...(fix === undefined ? [] : wrapped(`fix: ${fix}`, columns))];
  const lead = `${paint(COLORS[status], status.padEnd(4))}  ${name.padEnd(NAME_COLUMNS)}  `;
  return lead + lines.join(`\n${INDENT}`);
}
