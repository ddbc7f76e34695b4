import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  Content,
  type MemoryChanges,
  type Mneme,
  type NewMemory,
  type Place,
} from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { removesWhenEmpty } from './empty-values.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { memoryId, numberFrom, several, time, timeToLiveMs, wholeNumber } from './parse-flag.ts';
import { print, printJson, readStdin } from './terminal.ts';
import { wholeId } from './whole-ids.ts';

interface StoreFlags extends ClientFlags, MemoryFlags {
  readonly id?: string;
}

export function defineStore(command: Command): void {
  command
    .description('Store one memory and print its id. Without a text, or with "-", the text is read from stdin.')
    .argument('[text...]', 'what to remember, in plain language')
    .option('--id <id>', 'id of the memory (a new UUID)')
    .addHelpText('after', STORE_EXAMPLES)
    .action(store);
  addClientFlags(addJsonFlag(addMemoryFlags(command, { defaults: true })));
}

const STORE_EXAMPLES = `
Examples:
  $ mneme store "Caroline plays the cello." --speaker Caroline
  $ mneme store "The boiler was serviced." --event-time yesterday
  $ mneme store --content '{"door":"open"}' --type state --step 12
  $ git log -1 --format=%B | mneme store --type episode --tag commit --ttl 30d`;

async function store(words: readonly string[], flags: StoreFlags): Promise<void> {
  const text = await textOf(words, flags);
  const memory = { ...memoryOf(text, flags), ...(flags.id !== undefined && { id: flags.id }) };
  await withClient(flags, async (mneme) => {
    const receipt = await mneme.store(memory);
    await (flags.json ? printJson(receipt) : print(receipt.id));
  });
}

interface UpdateFlags extends ClientFlags, MemoryFlags {
  readonly clear?: readonly string[];
  readonly supersededBy?: string;
  readonly ifVersion?: number;
}

/** Fields that can be cleared, by their names in flags. */
const CLEARABLE: Readonly<Record<string, keyof MemoryChanges>> = {
  text: 'text',
  content: 'content',
  tags: 'tags',
  step: 'step',
  place: 'place',
  source: 'source',
  ttl: 'expireTime',
  'valid-from': 'validFrom',
  'valid-until': 'validUntil',
  'superseded-by': 'supersededBy',
};

/** Parts of source and place, which are removed one by one. */
const PARTS = new Set(['speaker', 'uri', 'origin', 'location', 'room', 'region']);

