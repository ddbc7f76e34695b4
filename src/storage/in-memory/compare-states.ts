import { isDeepStrictEqual } from 'node:util';
import { branchId } from '../../memory/derived-id.ts';
import type { Memory } from '../../memory/memory.ts';
import type { AgentDiff } from '../agent-snapshots.ts';
import { hasEqualFields } from '../changed-memory.ts';

/** Memories of an agent by id. */
export type States = ReadonlyMap<string, Memory>;

/** What has changed; with `branch`, to the copies that an agent of that name has. */
export function compared(before: States, after: States, branch: string | undefined): AgentDiff {
  const idThere = (id: string) => (branch === undefined ? id : branchId(id, branch));
  const paired = new Set([...before.keys()].map(idThere));
  const isOther = (memory: Memory, other: Memory) => {
    const link = branch === undefined ? other.supersededBy : memory.supersededBy;
    const { embedding, supersededBy: _, ...rest } = other;
    const same = { ...rest, ...(link === undefined ? {} : { supersededBy: link }), embeddingPending: false };
    const isEqual = hasEqualFields(memory, branch === undefined ? same : { ...same, scope: memory.scope });
    return !isEqual || (branch === undefined && !isDeepStrictEqual(memory.embedding, embedding));
  };
  const common = [...before.values()].filter(({ id }) => after.has(idThere(id)));
  return {
    added: [...after.keys()].filter((id) => !paired.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(idThere(id))),
    changed: common.filter((memory) => isOther(memory, after.get(idThere(memory.id)) as Memory)).map(({ id }) => id),
  };
}
