import type { Command, Option } from 'commander';

const removing = new WeakSet<Option>();

/** Marks an option whose empty value removes what is stored. Its description says so. */
export function removesWhenEmpty(option: Option): Option {
  removing.add(option);
  return option;
}

/**
 * Makes the command and its subcommands refuse options with empty values: a shell variable that is not set would
 * otherwise leave out a condition or a field. An empty environment variable counts as not set. Call it after all options
 * are added.
 */
export function refuseEmptyValues(command: Command): void {
  for (const subcommand of command.commands) refuseEmptyValues(subcommand);
  for (const option of command.options) {
    if (removing.has(option) || !(option.required || option.optional)) continue;
    // After the parser of the option, whose message names the form that it expects.
    command.on(`option:${option.name()}`, (value: string | null) => {
      if (value !== '') return;
      command.error(`error: option '${option.flags}' argument '' is invalid. Expected a value that is not empty.`);
    });
    command.on(`optionEnv:${option.name()}`, (value: string) => {
      if (value !== '') return;
      command.setOptionValueWithSource(option.attributeName(), option.defaultValue, 'default');
    });
  }
}
