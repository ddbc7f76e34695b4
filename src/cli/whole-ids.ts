import { type Mneme, where } from '../../clients/typescript/src/index.ts';
import { CommandFailure, INPUT_REFUSED, NOT_FOUND } from './failure.ts';
import { printable } from './terminal.ts';

const CANDIDATES_MAX = 5;
const SUMMARY_LENGTH_MAX = 60;
/** The first 8 characters of a UUID or more, but not all 36. Other ids are names, which must be complete. */
const PREFIX = /^(?=.{8,35}$)[0-9a-f]{8}(?:-[0-9a-f-]*)?$/;

/**
 * The complete ids of memories named by a prefix of a UUID, as git accepts the prefix of a hash. An existing id is
 * never treated as the prefix of another one.
 */
export async function wholeIds(mneme: Mneme, provided: readonly string[]): Promise<string[]> {
  const short = provided.filter((id) => PREFIX.test(id));
  if (short.length === 0) return [...provided];
  const { missingIds } = await mneme.batchGet([...new Set(short)], { view: 'metadata' });
  const whole = new Map<string, string>();
  for (const prefix of missingIds) whole.set(prefix, await idThatBeginsWith(mneme, prefix));
  return provided.map((id) => whole.get(id) ?? id);
}

export async function wholeId(mneme: Mneme, provided: string): Promise<string> {
  const [id = provided] = await wholeIds(mneme, [provided]);
  return id;
}

async function idThatBeginsWith(mneme: Mneme, prefix: string): Promise<string> {
  const found = await memoriesFrom(mneme, prefix);
  const [only] = found;
  if (only === undefined) {
    const message = `no memory has an id that begins with ${prefix}. "mneme list" shows the ids of stored memories.`;
    throw new CommandFailure(message, { exitCode: NOT_FOUND, code: 'NOT_FOUND' });
  }
  if (found.length === 1) return only.id;
  const some = found.slice(0, CANDIDATES_MAX).map(({ id, text }) => `${id} (${printable(summaryOf(text))})`);
  const more = found.length > CANDIDATES_MAX ? ' and more' : '';
  const message = `several ids begin with ${prefix}: ${some.join(', ')}${more}. Give more characters of the id.`;
  throw new CommandFailure(message, { exitCode: INPUT_REFUSED, code: 'INVALID_ARGUMENT' });
}

/** At most one more than are named. */
async function memoriesFrom(mneme: Mneme, prefix: string): Promise<{ readonly id: string; readonly text: string }[]> {
  const found: { readonly id: string; readonly text: string }[] = [];
  const onDamaged = (ids: readonly string[]) => found.push(...ids.map((id) => ({ id, text: 'damaged' })));
  for await (const memory of mneme.list({ filter: where.id.startsWith(prefix), onDamaged })) {
    found.push(memory);
    if (found.length > CANDIDATES_MAX) break;
  }
  return found;
}

function summaryOf(text: string): string {
  return text.length > SUMMARY_LENGTH_MAX ? `${text.slice(0, SUMMARY_LENGTH_MAX)}…` : text;
}
