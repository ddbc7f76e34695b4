import { derivedId } from './derived-id.ts';

/** Id that the copy of a memory has with another agent: forking again leads to the same copies. */
export function branchId(id: string, agent: string): string {
  return derivedId(`branch\n${agent}\n${id}`);
}
