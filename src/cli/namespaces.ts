import { type Command, Option } from 'commander';
import type { NamespaceSettings } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { endWithReader, print, printJson } from './output.ts';
import { wholeNumber } from './parse-flag.ts';
import { paint, printable } from './terminal.ts';

export function defineNamespaces(command: Command): void {
  command.description('Lists, makes and deletes namespaces: nothing is read or written across them.');
  const list = command.command('list').description('list all namespaces').action(listAll);
  const create = command
    .command('create <name>')
    .description('make a namespace')
    .option('--description <text>', 'what it is for')
    .addOption(
      new Option('--memory-limit <n>', 'most memories it may hold').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .action(createOne);
  const remove = command
    .command('delete <name>')
    .description('delete a namespace')
    .option('--force', 'erase its memories too')
    .action(deleteOne);
  for (const each of [list, create, remove]) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme namespaces list
  $ mneme namespaces create team-a --description "memories of team A" --memory-limit 100000
  $ mneme namespaces delete scratch --force`;

async function listAll(flags: ClientFlags): Promise<void> {
  endWithReader();
  await withClient(flags, async (mneme) => {
    for await (const namespace of mneme.namespaces.list()) {
      const { id, description } = namespace;
      if (flags.json) await printJson(namespace);
      else await print(description === '' ? id : `${id}  ${paint('dim', printable(description))}`);
    }
  });
}

interface CreateFlags extends ClientFlags {
  readonly description?: string;
  readonly memoryLimit?: number;
}

async function createOne(name: string, flags: CreateFlags): Promise<void> {
  const { description, memoryLimit } = flags;
  const settings: NamespaceSettings = {
    ...(description !== undefined && { description }),
    ...(memoryLimit !== undefined && { memoryLimit }),
  };
  await withClient(flags, async (mneme) => {
    const namespace = await mneme.namespaces.create(name, settings);
    await (flags.json ? printJson(namespace) : print(namespace.id));
  });
}

async function deleteOne(name: string, flags: ClientFlags & { readonly force?: boolean }): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { forgottenCount, revision } = await mneme.namespaces.delete(name, { force: flags.force ?? false });
    if (flags.json) await printJson({ forgottenCount, revision });
    else await print(`deleted ${name} with ${forgottenCount} ${forgottenCount === 1 ? 'memory' : 'memories'}`);
  });
}
