import { type GetSessionRequest, ListSessionsRequest } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Scope } from '../../memory/memory.ts';
import type { SessionKey, SessionState } from '../../memory/session.ts';
import type { SessionListing } from '../../operations/sessions/lifecycle/list-sessions.ts';
import { type PageQuery, pageQuery, positionIn } from '../edge/page-token.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { STATES } from './lifecycle-messages.ts';
import { sessionIn } from './session-fields.ts';

const PAGE_SIZE_DEFAULT = 100;

export interface SessionPageLimits {
  readonly maxPageSize: number;
}

export function getSessionRequestOf(message: GetSessionRequest): SessionKey & { scope?: Scope } {
  const checks = new RequestChecks();
  const key = sessionIn(checks, 'session', message.session);
  const scope = message.scope && scopeOf(checks, 'scope', message.scope);
  checks.finish();
  return { ...key, ...(scope ? { scope } : {}) };
}

export function listSessionsRequestOf(
  message: ListSessionsRequest,
  { maxPageSize }: SessionPageLimits,
): { request: SessionListing; query: PageQuery } {
  const checks = new RequestChecks();
  const query = pageQuery('ListSessions', ListSessionsRequest, { ...message, pageSize: 0, pageToken: '' });
  const states = message.states.flatMap((state, at): SessionState[] => {
    const told = checks.choice(`states[${at}]`, state, STATES);
    return told === 'terminated' ? ['terminating', 'terminated'] : [told];
  });
  const request = {
    namespace: checks.namespace('parent', message.parent),
    ...(message.scope ? { scope: scopeOf(checks, 'scope', message.scope) } : {}),
    states,
    limit: checks.pageSize(message.pageSize, PAGE_SIZE_DEFAULT, maxPageSize),
  };
  checks.finish();
  const afterId = positionIn<string>(query, message.pageToken);
  return { request: { ...request, ...(afterId === undefined ? {} : { afterId }) }, query };
}
