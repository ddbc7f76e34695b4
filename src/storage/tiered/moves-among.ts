import { type EmbeddingState, embeddingStateOf } from '../embedding-state.ts';
import type { HotEntry, MirroredMemory, MirroredMove } from '../hot-log.ts';
import { loneKinds, moveOf } from '../mirrored-move.ts';

/** Of changed memories those that were only moved, as far as the entries tell: of these nothing else need be copied. */
export function movesAmong(
  entries: readonly HotEntry[],
  memories: readonly MirroredMemory[],
): { readonly memories: MirroredMemory[]; readonly moves: MirroredMove[] } {
  const kinds = loneKinds(entries);
  const isMove = ({ memory, past }: MirroredMemory) => past.length === 0 && kinds.get(memory.id) === 'moved';
  return {
    memories: memories.filter((copy) => !isMove(copy)),
    moves: memories.filter(isMove).map((copy) => moveOf(copy, stateIn(copy))),
  };
}

function stateIn({ memory, embeddingPending }: MirroredMemory): EmbeddingState {
  return embeddingStateOf(memory.embedding, embeddingPending);
}
