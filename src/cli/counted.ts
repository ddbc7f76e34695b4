/** A count with its noun, such as `1 key`, `2 keys` and `2 memories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
