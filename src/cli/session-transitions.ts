import {
  type Checkpoint,
  type HookReport,
  type Json,
  type Metadata,
  type Mneme,
  MnemeError,
  type Scope,
  type Session,
  type SessionOutcome,
  type SessionState,
} from '../../clients/typescript/src/index.ts';
import { type ClientFlags, withClient } from './client-flags.ts';
import { timeText } from './memory-output.ts';
import { paint, print, printable, printEach, printJson, type Row, rows } from './terminal.ts';

export async function spawnSession(id: string | undefined, flags: SpawnFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const spawned = await mneme.lifecycle.spawn({
      sessionId: id,
      scope: scopeOf(flags),
      initialValues: flags.state,
      ...(flags.defaultTtl === undefined
        ? {}
        : { defaultTtlMs: flags.defaultTtl === false ? 'never' : flags.defaultTtl }),
      ...(flags.idleTtl === undefined ? {} : { idleTtlMs: flags.idleTtl === false ? 'never' : flags.idleTtl }),
      ...transitionOf(flags),
    });
    await printResult(flags, spawned, `${spawned.session.id}`);
  });
}

export async function pauseSession(session: string, flags: PauseFlags): Promise<void> {
  const { checkpoint, description, keepFor, pin = false, allowWrites = false } = flags;
  await withClient(flags, async (mneme) => {
    const paused = await mneme.lifecycle.pause(session, {
      checkpointId: checkpoint,
      description,
      checkpointTtlMs: keepFor,
      pin,
      allowWrites,
      includeMemories: flags.memories ?? false,
      ...transitionOf(flags),
    });
    const { id, keyCount } = paused.checkpoint;
    await printResult(flags, paused, `paused with checkpoint ${id} of ${count(keyCount, 'value')}`);
  });
}

export async function resumeSession(session: string, flags: ResumeFlags): Promise<void> {
  const { checkpoint, merge = false } = flags;
  await withClient(flags, async (mneme) => {
    const resumed = await mneme.lifecycle.resume(session, {
      checkpointId: checkpoint,
      mode: merge ? 'merge' : 'replace',
      restoreMemories: flags.memories ?? false,
      ...transitionOf(flags),
    });
    const expired = resumed.expiredCount > 0 ? `, ${resumed.expiredCount} had expired` : '';
    await printResult(flags, resumed, `resumed with ${count(resumed.restoredCount, 'value')}${expired}`);
  });
}

export async function endSession(session: string, flags: EndFlags): Promise<void> {
  const { outcome, task, lesson, action, importance, tokens, redact, keep = false, episode } = flags;
  await withClient(flags, async (mneme) => {
    const ended = await mneme.lifecycle.terminate(session, {
      outcome,
      taskDescription: task,
      lessons: lesson,
      actions: action,
      importance,
      tokensUsed: tokens,
      redactKeys: redact,
      keepWorkingMemory: keep,
      skipEpisode: !episode,
      ...transitionOf(flags),
    });
    const memory = ended.episodeId === undefined ? '' : `, remembered as ${ended.episodeId}`;
    await printResult(flags, ended, `terminated with ${outcome}${memory}`);
  });
}

export async function deleteSession(session: string, flags: DeleteFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const deleted = await mneme.lifecycle.delete(session, { force: flags.force ?? false, ...transitionOf(flags) });
    const { clearedCount, clearedNoteCount, clearedCheckpointCount } = deleted;
    const what = `${count(clearedCount, 'value')}, ${count(clearedNoteCount, 'note')}, ${count(clearedCheckpointCount, 'checkpoint')}`;
    await printResult(flags, deleted, `deleted with ${what}`);
  });
}

export async function listSessions(flags: ScopeFlags & { readonly state?: SessionState }): Promise<void> {
  await withClient(flags, async (mneme) => {
    const states = flags.state === undefined ? [] : [flags.state];
    await printEach(mneme.lifecycle.list({ scope: scopeOf(flags), states }), 'no sessions', (session) =>
      flags.json ? printJson(session) : print(sessionLine(session)),
    );
  });
}

export async function showSession(id: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const session = await mneme.lifecycle.get(id);
    const checkpoints = await checkpointsOf(mneme, id);
    if (flags.json) return printJson({ ...session, checkpoints });
    const known = checkpoints?.map(checkpointLine) ?? ['checkpoints  not known while Redis is away'];
    await print([...sessionLines(session), ...known].join('\n'));
  });
}

