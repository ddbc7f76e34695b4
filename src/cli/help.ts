import { type Command, Help } from 'commander';

/** Help fits a terminal of the usual width. */
export const HELP_COLUMNS = 80;
/** A longer flag has its description on the next line. */
const TERM_COLUMNS = 24;
/** The group of flags that the help of each command references instead of repeating. */
export const CONNECTION_GROUP = 'Connection:';

/**
 * One style for the help of `program` and of all its subcommands. Set it before commands are added, which inherit it.
 */
export function styleHelp(program: Command): Command {
  return program.helpOption('-h, --help', 'print this help').configureHelp({
    helpWidth: HELP_COLUMNS,
    commandUsage: usageOf,
    padWidth: widthOfTerms,
    formatItem,
    groupItems: withoutConnection,
    subcommandDescription: firstSentenceOf,
  });
}

/** Text of examples, as they are typed, to be added after the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

function usageOf(command: Command): string {
  const names = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `${names.join(' ')} ${command.usage()}`;
}

function widthOfTerms(command: Command, helper: Help): number {
  const longest = Math.max(
    helper.longestOptionTermLength(command, helper),
    helper.longestSubcommandTermLength(command, helper),
    helper.longestArgumentTermLength(command, helper),
  );
  return Math.min(TERM_COLUMNS, longest);
}

function formatItem(term: string, termColumns: number, description: string, helper: Help): string {
  if (description === '') return `  ${term}`;
  const indent = ' '.repeat(termColumns + 4);
  const lines = helper.boxWrap(description, HELP_COLUMNS - indent.length).split('\n');
  const isLong = term.length > termColumns;
  const first = isLong ? `  ${term}` : `  ${term.padEnd(termColumns)}  ${lines.shift()}`;
  return [first, ...lines.map((line) => indent + line)].join('\n');
}

/** Suggestions ("did you mean") include the hidden flags. */
function withoutConnection<T>(all: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
  const groups = Help.prototype.groupItems(all as never[], visible as never[], groupOf) as Map<string, T[]>;
  groups.delete(CONNECTION_GROUP);
  return groups;
}

function firstSentenceOf(command: Command): string {
  const [first = ''] = (command.summary() || command.description()).split(/(?<=[^.])\.(?:\s|$)/);
  return first;
}
