import {
  GetAllValuesRequest,
  GetAllValuesResponse,
  GetWorkingMemoryStatisticsRequest,
  GetWorkingMemoryStatisticsResponse,
  ListKeysRequest,
  ListKeysResponse,
  WorkingMemoryServiceService as Service,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { PATTERN_CHARACTERS_MAX } from '../../../memory/pattern.ts';
import { type SessionKey, sessionNotFound } from '../../../memory/session.ts';
import { pageOfCheckpoint } from '../../operations/sessions/working-memory/checkpoints.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, unary } from '../edge/handler.ts';
import { type PageQuery, pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { type RequestChecks, timestampOf } from '../edge/request-checks.ts';
import {
  CHECKPOINT_ID,
  CHECKPOINT_ID_SHAPE,
  checked,
  entryMessage,
  sessionIn,
  sessionRequestOf,
} from './working-memory-messages.ts';

export interface WorkingPageLimits {
  readonly maxPageSize: number;
  readonly maxPageBytes: number;
}

const PAGE_DEFAULT = 100;

/** The methods of WorkingMemoryService that list and count. */
export function workingListMethods(deps: WorkingMemoryDeps, limits: WorkingPageLimits): Route[] {
  const { clock, sessions } = deps;
  return [
    unary(Service.listKeys, ListKeysRequest, ListKeysResponse, async (message) => {
      const read = listReadOf(message, limits);
      const query = pageQuery(Service.listKeys.path, ListKeysRequest, { ...message, pageSize: 0, pageToken: '' });
      const page = { ...read, ...after(query, message.pageToken), withValues: false, nowUs: clock.nowUs() };
      const { entries, nextAfter, revision } = await sessions.list(page);
      const nextPageToken = nextAfter === undefined ? '' : pageToken(query, nextAfter);
      return { entries: entries.map(entryMessage), nextPageToken, revision: BigInt(revision) };
    }),
    unary(Service.getAllValues, GetAllValuesRequest, GetAllValuesResponse, async (message) => {
      const { checkpointId: checkpoint } = message;
      const read = listReadOf(message, limits, checkpoint);
      const query = pageQuery(Service.getAllValues.path, GetAllValuesRequest, {
        ...message,
        pageSize: 0,
        pageToken: '',
      });
      const page = { ...read, ...after(query, message.pageToken), withValues: true, nowUs: clock.nowUs() };
      const { entries, nextAfter, revision } = await (checkpoint === ''
        ? sessions.list(page)
        : pageOfCheckpoint(deps, page, checkpoint));
      const nextPageToken = nextAfter === undefined ? '' : pageToken(query, nextAfter);
      return { entries: entries.map(entryMessage), nextPageToken, revision: BigInt(revision) };
    }),
    unary(
      Service.getWorkingMemoryStatistics,
      GetWorkingMemoryStatisticsRequest,
      GetWorkingMemoryStatisticsResponse,
      async (message) => {
        const of = sessionRequestOf(message);
        const found = await sessions.statistics(of, clock.nowUs());
        if (!found) throw sessionNotFound(of);
        const { revision, keyCount, valueBytes, noteCount, noteBytes, checkpointCount, checkpointBytes } = found;
        return {
          ...{ keyCount, valueBytes, noteCount, noteBytes, checkpointCount, checkpointBytes },
          droppedNoteCount: found.notesDropped,
          hasTaskState: found.hasTask,
          createTime: timestampOf(found.createdAtUs),
          updateTime: timestampOf(found.updatedAtUs),
          revision: BigInt(revision),
          scope: { ...of, project: found.project, agentType: found.agentType, agent: found.agent },
          usingFallback: found.usingFallback,
        };
      },
    ),
  ];
}

function listReadOf(
  { session, pattern, pageSize }: { session: string; pattern: string; pageSize: number },
  limits: WorkingPageLimits,
  checkpoint = '',
): SessionKey & { pattern?: string; limit: number; bytesMax: number } {
  return checked((checks) => {
    if (checkpoint !== '') checks.matching('checkpoint', checkpoint, CHECKPOINT_ID, CHECKPOINT_ID_SHAPE);
    return {
      ...sessionIn(checks, 'session', session),
      ...patternOf(checks, 'pattern', pattern),
      limit: checks.pageSize(pageSize, PAGE_DEFAULT, limits.maxPageSize),
      bytesMax: limits.maxPageBytes,
    };
  });
}

/** An empty pattern matches all keys. */
export function patternOf(checks: RequestChecks, field: string, pattern: string): { readonly pattern?: string } {
  if (pattern === '') return {};
  if (pattern.length > PATTERN_CHARACTERS_MAX) {
    checks.add(field, `must be at most ${PATTERN_CHARACTERS_MAX} characters, got ${pattern.length}`);
    return {};
  }
  return { pattern };
}

function after(query: PageQuery, token: string): { readonly afterKey?: string } {
  const afterKey = positionIn<string>(query, token);
  return afterKey === undefined ? {} : { afterKey };
}
