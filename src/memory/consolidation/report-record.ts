import { parsedContent } from '../derive-text.ts';
import type { Content, Memory, Scope } from '../memory.ts';

/** Type of the memories that store the state of a consolidation. */
export const REPORT_TYPE = 'consolidation';
const REPORT_SCHEMA = 'mneme.consolidation.v1';

/** `running`: not finished, the next call goes on with it. `undoing`: the undo was begun and not finished. */
export const REPORT_STATES = ['running', 'done', 'undoing', 'undone'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** State of a consolidation. What it made is found by the id of the report in the contents of the memories. */
export interface ReportRecord {
  readonly state: ReportState;
  readonly scope: Scope;
  /** Memories whose making was undone: consolidation does not make them again. */
  readonly undoneIds: readonly string[];
  /** Of the call that finished it, for an answer that is asked for again. */
  readonly skippedCount: number;
  readonly hasMore: boolean;
}

export function reportContent({ state, scope, undoneIds, skippedCount, hasMore }: ReportRecord): Content {
  const json = { schema: REPORT_SCHEMA, state, scope, undone: undoneIds, skipped: skippedCount, more: hasMore };
  return { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) };
}

/** The state of a consolidation that a memory stores; `undefined` for other memories. */
export function reportOf({ type, content }: Pick<Memory, 'type' | 'content'>): ReportRecord | undefined {
  if (type !== REPORT_TYPE || !content) return undefined;
  const json = parsedContent(content) as Partial<
    Record<'schema' | 'state' | 'undone' | 'skipped' | 'more', unknown>
  > & {
    readonly scope: Scope;
  };
  const state = REPORT_STATES.find((one) => one === json?.state);
  if (json?.schema !== REPORT_SCHEMA || !state) return undefined;
  const { undone, scope, skipped, more } = json;
  return {
    state,
    scope,
    undoneIds: Array.isArray(undone) ? undone.filter((id) => typeof id === 'string') : [],
    skippedCount: typeof skipped === 'number' ? skipped : 0,
    hasMore: more === true,
  };
}
