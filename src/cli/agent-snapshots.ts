import type { Command } from 'commander';
import type { AgentSnapshotDiff } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help.ts';
import type { ScopeFlags } from './session-transitions.ts';
import { counted, paint, print, printable, printEach, printJson } from './terminal.ts';

interface SnapshotFlags extends ScopeFlags {
  readonly id?: string;
  readonly description?: string;
}
interface DiffFlags extends ClientFlags {
  readonly snapshot?: string;
  readonly branch?: string;
}

export function defineSnapshots(command: Command): void {
  const take = command
    .command('snapshot <agent>')
    .description('Take a snapshot of what an agent remembers and print its id.')
    .option('--id <id>', 'id of the snapshot (a new UUID)')
    .option('--description <text>', 'purpose, for people')
    .option('--project <name>', 'only what it remembers in this project')
    .option('--agent-type <name>', 'only as an agent of this type')
    .addHelpText('after', examples('mneme agent snapshot ada --id before-trial'))
    .action(takeSnapshot);
  const list = command
    .command('snapshots')
    .description('List snapshots.')
    .addHelpText('after', examples('mneme agent snapshots'))
    .action(listSnapshots);
  const diff = command
    .command('diff-snapshot <snapshot>')
    .description('Show what changed since a snapshot.')
    .option('--snapshot <id>', 'up to this other snapshot (now)')
    .option('--branch <agent>', 'in this agent, a fork of the snapshot')
    .addHelpText(
      'after',
      examples('mneme agent diff-snapshot before-trial', 'mneme agent diff-snapshot before-trial --branch eve'),
    )
    .action(diffSnapshot);
  const rollback = command
    .command('restore-snapshot <snapshot>')
    .description('Restore what an agent remembered at a snapshot.')
    .addHelpText('after', examples('mneme agent restore-snapshot before-trial'))
    .action(rollBack);
  const fork = command
    .command('fork-snapshot <snapshot> <agent>')
    .description('Copy what was remembered at a snapshot to another agent.')
    .addHelpText('after', examples('mneme agent fork-snapshot before-trial eve'))
    .action(forkSnapshot);
  const drop = command
    .command('drop-snapshot <snapshot>')
    .description('Delete a snapshot.')
    .addHelpText('after', examples('mneme agent drop-snapshot before-trial'))
    .action(dropSnapshot);
  for (const each of [take, list, diff, rollback, fork, drop]) addClientFlags(addJsonFlag(each));
}

async function takeSnapshot(agent: string, flags: SnapshotFlags): Promise<void> {
  const { project, agentType, id, description } = flags;
  const scope = { agent, ...(project && { project }), ...(agentType && { agentType }) };
  await withClient(flags, async (mneme) => {
    const snapshot = await mneme.agents.createSnapshot(scope, {
      ...(id && { snapshotId: id }),
      ...(description && { description }),
    });
    await (flags.json ? printJson(snapshot) : print(snapshot.id));
  });
}

async function listSnapshots(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(mneme.agents.listSnapshots(), 'no snapshots', (snapshot) => {
      const { id, scope, createTime, description } = snapshot;
      const line = [id, paint('cyan', createTime.toISOString()), paint('yellow', printable(scope.agent ?? ''))];
      return flags.json ? printJson(snapshot) : print([...line, printable(description)].join('  ').trimEnd());
    });
  });
}

async function diffSnapshot(id: string, flags: DiffFlags): Promise<void> {
  const { snapshot, branch } = flags;
  const to = snapshot === undefined ? branch && { scope: { agent: branch } } : { snapshotId: snapshot };
  await withClient(flags, async (mneme) => {
    const diff = await mneme.agents.diffSnapshots(id, to || undefined);
    await (flags.json ? printJson(diff) : print(diffLines(diff).join('\n')));
  });
}

function diffLines({
  addedIds,
  removedIds,
  changedIds,
  addedCount,
  removedCount,
  changedCount,
}: AgentSnapshotDiff): string[] {
  return [
    ...addedIds.map((id) => paint('green', `+ ${id}`)),
    ...removedIds.map((id) => paint('red', `- ${id}`)),
    ...changedIds.map((id) => paint('yellow', `~ ${id}`)),
    `${addedCount} added, ${removedCount} removed, ${changedCount} changed`,
  ];
}

async function rollBack(id: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const answer = await mneme.agents.restoreSnapshot(id);
    const summary = `restored ${counted(answer.restoredCount, 'memory', 'memories')}, erased ${answer.erasedCount}`;
    await (flags.json ? printJson(answer) : print(summary));
  });
}

async function forkSnapshot(id: string, agent: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const answer = await mneme.agents.forkSnapshot(id, { agent });
    await (flags.json
      ? printJson(answer)
      : print(`copied ${counted(answer.copiedCount, 'memory', 'memories')} to ${agent}`));
  });
}

async function dropSnapshot(id: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await mneme.agents.deleteSnapshot(id);
    if (!flags.json) await print(`deleted ${id}`);
  });
}
