import { FINDING_KINDS, type Finding } from './model.ts';
import type { Fault } from './schedule.ts';

/** What rounds of one fault came to. */
export class Tally {
  rounds = 0;
  kills = 0;
  acknowledged = 0;
  /** Writes without an answer. */
  unknown = 0;
  /** Writes that a full disk refused. */
  refused = 0;
  worstRestartMs = 0;
  readonly findings = new Map<Finding['kind'], number>();

  add(more: Omit<Tally, 'findings' | 'add' | 'findingCount'> & { readonly findings: readonly Finding[] }): void {
    this.rounds += more.rounds;
    this.kills += more.kills;
    this.acknowledged += more.acknowledged;
    this.unknown += more.unknown;
    this.refused += more.refused;
    this.worstRestartMs = Math.max(this.worstRestartMs, more.worstRestartMs);
    for (const { kind } of more.findings) this.findings.set(kind, (this.findings.get(kind) ?? 0) + 1);
  }

  get findingCount(): number {
    return [...this.findings.values()].reduce((sum, count) => sum + count, 0);
  }
}

const COLUMNS = ['rounds', 'kills', 'acknowledged', 'unknown', 'refused'] as const;

/** A table with a line for each fault, and one for all of them. */
export function tableOf(tallies: ReadonlyMap<Fault | 'all', Tally>): string {
  const head = ['fault', ...COLUMNS, ...FINDING_KINDS, 'worst restart'];
  const lines = [...tallies].map(([fault, tally]) => [
    fault,
    ...COLUMNS.map((column) => tally[column].toLocaleString('en')),
    ...FINDING_KINDS.map((kind) => String(tally.findings.get(kind) ?? 0)),
    tally.worstRestartMs === 0 ? '' : `${(tally.worstRestartMs / 1000).toFixed(2)} s`,
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const row = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return [row(head), ...lines.map(row)].join('\n');
}