export function defineUpdate(command: Command): void {
  addMemoryFlags(
    command
      .description(
        'Update a memory: fields that are set change, the rest stays, and the former state is kept (mneme get --revisions). ' +
          'With "-" the new text is read from stdin. --tag replaces all former tags. An empty value of --speaker, --uri, ' +
          '--origin, --location, --room or --region removes that part.',
      )
      .argument('<id>', 'id of the memory, its first 8 characters, or full resource name', memoryId)
      .argument('[text...]', 'new text'),
    { defaults: false },
  )
    .addOption(new Option('--superseded-by <id>', 'memory that replaces this one').argParser(memoryId))
    .addOption(
      new Option('--clear <field>', `remove this; may be repeated: ${Object.keys(CLEARABLE).join(', ')}`).argParser(
        several,
      ),
    )
    .option(
      '--if-version <n>',
      'only when this is still its version, as "mneme get" shows it',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .addHelpText('after', UPDATE_EXAMPLES)
    .action(update);
  for (const option of command.options) if (PARTS.has(option.attributeName())) removesWhenEmpty(option);
  addClientFlags(addJsonFlag(command));
}

const UPDATE_EXAMPLES = examples(
  'mneme update m1 "Ada plays the viola."',
  'mneme update m1 --importance 0.9 --tag music --tag orchestra',
  'mneme update m1 --valid-until yesterday',
  'mneme update m1 --clear ttl --if-version 12',
);

async function update(provided: string, words: readonly string[], flags: UpdateFlags): Promise<void> {
  const said = words.join(' ');
  const text = said === '-' ? await readStdin() : said;
  const asked = changesOf(text, flags);
  await withClient(flags, async (mneme) => {
    const id = await wholeId(mneme, provided);
    const { supersededBy } = asked;
    const changes = supersededBy ? { ...asked, supersededBy: await wholeId(mneme, supersededBy) } : asked;
    const { merged, version } = await mergedWithFormer(mneme, id, changes);
    const condition = flags.ifVersion ?? version;
    const receipt = await mneme.update(id, merged, condition === undefined ? {} : { ifVersion: condition });
    await (flags.json ? printJson(receipt) : print(`updated ${receipt.id}, version ${receipt.version}`));
  });
}

function changesOf(text: string, flags: UpdateFlags): MemoryChanges {
  const cleared = (flags.clear ?? []).map((name) => {
    const field = CLEARABLE[name];
    if (field === undefined) {
      throw usage(`--clear: expected one of ${Object.keys(CLEARABLE).join(', ')}, got ${JSON.stringify(name)}`);
    }
    return [field, null] as const;
  });
  const provided = {
    ...memoryOf(text, flags),
    ...(flags.supersededBy !== undefined && { supersededBy: flags.supersededBy }),
  };
  const both = cleared.find(([field]) => field in provided);
  if (both) throw usage(`--clear ${both[0]}: it is set to a new value too`);
  const changes = { ...provided, ...Object.fromEntries(cleared) };
  if (Object.keys(changes).length === 0) throw usage('nothing to change: use a text, flags such as --tag, or --clear');
  return changes;
}

/**
 * Source and place are stored as a whole: unset parts are copied from the memory. The version of that state makes sure
 * that it has not changed in between.
 */
async function mergedWithFormer(
  mneme: Mneme,
  id: string,
  changes: MemoryChanges,
): Promise<{ readonly merged: MemoryChanges; readonly version?: number }> {
  if (!changes.source && !changes.place) return { merged: changes };
  const { source, place, version } = await mneme.get(id);
  const merged = {
    ...changes,
    ...(changes.source && { source: { ...source, ...changes.source } }),
    ...(changes.place && { place: { ...place, ...changes.place } }),
  };
  return { merged, version };
}

interface SupersedeFlags extends ClientFlags, MemoryFlags {
  readonly ifVersion?: number;
}

export function defineSupersede(command: Command): void {
  addMemoryFlags(
    command
      .description(
        'Store a memory that takes the place of another one, and print its id. The other one is not found any more ' +
          'unless you ask with --as-of or --include-invalid. What you do not say of scope, type and source is as before.',
      )
      .argument('<id>', 'memory that is superseded: id, its first 8 characters, or full resource name', memoryId)
      .argument('[text...]', 'what is true now, in plain language'),
    { defaults: false },
  )
    .option(
      '--if-version <n>',
      'only when this is still its version, as "mneme get" shows it',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .addHelpText('after', SUPERSEDE_EXAMPLES)
    .action(supersede);
  addClientFlags(addJsonFlag(command));
}

const SUPERSEDE_EXAMPLES = examples(
  'mneme supersede m1 "Ada lives in Berlin."',
  'mneme supersede m1 "Ada lives in Berlin." --valid-from 2026-10-01',
  'mneme recall "Where does Ada live?" --as-of 2026-09-01',
  'mneme update m1 --clear superseded-by --clear valid-until   # takes it back',
);

async function supersede(id: string, words: readonly string[], flags: SupersedeFlags): Promise<void> {
  const memory = memoryOf(await textOf(words, flags), flags);
  await withClient(flags, async (mneme) => {
    const receipt = await mneme.supersede(
      await wholeId(mneme, id),
      memory,
      flags.ifVersion === undefined ? {} : { ifVersion: flags.ifVersion },
    );
    await (flags.json ? printJson(receipt) : print(receipt.id));
  });
}

/** Flags with the fields of a memory. */
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

/** `defaults`: whether help names the defaults of a new memory. */
export function addMemoryFlags(command: Command, { defaults }: { readonly defaults: boolean }): Command {
  const or = (what: string) => (defaults ? ` (${what})` : '');
  return command
    .option('--type <word>', `such as message, fact, episode, state${or('message with --speaker, otherwise fact')}`)
    .option('--speaker <name>', 'speaker or actor')
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
    .addOption(new Option('--ttl <span>', 'erase it after this time, such as 90s or 7d').argParser(timeToLiveMs))
    .addOption(new Option('--valid-from <time>', 'since when it is true').argParser(time))
    .addOption(new Option('--valid-until <time>', 'when it stops being true').argParser(time));
}

/** A memory from the flags, and the text where it is not empty. */
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

/** The text of the arguments; read from stdin where they are `-`, or are missing and stdin is a pipe. */
export async function textOf(words: readonly string[], { content }: MemoryFlags): Promise<string> {
  const provided = words.join(' ');
  const isPiped = provided === '-' || (provided === '' && content === undefined && !process.stdin.isTTY);
  const text = isPiped ? await readStdin() : provided;
  if (text.trim() === '' && content === undefined) {
    throw usage('nothing to store: use a text or --content, or pipe the text in');
  }
  return text;
}

function placeOf({ location, room, region }: MemoryFlags): Place {
  return withoutAbsent({ location, room, region });
}

function contentOf(provided: string, mediaType = 'application/json'): Content {
  const data = provided.startsWith('@') ? readFileSync(provided.slice(1)) : provided;
  return new Content(mediaType, data);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
