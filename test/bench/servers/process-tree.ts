import { readdirSync, readFileSync } from 'node:fs';
import { cpuUsIn, parentIn } from './process-usage.ts';

/** A process and all processes that it has started, for servers that have one process for each caller. */
function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? textOf(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    const parent = parentIn(stat);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const each of tree) tree.push(...(children.get(each) ?? []));
  return tree;
}

/** CPU time so far of the processes of a tree that still run. Good to 10 ms. */
export function cpuUsOfTree(pid: number): number {
  return sumOf(pid, (each) => {
    const stat = textOf(`/proc/${each}/stat`);
    return stat === undefined ? 0 : cpuUsIn(stat);
  });
}

/** Memory in MB of a million bytes; what several processes share is counted once. */
export function proportionalMbOf(pid: number): number {
  return (fieldOf(pid, 'smaps_rollup', /^Pss:\s+(\d+) kB/m) * 1024) / 1e6;
}

/** Bytes that the processes of a tree have sent to the disk so far. */
export function writtenBytesOf(pid: number): number {
  return fieldOf(pid, 'io', /^write_bytes: (\d+)/m);
}

function fieldOf(pid: number, file: string, pattern: RegExp): number {
  return sumOf(pid, (each) => Number(pattern.exec(textOf(`/proc/${each}/${file}`) ?? '')?.[1] ?? 0));
}

function sumOf(pid: number, value: (pid: number) => number): number {
  return treeOf(pid).reduce((sum, each) => sum + value(each), 0);
}

/** Undefined when the process has ended. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
