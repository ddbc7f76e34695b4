import { nearestOf } from '../memory/nearest-name.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { COMMANDS, programWith } from './program.ts';

/** `mneme help`, `mneme help <command>` with the names of its subcommands, `mneme help <topic>`. */
export async function helpRequest([name, ...rest]: readonly string[]): Promise<void> {
  const topic = name === undefined ? undefined : TOPICS[name];
  if (topic !== undefined) {
    process.stdout.write(topic);
    return;
  }
  if (name !== undefined && !name.startsWith('-') && !COMMANDS.includes(name)) {
    const known = [...COMMANDS, ...Object.keys(TOPICS)];
    const meant = nearestOf(name, known, (nearest) => ` Did you mean ${nearest}?`);
    throw new CommandFailure(
      `there is no command or help topic ${JSON.stringify(name)}.${meant} "mneme help" lists them.`,
      {
        exitCode: USAGE,
      },
    );
  }
  const program = await programWith(name === undefined ? [] : [name]);
  await program.parseAsync([...(name === undefined ? [] : [name]), ...rest, '--help'], { from: 'user' });
}

/** Output of `mneme help <topic>` about subjects shared by many commands. */
export const TOPICS: Readonly<Record<string, string>> = {
  server: `How commands reach a server

Every command but serve is a client of a running server. Flags go before
variables, and these before the default.

  --server <address>       host:port, without http://
                           (MNEME_SERVER; 127.0.0.1:50051)
  --namespace <name>       namespace to work in (MNEME_NAMESPACE; default)
  --token <token>          bearer token, where the server asks for one; better
                           provided by its variable, since process lists show
                           flags (MNEME_TOKEN)
  --as <scope>             scope to call from, such as "project=p&agent=ada";
                           "*" sees every scope (MNEME_AS)
  --timeout <span>         longest wait for an answer, such as 30s
                           (MNEME_TIMEOUT; 10s, 5s for recall)

TLS, where the server uses it:
  --tls                    encrypt the connection; the certificate of the
                           server must be signed by a known authority
  --tls-ca <file>          PEM file of the authority to trust instead
  --tls-cert <file>        PEM file of a client certificate, where the server
                           asks for one
  --tls-key <file>         PEM file of the key of the client certificate
  --tls-server-name <name> name on the certificate, when it is not the host of
                           --server
  Each of the last four switches TLS on by itself.

Examples:
  $ mneme list --server memory.example.org:50051 --tls
  $ MNEME_TOKEN=s3cret mneme recall "Who makes music?" --tls-ca ca.pem
  $ mneme doctor --server 10.0.0.7:50051
`,
  times: `How to write times and spans of time

A time is one of these. Days begin at midnight UTC, weeks on Monday, and a time
without a zone is UTC, as every time that mneme prints.

  2026-11-01               a day: --since begins with it, --until ends after
                           it, and elsewhere it is its beginning
  2026-11-01[Europe/Berlin]           the same in a time zone
  2026-11-01T15:30         a time, to the minute or finer
  2026-11-01T15:30:00Z     the same with its zone; +01:00 and so on work too
  now, today, yesterday, tomorrow
  this week, last week, next week     also month and year: its beginning
  monday, last monday, next monday    monday alone: the latest, today included
  2 days ago, in 3 weeks              second, minute, hour, day, week, month,
                                      year: counted from now

A span is a number with a unit: 90s, 15m, 2h, 7d, 4w (and ms).

Examples:
  $ mneme list --since "last week" --until "this week"
  $ mneme recall "What did we decide?" --since "2 days ago"
  $ mneme store "The boiler was serviced." --event-time yesterday
  $ mneme store "The code is 4711." --ttl 15m
`,
};
