import type { Command } from 'commander';
import type { Scope, ScopePolicy } from '../../clients/typescript/src/index.ts';
import { defineSnapshots } from './agent-snapshots.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { type ScopeFlags, scopeOf } from './session-transitions.ts';
import { print, printable, printEach, printJson } from './terminal.ts';

export function defineAgent(command: Command): void {
  command.description('Keep, compare, restore and fork what agents remember, and set who may read it.');
  defineSnapshots(command);
  definePolicies(command);
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme agent snapshot ada --id before-trial
  $ mneme agent fork-snapshot before-trial eve
  $ mneme agent diff-snapshot before-trial --branch eve
  $ mneme agent restore-snapshot before-trial
  $ mneme agent policy --agent ada --private`;

interface PolicyFlags extends ScopeFlags {
  readonly private?: boolean;
  readonly readOnly?: boolean;
  readonly isolated?: boolean;
}

function definePolicies(command: Command): void {
  const set = command
    .command('policy')
    .description('Set the access policy of a scope. Without flags everything is allowed.')
    .option('--project <name>', 'project of the scope')
    .option('--agent-type <name>', 'type of agent')
    .option('--agent <name>', 'agent of the scope')
    .option('--private', 'recalls from outside do not see them')
    .option('--read-only', 'they cannot be stored, changed or deleted')
    .option('--isolated', 'recalls from inside exclude memories outside the scope')
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
  if (Object.keys(scope).length === 0) throw usage('which scope: use --project, --agent-type or --agent');
  const policy = { isPrivate, readOnly, isolated };
  await withClient(flags, async (mneme) => {
    await mneme.scopes.setPolicy(scope, policy);
    await (flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)));
  });
}

async function listPolicies(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(await mneme.scopes.listPolicies(), 'no policies', ({ scope, ...policy }) =>
      flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)),
    );
  });
}

/** Project, agent type, agent and session, `*` for any, and their policy. */
function policyLine(scope: Scope, policy: ScopePolicy): string {
  const scopeParts = [scope.project, scope.agentType, scope.agent, scope.session].map((part) => part ?? '*').join('/');
  const what = [policy.isPrivate && 'private', policy.readOnly && 'read-only', policy.isolated && 'isolated'];
  return `${printable(scopeParts)}  ${what.filter((one) => one !== false).join(', ') || 'everything is allowed'}`;
}