/** `null` while the server serves the session from its data folder, which has none: Redis is away. */
async function checkpointsOf(mneme: Mneme, id: string): Promise<Checkpoint[] | null> {
  const checkpoints: Checkpoint[] = [];
  try {
    for await (const checkpoint of mneme.lifecycle.listCheckpoints(id)) checkpoints.push(checkpoint);
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'STORAGE_UNAVAILABLE') return null;
    throw error;
  }
  return checkpoints;
}

export function sessionLine({ id, state, scope, createTime }: Session): string {
  const owner = [scope.project, scope.agentType, scope.agent].filter((part) => part !== undefined).join('/');
  return [printable(id), paint('yellow', state), paint('cyan', timeText(createTime)), paint('dim', printable(owner))]
    .join('  ')
    .trimEnd();
}

function sessionLines(session: Session): string[] {
  const { scope, metadata } = session;
  return rows([
    ['name', session.name],
    ['state', session.frozen ? `${session.state}, takes no writes` : session.state],
    ['version', session.version],
    ['project', scope.project],
    ['agent type', scope.agentType],
    ['agent', scope.agent],
    ['spawned', session.createTime.toISOString()],
    ['changed', session.updateTime.toISOString()],
    ['active', `${(session.activeDurationMs / 1000).toFixed(1)} s`],
    ['outcome', session.outcome],
    ['episode', session.episodeId],
    ['forgotten', session.expireTime?.toISOString()],
    ['default ttl', spanOf(session.defaultTtlMs)],
    ['idle ttl', spanOf(session.idleTtlMs)],
    ['ends if idle', session.idleExpireTime?.toISOString()],
    ...Object.entries(metadata).map(([key, value]): Row => [`note ${key}`, value]),
  ]);
}

function checkpointLine({ id, createTime, keyCount, description }: Checkpoint): string {
  const what = description === '' ? '' : `  ${printable(description)}`;
  return `${paint('dim', 'checkpoint')}  ${id}  ${createTime.toISOString()}  ${count(keyCount, 'value')}${what}`;
}

async function printResult(
  { json }: ClientFlags,
  answer: { readonly hookReports: readonly HookReport[] },
  line: string,
): Promise<void> {
  if (json) return printJson(answer);
  const hooks = answer.hookReports.filter(({ result }) => result !== 'ok');
  const troubles = hooks.map(
    ({ hook, phase, result, reason }) => `hook ${hook} ${phase}: ${result} ${printable(reason)}`,
  );
  await print([line, ...troubles.map((trouble) => paint('yellow', trouble))].join('\n'));
}

function transitionOf({ note, ifVersion }: TransitionFlags) {
  return {
    ...(note === undefined ? {} : { metadata: note }),
    ...(ifVersion === undefined ? {} : { ifVersion }),
  };
}

export function scopeOf({ project, agentType, agent }: ScopeFlags): Scope {
  return {
    ...(project === undefined ? {} : { project }),
    ...(agentType === undefined ? {} : { agentType }),
    ...(agent === undefined ? {} : { agent }),
  };
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** In the form of the flags, in the largest unit of which it is a whole number. */
function spanOf(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? ['s', 1000];
  return `${ms / size}${unit}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Common flags of commands for session transitions. */
interface TransitionFlags extends ClientFlags {
  readonly note?: Metadata;
  readonly ifVersion?: number;
}
interface SpawnFlags extends TransitionFlags {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly state?: Readonly<Record<string, Json>>;
  /** Milliseconds; `false`: they stay. */
  readonly defaultTtl?: number | false;
  readonly idleTtl?: number | false;
}
interface PauseFlags extends TransitionFlags {
  readonly checkpoint?: string;
  readonly description?: string;
  readonly keepFor?: number;
  readonly pin?: boolean;
  readonly allowWrites?: boolean;
  readonly memories?: boolean;
}
interface ResumeFlags extends TransitionFlags {
  readonly checkpoint?: string;
  readonly merge?: boolean;
  readonly memories?: boolean;
}
interface EndFlags extends TransitionFlags {
  readonly outcome: Exclude<SessionOutcome, 'expired'>;
  readonly task?: string;
  readonly lesson?: readonly string[];
  readonly action?: readonly string[];
  readonly importance?: number;
  readonly tokens?: number;
  readonly redact?: readonly string[];
  readonly keep?: boolean;
  readonly episode: boolean;
}
interface DeleteFlags extends TransitionFlags {
  readonly force?: boolean;
}
export interface ScopeFlags extends ClientFlags {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
}
