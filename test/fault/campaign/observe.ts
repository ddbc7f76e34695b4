import { type Mneme, NotFoundError } from '../../../clients/typescript/src/index.ts';
import { markOfMemory, markOfValue, markOfValues } from './entries.ts';
import { CHECKPOINT, sessionOf, VALUE } from './lane.ts';
import { type Finding, TORN } from './model.ts';
import { LANES } from './workload.ts';

export interface Observed {
  /** Mark of each memory, value and checkpoint. */
  readonly marks: Map<string, string>;
  readonly findings: Finding[];
}

const PAGE_SIZE = 250;

/** Reads everything that a server holds. */
export async function observe(mneme: Mneme): Promise<Observed> {
  const marks = new Map<string, string>();
  const findings: Finding[] = [];
  const onDamaged = (ids: readonly string[]) => {
    for (const id of ids) marks.set(id, `${TORN} named as damaged`);
  };
  const add = (id: string, mark: string) => {
    if (marks.has(id)) findings.push({ kind: 'duplicated', text: `${id} is listed twice` });
    marks.set(id, mark);
  };
  try {
    for await (const memory of mneme.list({ view: 'full', order: 'create_time_asc', pageSize: PAGE_SIZE, onDamaged })) {
      add(memory.id, markOfMemory(memory, true));
    }
  } catch (error) {
    // Before the first memory is stored.
    if (!(error instanceof NotFoundError)) throw error;
  }
  for (let lane = 0; lane < LANES; lane++) {
    for (const [id, mark] of await sessionMarks(mneme, lane)) add(id, mark);
  }
  return { marks, findings };
}

async function sessionMarks(mneme: Mneme, lane: number): Promise<Map<string, string>> {
  const session = mneme.session(sessionOf(lane));
  const marks = new Map<string, string>();
  try {
    for await (const { key, value } of session.getAll()) marks.set(`${VALUE}${lane}/${key}`, markOfValue(value.json()));
    for await (const { id } of session.listCheckpoints()) {
      const values = new Map<string, string>();
      for await (const { key, value } of session.getAll({ checkpointId: id }))
        values.set(key, markOfValue(value.json()));
      marks.set(`${CHECKPOINT}${lane}/${id}`, markOfValues(values));
    }
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return marks;
}

/** Whether reads by id, by tag and by words find what the list has, and nothing that is erased. */
export async function otherReads(
  mneme: Mneme,
  expected: ReadonlyMap<string, string>,
  { stored, erased }: { readonly stored: readonly string[]; readonly erased: ReadonlyMap<string, string> },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const ids = stored.filter((id) => !id.startsWith(VALUE) && !id.startsWith(CHECKPOINT));
  if (ids.length === 0) return [];
  const { memories, missingIds } = await mneme.batchGet(ids, { view: 'full' });
  for (const id of missingIds)
    findings.push({ kind: 'lost', text: `BatchGet does not find ${id}, which the list has` });
  for (const memory of memories) {
    const mark = markOfMemory(memory, true);
    if (mark !== expected.get(memory.id)) findings.push({ kind: 'wrong', text: `BatchGet ${memory.id}: ${mark}` });
  }
  for (const id of ids.slice(0, RECALLED_MAX)) {
    const finding = await recalled(mneme, id, expected.get(id) ?? '');
    if (finding) findings.push(finding);
  }
  for (const [id, mark] of [...erased].slice(0, RECALLED_MAX)) {
    const { hits } = await mneme.recall({ text: mark, limit: 3, minRelevance: 0 });
    if (hits.some(({ memory }) => memory.id === id)) {
      findings.push({ kind: 'revived', text: `Recall "${mark}" finds ${id}, which was erased` });
    }
  }
  return findings;
}

const RECALLED_MAX = 4;

async function recalled(mneme: Mneme, id: string, mark: string): Promise<Finding | undefined> {
  const { hits, degraded } = await mneme.recall({ text: mark, limit: 3, minRelevance: 0 });
  const hit = hits.find(({ memory }) => memory.id === id);
  if (!hit) {
    const found = hits.map(({ memory }) => memory.id).join(', ');
    const parts = degraded.map(({ part }) => part).join(', ');
    return {
      kind: 'lost',
      text: `Recall "${mark}" does not find ${id} but ${found || 'nothing'}; degraded: ${parts || 'no'}`,
    };
  }
  const seen = markOfMemory(hit.memory, false);
  return seen === mark ? undefined : { kind: 'wrong', text: `Recall "${mark}": ${id} with ${seen}` };
}
