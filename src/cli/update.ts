import { type Command, Option } from 'commander';
import type { MemoryChanges, Mneme } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { examples } from './help-style.ts';
import { addMemoryFlags, type MemoryFlags, memoryOf } from './memory-flags.ts';
import { print, printJson } from './output.ts';
import { memoryId, several, wholeNumber } from './parse-flag.ts';
import { readStdin } from './read-stdin.ts';
import { wholeId } from './whole-ids.ts';

interface UpdateFlags extends ClientFlags, MemoryFlags {
  readonly clear?: readonly string[];
  readonly supersededBy?: string;
  readonly ifVersion?: number;
}

/** What can be cleared, and the field that it stands for. */
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

export function defineUpdate(command: Command): void {
  addMemoryFlags(
    command
      .description(
        'Update a memory: what is given changes, the rest stays, and the former state is kept (mneme get --revisions). ' +
          'With "-" the new text is read from stdin. Tags given replace all former tags.',
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
    .addHelpText('after', EXAMPLES)
    .action(update);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = examples(
  'mneme update m1 "Ada plays the viola."',
  'mneme update m1 --importance 0.9 --tag music --tag orchestra',
  'mneme update m1 --valid-until yesterday',
  'mneme update m1 --clear ttl --if-version 12',
);

async function update(given: string, words: readonly string[], flags: UpdateFlags): Promise<void> {
  const said = words.join(' ');
  const text = said === '-' ? await readStdin() : said;
  const asked = changesOf(text, flags);
  await withClient(flags, async (mneme) => {
    const id = await wholeId(mneme, given);
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
  const given = {
    ...memoryOf(text, flags),
    ...(flags.supersededBy !== undefined && { supersededBy: flags.supersededBy }),
  };
  const both = cleared.find(([field]) => field in given);
  if (both) throw usage(`--clear ${both[0]}: it is given a new value too`);
  const changes = { ...given, ...Object.fromEntries(cleared) };
  if (Object.keys(changes).length === 0) throw usage('nothing to change: give a text, flags such as --tag, or --clear');
  return changes;
}

/**
 * Source and place are stored whole: what is not given of them is taken from the memory as it is. The version of that state makes
 * sure that it has not changed in between.
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
