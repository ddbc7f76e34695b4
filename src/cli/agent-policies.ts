import type { Command } from 'commander';
import type { ScopeFlags } from './agent-flags.ts';
import { scopeOf } from './agent-session.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { printable } from './terminal.ts';

interface PolicyFlags extends ScopeFlags {
  readonly private?: boolean;
  readonly readOnly?: boolean;
  readonly isolated?: boolean;
}

export function definePolicies(command: Command): void {
  const set = command
    .command('policy')
    .description('set what is allowed with the memories of a scope; without flags everything is')
    .option('--project <name>', 'project of the scope')
    .option('--agent-type <name>', 'kind of agent')
    .option('--agent <name>', 'agent')
    .option('--private', 'nobody outside sees them in a recall')
    .option('--read-only', 'they cannot be stored, changed or deleted')
    .option('--isolated', 'recalls from within do not see what is shared above')
    .action(setPolicy);
  const list = command.command('policies').description('list the policies of scopes').action(listPolicies);
  for (const each of [set, list]) addClientFlags(addJsonFlag(each));
}

async function setPolicy(flags: PolicyFlags): Promise<void> {
  const { private: isPrivate = false, readOnly = false, isolated = false } = flags;
  await withClient(flags, (mneme) =>
    mneme.scopes.setPolicy(scopeOf(flags), { private: isPrivate, readOnly, isolated }),
  );
}

async function listPolicies(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    for (const { scope, ...policy } of await mneme.scopes.policies()) {
      const whose = [scope.project, scope.agentType, scope.agent, scope.session].map((part) => part ?? '*').join('/');
      const what = [policy.private && 'private', policy.readOnly && 'read-only', policy.isolated && 'isolated'];
      const line = `${printable(whose)}  ${what.filter((one) => one !== false).join(', ')}`;
      await (flags.json ? printJson({ scope, ...policy }) : print(line));
    }
  });
}
