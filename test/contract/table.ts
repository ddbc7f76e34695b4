import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/clients-contract.md', import.meta.url));
const HEAD = `# Passes of the clients

Scenarios of the [contract test](../test/contract/README.md) that each client passes. Written by \`make test-contract\`.
`;
const NOT_RUN = 'not run';

/** By subject of the scenarios. */
export type Passes = Map<string, { readonly passed: number; readonly of: number }>;

/**
 * Writes the columns of the clients that ran and keeps the others; or only compares them. Returns the errors of the
 * page.
 */
export function tellPasses(
  table: ReadonlyMap<string, Passes>,
  order: readonly string[],
  isCheck: boolean,
): string | undefined {
  const before = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const cells = cellsOf(before);
  for (const [language, passes] of table) {
    const column = [...passes].map(([subject, { passed, of }]) => [subject, `${passed} of ${of}`] as const);
    cells.set(language, new Map(column));
  }
  const after = pageOf(new Map(order.flatMap((language) => columnOf(cells, language))));
  if (after === before) return undefined;
  if (isCheck) return 'it is not what has passed: run make test-contract';
  writeFileSync(PAGE, after);
  return undefined;
}

/** Columns have a fixed order, independent of the clients that ran. */
function columnOf(cells: Cells, language: string): [string, ReadonlyMap<string, string>][] {
  const column = cells.get(language);
  return column ? [[language, column]] : [];
}

type Cells = Map<string, ReadonlyMap<string, string>>;

function cellsOf(page: string): Cells {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|-'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [head = [], ...subjects] = rows;
  return new Map(
    head
      .slice(1)
      .map((language, index) => [
        language,
        new Map(subjects.map(([subject = '', ...row]) => [subject, row[index] ?? NOT_RUN])),
      ]),
  );
}

function pageOf(cells: Cells): string {
  const languages = [...cells.keys()];
  const subjects = [...new Set([...cells.values()].flatMap((column) => [...column.keys()]))];
  const row = (first: string, rest: readonly string[]) => `| ${[first, ...rest].join(' | ')} |\n`;
  const head = `${row('', languages)}|${'---|'.repeat(languages.length + 1)}\n`;
  const body = subjects.map((subject) =>
    row(
      subject,
      languages.map((of) => cells.get(of)?.get(subject) ?? NOT_RUN),
    ),
  );
  return `${HEAD}\n${head}${body.join('')}`;
}
