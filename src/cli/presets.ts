import type { Command } from 'commander';
import type { RecallPresetDescription } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, NOT_FOUND } from './failure.ts';
import { columnsOf, paint, print, printJson, wrapped } from './terminal.ts';

export function definePresets(command: Command): void {
  command
    .description('List the named forms of recall for "mneme recall --preset"; with a name, show its parameters.')
    .argument('[name]', 'name of a preset')
    .addHelpText('after', EXAMPLES)
    .action(presets);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme presets
  $ mneme presets attribute
  $ mneme recall --preset attribute --parameters '{"query": "meeting"}'`;

async function presets(name: string | undefined, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const all = await mneme.listRecallPresets();
    const chosen = name === undefined ? all : all.filter((preset) => preset.name === name);
    if (chosen.length === 0) {
      const message = `there is no preset ${JSON.stringify(name)}; "mneme presets" lists all presets`;
      throw new CommandFailure(message, { exitCode: NOT_FOUND });
    }
    for (const preset of chosen) {
      if (flags.json) await printJson(preset);
      else for (const line of linesOf(preset, name !== undefined)) await print(line);
    }
  });
}

function linesOf({ name, description, parameters }: RecallPresetDescription, inFull: boolean): string[] {
  if (!inFull) return hanging(`${paint('bold', name.padEnd(14))}  `, description, 16);
  const rows = parameters.map((parameter) => {
    const notes = [
      parameter.type,
      parameter.required ? 'required' : '',
      parameter.defaultJson === '' ? '' : `default ${parameter.defaultJson}`,
      parameter.limits,
    ];
    const about = `(${notes.filter((note) => note !== '').join('; ')})`;
    return hanging(`  ${paint('bold', parameter.name.padEnd(20))}  `, `${parameter.description} ${about}`, 24).join(
      '\n',
    );
  });
  return [paint('bold', name), ...wrapped(description, columnsOf()), '', ...rows];
}

/** Text after a lead, wrapped on a terminal with continuation lines indented to its beginning. */
function hanging(lead: string, text: string, indent: number): string[] {
  return wrapped(text, columnsOf() - indent).map((line, at) => (at === 0 ? lead : ' '.repeat(indent)) + line);
}
