import { type Command, Option } from 'commander';
import type { Namespace, NamespaceSettings } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addSettingFlags, changedSettings, type SettingFlags, setFlag } from './config.ts';
import { removesWhenEmpty } from './empty-values.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { examples } from './help.ts';
import { wholeNumber } from './parse-flag.ts';
import { paint, print, printable, printEach, printJson, rows } from './terminal.ts';

export function defineNamespaces(command: Command): void {
  command.description('List, create, change and delete namespaces. Nothing is read or written across them.');
  const list = command
    .command('list')
    .description('List all namespaces.')
    .addHelpText('after', examples('mneme namespaces list'))
    .action(listAll);
  const create = command
    .command('create <name>')
    .description('Create a namespace.')
    .option('--description <text>', 'purpose, for people')
    .addOption(memoryLimit(1))
    .addOption(setFlag())
    .addHelpText('after', examples('mneme namespaces create team-a --description "memories of team A"'))
    .action(createOne);
  const get = command
    .command('get <name>')
    .description('Show a namespace and the settings of its tiers.')
    .addHelpText('after', examples('mneme namespaces get team-a'))
    .action(getOne);
  const update = addSettingFlags(command.command('update <name>'))
    .description('Change a namespace and the settings of its tiers.')
    .addOption(removesWhenEmpty(new Option('--description <text>', 'purpose, for people; empty removes it')))
    .addOption(memoryLimit(0))
    .addHelpText(
      'after',
      examples(
        'mneme namespaces update team-a --memory-limit 50000',
        'mneme namespaces update team-a --unset short_term.ttl',
      ),
    )
    .action(updateOne);
  const remove = command
    .command('delete <name>')
    .description('Delete a namespace.')
    .option('--force', 'erase its memories too')
    .addHelpText('after', examples('mneme namespaces delete scratch --force'))
    .action(deleteOne);
  for (const each of [list, create, get, update, remove]) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme namespaces list
  $ mneme namespaces create team-a --memory-limit 100000
  $ mneme namespaces update team-a --set short_term.ttl=2h
  $ mneme namespaces update team-a --unset short_term.ttl
  $ mneme namespaces get team-a
  $ mneme namespaces delete scratch --force`;

function memoryLimit(min: number): Option {
  const description = `limit of memories it may hold${min === 0 ? '; 0: no limit' : ''}`;
  return new Option('--memory-limit <n>', description).argParser(wholeNumber(min, Number.MAX_SAFE_INTEGER));
}

async function listAll(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(mneme.namespaces.list(), 'no namespaces', (namespace) => {
      const { id, description } = namespace;
      if (flags.json) return printJson(namespace);
      return print(description === '' ? id : `${id}  ${paint('dim', printable(description))}`);
    });
  });
}

interface ChangeFlags extends ClientFlags, SettingFlags {
  readonly description?: string;
  readonly memoryLimit?: number;
}

async function createOne(name: string, flags: ChangeFlags): Promise<void> {
  const settings = changesOf(flags);
  await withClient(flags, async (mneme) => {
    const namespace = await mneme.namespaces.create(name, settings);
    await (flags.json ? printJson(namespace) : print(namespace.id));
  });
}

async function getOne(name: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => show(await mneme.namespaces.get(name), flags));
}

async function updateOne(name: string, flags: ChangeFlags): Promise<void> {
  const settings = changesOf(flags);
  if (Object.keys(settings).length === 0) {
    const provided = '--description, --memory-limit, --set or --unset';
    throw new CommandFailure(`nothing to change: use ${provided}`, { exitCode: USAGE });
  }
  const options = { allowDemotion: flags.allowDemotion ?? false };
  await withClient(flags, async (mneme) => show(await mneme.namespaces.update(name, settings, options), flags));
}

function changesOf({ description, memoryLimit, ...flags }: ChangeFlags): NamespaceSettings {
  const settings = changedSettings(flags);
  return {
    ...(description !== undefined && { description }),
    ...(memoryLimit !== undefined && { memoryLimit }),
    ...(settings && { settings }),
  };
}

async function show(namespace: Namespace, flags: ClientFlags): Promise<void> {
  if (flags.json) return printJson(namespace);
  const { id, description, memoryLimit, embeddingModel, embeddingDimension, settings } = namespace;
  const lines = rows([
    ['name', id],
    ['description', description],
    ['created', namespace.createTime.toISOString()],
    ['vectors', embeddingModel === '' ? '' : `${embeddingDimension} values of ${embeddingModel}`],
    ['limit', memoryLimit === 0 ? '' : `${memoryLimit} memories`],
    ...Object.entries(settings),
  ]);
  return print(lines.join('\n'));
}

async function deleteOne(name: string, flags: ClientFlags & { readonly force?: boolean }): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { forgottenCount, revision } = await mneme.namespaces.delete(name, { force: flags.force ?? false });
    if (flags.json) await printJson({ forgottenCount, revision });
    else await print(`deleted ${name} with ${forgottenCount} ${forgottenCount === 1 ? 'memory' : 'memories'}`);
  });
}
