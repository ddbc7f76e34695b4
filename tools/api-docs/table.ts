/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`.replace(/ {2,}/g, ' '))
    .join('\n');
}
