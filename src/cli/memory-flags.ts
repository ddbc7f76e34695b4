import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { Content, type NewMemory, type Place } from '../../clients/typescript/src/index.ts';
import { usage } from './failure.ts';
import { durationMs, numberFrom, several, time, wholeNumber } from './parse-flag.ts';
import { readStdin } from './read-stdin.ts';

/** Flags that say what a memory is. */
export interface MemoryFlags {
  readonly type?: string;
  readonly speaker?: string;
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly tag?: readonly string[];
  readonly step?: number;
  readonly eventTime?: Date;
  readonly importance?: number;
  readonly priority?: number;
  readonly content?: string;
  readonly contentType?: string;
  readonly uri?: string;
  readonly origin?: string;
  readonly location?: string;
  readonly room?: string;
  readonly region?: string;
  readonly ttl?: number;
  readonly validFrom?: Date;
  readonly validUntil?: Date;
}

/** `defaults`: whether help names what a new memory gets without a flag. */
export function addMemoryFlags(command: Command, { defaults }: { readonly defaults: boolean }): Command {
  const or = (what: string) => (defaults ? ` (${what})` : '');
  return command
    .option('--type <word>', `such as message, fact, episode, state${or('message with --speaker, otherwise fact')}`)
    .option('--speaker <name>', 'who said or did it')
    .option('--project <name>', 'project it belongs to')
    .option('--agent-type <name>', 'type of the agent that remembers it')
    .option('--agent <name>', 'agent that remembers it')
    .option('--session <name>', 'conversation or run it belongs to')
    .addOption(new Option('--tag <tag>', 'label; may be repeated').argParser(several))
    .addOption(new Option('--step <n>', "step of the agent's run").argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(
      new Option('--event-time <time>', `when it happened, see "mneme help times"${or('now')}`).argParser(time),
    )
    .addOption(new Option('--importance <n>', `how much it matters, 0 to 1${or('0.5')}`).argParser(numberFrom(0, 1)))
    .addOption(new Option('--priority <n>', `priority of your own, 0 to 1${or('1')}`).argParser(numberFrom(0, 1)))
    .option('--content <json|@file>', 'structured content, as JSON or from a file')
    .option('--content-type <type>', 'media type of --content (application/json)')
    .option('--uri <uri>', 'address of its source')
    .option('--origin <name>', 'program that stores it')
    .option('--location <name>', 'name of the place where it happened')
    .option('--room <name>', 'room of that place')
    .option('--region <name>', 'region around that place')
    .addOption(new Option('--ttl <span>', 'erase it after this time, such as 90s or 7d').argParser(durationMs))
    .addOption(new Option('--valid-from <time>', 'since when it is true').argParser(time))
    .addOption(new Option('--valid-until <time>', 'when it stops being true').argParser(time));
}

/** A memory of what the flags give, and the text where it is not empty. */
export function memoryOf(text: string, flags: MemoryFlags): NewMemory {
  const { type, step, importance, priority, eventTime, validFrom, validUntil, tag: tags, ttl } = flags;
  const { project, agentType, agent, session, speaker, uri, origin } = flags;
  const source = withoutAbsent({ speaker, uri, origin });
  const scope = withoutAbsent({ project, agentType, agent, session });
  const place = placeOf(flags);
  return withoutAbsent({
    type,
    step,
    importance,
    priority,
    eventTime,
    validFrom,
    validUntil,
    tags,
    text: text || undefined,
    content: flags.content === undefined ? undefined : contentOf(flags.content, flags.contentType),
    expireTime: ttl === undefined ? undefined : new Date(Date.now() + ttl),
    scope: Object.keys(scope).length > 0 ? scope : undefined,
    source: Object.keys(source).length > 0 ? source : undefined,
    place: Object.keys(place).length > 0 ? place : undefined,
  });
}

/** The text of the arguments; read from stdin where they are `-`, or are missing and something is piped in. */
export async function textOf(words: readonly string[], { content }: MemoryFlags): Promise<string> {
  const given = words.join(' ');
  const isPiped = given === '-' || (given === '' && content === undefined && !process.stdin.isTTY);
  const text = isPiped ? await readStdin() : given;
  if (text.trim() === '' && content === undefined) {
    throw usage('nothing to store: give a text or --content, or pipe the text in');
  }
  return text;
}

function placeOf({ location, room, region }: MemoryFlags): Place {
  return withoutAbsent({ location, room, region });
}

function contentOf(given: string, mediaType = 'application/json'): Content {
  const data = given.startsWith('@') ? readFileSync(given.slice(1)) : given;
  return new Content(mediaType, data);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
