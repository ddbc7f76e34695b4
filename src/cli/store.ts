import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { Content, type NewMemory } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { print, printJson } from './output.ts';
import { durationMs, numberFrom, several, time, wholeNumber } from './parse-flag.ts';
import { readStdin } from './read-stdin.ts';
import { tellDegraded } from './tell-degraded.ts';

interface StoreFlags extends ClientFlags {
  readonly id?: string;
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

export function defineStore(command: Command): void {
  command
    .description('Store one memory and print its id. Without a text, or with "-", the text is read from stdin.')
    .argument('[text...]', 'what to remember, in plain language')
    .option('--id <id>', 'id of the memory (a new UUID)')
    .option('--type <word>', 'such as message, fact, episode, state (message with --speaker, otherwise fact)')
    .option('--speaker <name>', 'who said or did it')
    .option('--project <name>', 'project it belongs to')
    .option('--agent-type <name>', 'type of the agent that remembers it')
    .option('--agent <name>', 'agent that remembers it')
    .option('--session <name>', 'conversation or run it belongs to')
    .addOption(new Option('--tag <tag>', 'label; may be repeated').argParser(several))
    .addOption(new Option('--step <n>', "step of the agent's run").argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--event-time <time>', 'when it happened, see "mneme help times" (now)').argParser(time))
    .addOption(new Option('--importance <n>', 'how much it matters, 0 to 1 (0.5)').argParser(numberFrom(0, 1)))
    .addOption(new Option('--priority <n>', 'priority of your own, 0 to 1 (1)').argParser(numberFrom(0, 1)))
    .option('--content <json|@file>', 'structured content, as JSON or from a file')
    .option('--content-type <type>', 'media type of --content (application/json)')
    .option('--uri <uri>', 'address of its source')
    .option('--origin <name>', 'program that stores it')
    .option('--location <name>', 'name of the place where it happened')
    .option('--room <name>', 'room of that place')
    .option('--region <name>', 'region around that place')
    .addOption(new Option('--ttl <span>', 'erase it after this time, such as 90s or 7d').argParser(durationMs))
    .addOption(new Option('--valid-from <time>', 'since when it is true').argParser(time))
    .addOption(new Option('--valid-until <time>', 'when it stops being true').argParser(time))
    .addHelpText('after', EXAMPLES)
    .action(store);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme store "Caroline plays the cello." --speaker Caroline
  $ mneme store "The boiler was serviced." --event-time yesterday
  $ mneme store --content '{"door":"open"}' --type state --step 12
  $ git log -1 --format=%B | mneme store --type episode --tag commit --ttl 30d`;

async function store(words: readonly string[], flags: StoreFlags): Promise<void> {
  const text = await textOf(words, flags);
  const memory = memoryOf(text, flags);
  await withClient(flags, async (mneme) => {
    const receipt = await mneme.store(memory);
    await (flags.json ? printJson(receipt) : print(receipt.id));
    tellDegraded(receipt.degraded);
  });
}

async function textOf(words: readonly string[], { content }: StoreFlags): Promise<string> {
  const given = words.join(' ');
  const isPiped = given === '-' || (given === '' && content === undefined && !process.stdin.isTTY);
  const text = isPiped ? await readStdin() : given;
  if (text === '' && content === undefined) {
    throw usage('nothing to store: give a text or --content, or pipe the text in');
  }
  return text;
}

function memoryOf(text: string, flags: StoreFlags): NewMemory {
  const { id, type, step, importance, priority, eventTime, validFrom, validUntil, tag: tags, ttl } = flags;
  const { project, agentType, agent, session, speaker, uri, origin, location, room, region } = flags;
  const given = {
    id,
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
    scope: withoutAbsent({ project, agentType, agent, session }),
    source: withoutAbsent({ speaker, uri, origin }),
    place: location || room || region ? withoutAbsent({ location, room, region }) : undefined,
  };
  return withoutAbsent(given);
}

function contentOf(given: string, mediaType = 'application/json'): Content {
  const data = given.startsWith('@') ? readFileSync(given.slice(1)) : given;
  return new Content(mediaType, data);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
