import type { Change } from '../../../../gen/ts/mneme/v1/change.ts';
import {
  RecallServiceService as methods,
  type WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { integerOf } from '../bad-input.ts';
import type { Connection } from '../connection.ts';
import { viewCode } from '../enums.ts';
import { OutOfRangeError, UnavailableError } from '../errors.ts';
import { allOf, type Filter, type FilterLike, filterFields, where } from '../filter.ts';
import { listCalls } from '../list-calls.ts';
import type { Scope } from '../memory.ts';
import { scopeMessage } from '../memory-to-message.ts';
import { namespaceName } from '../names.ts';
import type { Attempt } from './attempt.ts';
import { heartbeatMsOf } from './heartbeat.ts';
import { noteLoss } from './note-loss.ts';
import { type Runs, resuming } from './resuming.ts';
import type { WatchCalls, WatchEvent, WatchQuery } from './watch-types.ts';
import { watchedChange } from './watched-change.ts';

export function watchCalls(connection: Connection, namespace: string): WatchCalls {
  return {
    watch: (query = {}, options = {}) => resuming(connection, new WatchRuns(connection, namespace, query), options),
  };
}

class WatchRuns implements Runs<WatchEvent> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly namespace: string;
  private readonly query: WatchQuery;
  private readonly request: Omit<WatchMemoriesRequest, 'startRevision' | 'resumeToken'>;
  private resumeToken: string;
  private startRevision: number;
  /** Revision of the last event. */
  private toldRevision = 0;
  /** The log of the revision, and the number of changes already yielded of a partly yielded message. */
  private log = '';
  private readonly begun = new Set<string>();
  private retold: ReadonlySet<string> = new Set();
  private mustList = false;

  constructor(connection: Connection, namespace: string, query: WatchQuery) {
    this.connection = connection;
    this.namespace = namespace;
    this.query = query;
    this.startRevision = query.startRevision ?? 0;
    this.resumeToken = query.resumeToken ?? '';
    this.request = {
      parent: namespaceName(namespace),
      ...filterFields(query.filter),
      scope: scopeMessage(query.scope),
      heartbeatInterval: undefined,
      maxBatchChanges: 0,
      maxBatchBytes: 0,
      view: viewCode(query.view),
      includeTouched: query.includeTouched ?? false,
      includeMoved: query.includeMoved ?? false,
    };
  }

  async *open(attempt: Attempt): AsyncGenerator<WatchEvent> {
    if (this.mustList) yield* this.list(attempt);
    const { resumeToken } = this;
    const request = {
      ...this.request,
      resumeToken,
      startRevision: resumeToken !== '' ? 0n : integerOf(this.startRevision, 'startRevision'),
    };
    for await (const message of this.connection.readStream(methods.watchMemories, request, {
      signal: attempt.signal,
    })) {
      attempt.heard();
      yield* this.eventsOf(message, attempt);
    }
  }

  /** List, then watch from the revision of the list. */
  recover(error: unknown): boolean {
    const isCompacted = error instanceof OutOfRangeError && error.reason === 'REVISION_COMPACTED';
    if (isCompacted) noteLoss(this.connection, error);
    if (!isCompacted || this.query.onCompacted === 'fail' || this.mustList) return false;
    this.mustList = true;
    return true;
  }

  private *eventsOf({ event, resumeToken, revision }: WatchMemoriesResponse, attempt: Attempt): Generator<WatchEvent> {
    if (event?.$case === 'created') {
      attempt.expectEvery(heartbeatMsOf(event.value.heartbeatInterval));
      // Another server numbers the same changes differently.
      const isElsewhere = this.log !== event.value.log;
      if (isElsewhere) this.toldRevision = 0;
      this.retold = new Set(isElsewhere ? this.begun : []);
      this.begun.clear();
      this.log = event.value.log;
    }
    if (event?.$case === 'batch') {
      const { changes } = event.value;
      for (const [at, change] of changes.entries()) {
        // Resuming within a message repeats its beginning.
        const isLast = at === changes.length - 1;
        if (isLast) this.resumeToken = resumeToken;
        const isTold = Number(change.revision) <= this.toldRevision || this.retold.has(stateOf(change));
        if (isLast) this.begun.clear();
        else this.begun.add(stateOf(change));
        if (isTold) continue;
        this.toldRevision = this.connection.seen(change.revision);
        yield { ...watchedChange(change), resumeToken: this.resumeToken };
      }
    }
    this.resumeToken = resumeToken;
    if (event?.$case !== 'progress') return;
    const seen = this.connection.seen(revision);
    if (this.query.progress) yield { kind: 'caught_up', revision: seen, resumeToken };
  }

  private async *list({ signal }: Attempt): AsyncGenerator<WatchEvent> {
    // The list may come from another server, whose revisions are unrelated; a token is valid on every server. So it is
    // requested first, and changes between the two are yielded after the list as well.
    const token = await this.tokenOfNow(signal);
    const { listPage } = listCalls(this.connection, this.namespace);
    const filter = this.listFilter();
    const query = {
      order: 'create_time_asc',
      ...(filter ? { filter } : {}),
      view: this.query.view ?? 'basic',
    } as const;
    let page = await listPage(query, { signal });
    const { revision } = page;
    yield { kind: 'relisting', revision };
    for (;;) {
      for (const memory of page.memories) yield { kind: 'listed', id: memory.id, memory, revision };
      if (page.nextPageToken === '') break;
      page = await listPage({ ...query, pageToken: page.nextPageToken }, { signal });
    }
    this.mustList = false;
    this.resumeToken = token;
  }

  private async tokenOfNow(signal: AbortSignal): Promise<string> {
    const now = { ...this.request, resumeToken: '', startRevision: 0n };
    for await (const { event, resumeToken, revision } of this.connection.readStream(methods.watchMemories, now, {
      signal,
    })) {
      if (event?.$case !== 'created') continue;
      this.log = event.value.log;
      this.toldRevision = Number(revision);
      this.begun.clear();
      return resumeToken;
    }
    throw new UnavailableError('UNAVAILABLE', 'the stream ended before its time');
  }

  private listFilter(): FilterLike | undefined {
    const { filter, scope = {} } = this.query;
    if (typeof filter === 'string') return inScope(filter, scope);
    const parts: Filter[] = [
      ...(filter ? [filter] : []),
      ...(scope.project === undefined ? [] : [where.project.equals(scope.project)]),
      ...(scope.agentType === undefined ? [] : [where.agentType.equals(scope.agentType)]),
      ...(scope.agent === undefined ? [] : [where.agent.equals(scope.agent)]),
      ...(scope.session === undefined ? [] : [where.session.equals(scope.session)]),
    ];
    return parts.length > 1 ? allOf(...parts) : parts[0];
  }
}

/** The text of a filter with the parts of a scope. */
function inScope(filter: string, { project, agentType, agent, session }: Scope): string {
  const parts = Object.entries({ project, agent_type: agentType, agent, session });
  const conditions = parts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
  );
  return conditions.length === 0 ? filter : [`(${filter})`, ...conditions].join(' AND ');
}

/** Identifies a change on every server. */
function stateOf({ kind, name, memory }: Change): string {
  return `${kind} ${name} ${memory?.version ?? ''}`;
}
