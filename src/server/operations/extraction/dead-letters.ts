import { derivedId } from '../../../memory/derived-id.ts';
import { DEFAULT_PRIORITY, type Memory, type MemoryDraft } from '../../../memory/memory.ts';
import type { ConversationKey } from '../conversations/conversations.ts';
import { compare, listUpTo } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { newMemory } from '../memories/store-memories.ts';

type Deps = Pick<MemoryDeps, 'store' | 'view' | 'clock' | 'newId'>;

/** A message whose extraction has failed for good. */
export interface DeadLetter {
  readonly conversation: string;
  readonly sequence: number;
  readonly error: string;
}

/** Type of the memories that dead letters are kept as: without a text and never valid, so that no recall finds them. */
const DEAD_LETTER_TYPE = 'extraction_failure';
/** Of a namespace that are shown and tried again by one call. */
const DEAD_LETTERS_MAX = 1000;

function idOf(conversation: string, sequence: number): string {
  return derivedId(`extraction failure\n${conversation}\n${sequence}`);
}

/** Keeps a dead letter until it is removed, across restarts and on every backend. */
export async function storeDeadLetter(
  { store, clock, newId }: Deps,
  namespace: string,
  { conversation, sequence, error }: DeadLetter,
): Promise<void> {
  const atUs = clock.nowUs();
  const draft: MemoryDraft = {
    id: idOf(conversation, sequence),
    scope: { project: '', agentType: '', agent: '', session: conversation },
    type: DEAD_LETTER_TYPE,
    step: sequence,
    text: '',
    textDerived: false,
    content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify({ error })) },
    tags: [],
    importance: 0,
    priority: DEFAULT_PRIORITY,
    validFromUs: 0,
    validUntilUs: 1,
    source: { speaker: '', uri: `conversations/${conversation}/messages/${sequence}`, origin: 'extraction' },
  };
  const memories = [newMemory(draft, { pending: false }, newId, atUs)];
  await store.write({ kind: 'store', namespace, memories, createNamespace: false, onConflict: 'replace', atUs });
}

export async function removeDeadLetters(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { namespace, conversation }: ConversationKey,
  sequences: readonly number[],
): Promise<void> {
  const ids = sequences.map((sequence) => idOf(conversation, sequence));
  await store.write({ kind: 'delete', namespace, ids, cause: 'deleted', mustExist: false, atUs: clock.nowUs() });
}

/** By conversation and sequence, at most `DEAD_LETTERS_MAX`. */
export async function listDeadLetters(
  { view, clock }: Pick<Deps, 'view' | 'clock'>,
  namespace: string,
): Promise<DeadLetter[]> {
  const filter = compare('type', 'equals', DEAD_LETTER_TYPE);
  const read = { namespace, filter, order: 'step_asc', view: 'basic', nowUs: clock.nowUs() } as const;
  const memories = await listUpTo(view, { ...read, limit: DEAD_LETTERS_MAX });
  return memories.flatMap((memory) =>
    memory.step === undefined
      ? []
      : [{ conversation: memory.scope.session, sequence: memory.step, error: errorIn(memory) }],
  );
}

function errorIn({ content }: Memory): string {
  try {
    const { error } = JSON.parse(Buffer.from(content?.data ?? []).toString()) as { readonly error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}
