import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks a second of `/proc/<pid>/stat`; Linux has had 100 on every architecture for decades. */
const TICKS_PER_SECOND = 100;
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** CPU time of a process so far, all its threads. Good to 10 ms. */
export function cpuUsOf(pid: number): number {
  return cpuUsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The same from the text of `/proc/<pid>/stat`. */
export function cpuUsIn(stat: string): number {
  const fields = fieldsIn(stat);
  const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  return (ticks * 1_000_000) / TICKS_PER_SECOND;
}

/** Time of one look at a process, and the share of a core that one in rest uses less than. */
const LOOK_MS = 2000;
const REST_SHARE = 0.05;

/** Waits until a process without calls has done its work in the background: for 4 seconds it uses nearly no CPU. */
export async function untilAtRest(pid: number): Promise<void> {
  for (let restful = 0; restful < 2; ) {
    const beforeUs = cpuUsOf(pid);
    await sleep(LOOK_MS);
    restful = cpuUsOf(pid) - beforeUs < REST_SHARE * LOOK_MS * 1000 ? restful + 1 : 0;
  }
}

/** Number of the process that started the one of this `/proc/<pid>/stat`. */
export function parentIn(stat: string): number {
  return Number(fieldsIn(stat)[PARENT]);
}

/** Fields after the name of the program, which is in parentheses and may contain any characters. */
function fieldsIn(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Resident memory in MB of a million bytes: now, and the most there ever was. */
export function residentMbOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (field: string): number =>
    (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { now: read('VmRSS'), most: read('VmHWM') };
}

/** CPU time of each kind of thread since, divided by the number of operations; threads with almost none are omitted. */
export function usedByThread(pid: number, before: ReadonlyMap<string, number>, count: number): [string, number][] {
  const used = [...threadUsOf(pid)].map(([name, us]): [string, number] => [
    name,
    (us - (before.get(name) ?? 0)) / count,
  ]);
  return used.filter(([, us]) => us >= 1);
}

/** CPU time in microseconds of each kind of thread of a process so far, by the kind's name. */
export function threadUsOf(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    const [nanoseconds] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    times.set(name, (times.get(name) ?? 0) + Number(nanoseconds) / 1000);
  }
  return times;
}
