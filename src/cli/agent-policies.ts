import type { Command } from 'commander';
import type { Scope, ScopePolicy } from '../../clients/typescript/src/index.ts';
import type { ScopeFlags } from './agent-flags.ts';
import { scopeOf } from './agent-session.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help-style.ts';
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
    .description('Set what is allowed with the memories of a scope. Without flags everything is allowed.')
    .option('--project <name>', 'project of the scope')
    .option('--agent-type <name>', 'type of agent')
    .option('--agent <name>', 'agent of the scope')
    .option('--private', 'recalls from outside do not see them')
    .option('--read-only', 'they cannot be stored, changed or deleted')
    .option('--isolated', 'recalls from inside do not see what is shared above')
    .addHelpText(
      'after',
      examples('mneme agent policy --agent ada --private', 'mneme agent policy --project p --read-only'),
    )
    .action(setPolicy);
  const list = command
    .command('policies')
    .description('List the policies of scopes.')
    .addHelpText('after', examples('mneme agent policies'))
    .action(listPolicies);
  for (const each of [set, list]) addClientFlags(addJsonFlag(each));
}

async function setPolicy(flags: PolicyFlags): Promise<void> {
  const { private: isPrivate = false, readOnly = false, isolated = false } = flags;
  const scope = scopeOf(flags);
  const policy = { isPrivate, readOnly, isolated };
  await withClient(flags, async (mneme) => {
    await mneme.scopes.setPolicy(scope, policy);
    await (flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)));
  });
}

async function listPolicies(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    for (const { scope, ...policy } of await mneme.scopes.listPolicies()) {
      await (flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)));
    }
  });
}

/** Project, agent type, agent and session, `*` where any will do, and what holds for them. */
function policyLine(scope: Scope, policy: ScopePolicy): string {
  const whose = [scope.project, scope.agentType, scope.agent, scope.session].map((part) => part ?? '*').join('/');
  const what = [policy.isPrivate && 'private', policy.readOnly && 'read-only', policy.isolated && 'isolated'];
  return `${printable(whose)}  ${what.filter((one) => one !== false).join(', ') || 'everything is allowed'}`;
}
