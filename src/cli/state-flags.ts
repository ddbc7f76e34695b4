import type { Command } from 'commander';

/** Flags that say which memories are states. */
export interface StateFlags {
  readonly stateType: string;
}

export function addStateFlags(command: Command): Command {
  return command.option('--state-type <word>', 'type of the memories that hold states', 'state');
}
