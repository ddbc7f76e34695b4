import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface DataTableProps {
  /** Description of the rows, for screen readers. */
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: () => readonly (readonly ComponentChildren[])[];
}

/** The data of a plot as a table, which is written when it is opened. */
export function DataTable({ label, heads, rows }: DataTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label} as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
        <section class="scroll-x plot-table" tabIndex={0} aria-label={`${label} as a table`}>
          <table>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map(([first, ...cells], at) => (
                <tr key={at}>
                  <th scope="row">{first}</th>
                  {cells.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
