/** A figure of the report of `make eval-memory`. */
export interface Measure {
  readonly name: string;
  readonly value: string;
  /** `stated`: there is none. */
  readonly goal: string;
  /** Absent where the goal is `stated`. */
  readonly isMet?: boolean;
}

/** "98 of 101 (97.0 %)" */
export function shareOf(part: number, whole: number): string {
  return `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;
}

/** One line for each measure: set, measure, value, goal, and whether it is met. */
export function tableOf(rows: readonly (Measure & { readonly set: string })[]): string[] {
  const cells = rows.map(({ set, name, value, goal, isMet }) => [
    ...[set, name, value, goal],
    isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
  ]);
  const all = [['set', 'measure', 'value', 'goal', ''], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
