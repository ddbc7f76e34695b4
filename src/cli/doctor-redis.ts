import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from './doctor-checks.ts';

const TIMEOUT_MS = 2000;

/** Whether a server could use each Redis. What is said never has a password in it. */
export async function checkRedis(urls: readonly string[]): Promise<Finding[]> {
  return Promise.all(urls.map((url) => checkRedisAt(new URL(url))));
}

type Said = Omit<Finding, 'name'>;

async function checkRedisAt(url: URL): Promise<Finding> {
  const answer = await answerOf(url);
  if (await isPlain(url, answer)) return { name: 'redis', ...hasNoTls(url) };
  return { name: 'redis', ...(typeof answer === 'string' ? saidOfReply(answer, url) : saidOfError(answer, url)) };
}

/** Redis without TLS waits for the rest of what it takes for a command. It is asked once more, without credentials. */
async function isPlain({ protocol, host }: URL, answer: string | NodeJS.ErrnoException): Promise<boolean> {
  if (protocol !== 'rediss:' || typeof answer === 'string' || answer.code !== 'ETIMEDOUT') return false;
  const plain = await answerOf(new URL(`redis://${host}`));
  return typeof plain === 'string' && /^\+PONG|^-NOAUTH/.test(plain);
}

/** The first line that says whether it can be used, or why there is none. */
function answerOf({ protocol, hostname, port, username, password }: URL): Promise<string | NodeJS.ErrnoException> {
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const user = decodeURIComponent(username);
  const secret = decodeURIComponent(password);
  const auth = secret === '' ? [] : [command(['AUTH', ...(user === '' ? [] : [user]), secret])];
  return new Promise((done) => {
    const socket: Socket = protocol === 'rediss:' ? connectTls(target) : connect(target);
    const end = (answer: string | NodeJS.ErrnoException) => {
      socket.destroy();
      done(answer);
    };
    const fail = (code: string) => () => end(Object.assign(new Error(code), { code }));
    let reply = '';
    socket.setTimeout(TIMEOUT_MS, fail('ETIMEDOUT'));
    socket.once('error', end);
    socket.once('end', fail('ECONNRESET'));
    socket.on('data', (bytes: Buffer) => {
      reply += bytes.toString('latin1');
      const lines = reply.split('\r\n');
      const first = lines.slice(0, -1).find((line) => line !== '+OK');
      // What speaks TLS, or is no Redis, may never end a line.
      if (first !== undefined) end(first);
      else if (!/^[+-]/.test(reply)) end(reply);
    });
    socket.write([...auth, command(['PING'])].join(''));
  });
}

function command(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

const TLS_ALERT = '\u0015\u0003';
const START = 'start Redis, or correct MNEME_REDIS_URL';
const CREDENTIALS = 'redis://USER:PASSWORD@host:port, or redis://:PASSWORD@host:port for the default user';

function saidOfReply(line: string, { host, username, password }: URL): Said {
  const user = username === '' ? 'the default user' : `the user ${decodeURIComponent(username)}`;
  if (line === '+PONG') return { status: 'ok', message: `${host} answers${password === '' ? '' : ` to ${user}`}` };
  if (line.startsWith(TLS_ALERT)) return needsTls(host);
  if (line.startsWith('-NOAUTH')) {
    const fix = `put the password into MNEME_REDIS_URL, as ${CREDENTIALS}`;
    return { status: 'fail', message: `${host} wants a password, and MNEME_REDIS_URL has none`, fix };
  }
  if (line.startsWith('-WRONGPASS')) {
    const fix = `correct user and password in MNEME_REDIS_URL, as ${CREDENTIALS}; write signs such as @ and / as %40 and %2F`;
    return { status: 'fail', message: `${host} does not accept the password of ${user} in MNEME_REDIS_URL`, fix };
  }
  if (/^-ERR .*AUTH.*without any password/.test(line)) {
    const fix = 'leave the password out of MNEME_REDIS_URL, or set one in Redis (requirepass)';
    return { status: 'fail', message: `MNEME_REDIS_URL has a password, and ${host} has none set`, fix };
  }
  if (line.startsWith('-NOPERM')) {
    const fix = 'give the user all commands and keys in Redis: ACL SETUSER ... on +@all ~* &*';
    return { status: 'fail', message: `${user} may not use ${host} as Mneme does`, fix };
  }
  if (line.startsWith('-')) return { status: 'warn', message: `${host} answers: ${line.slice(1)}`, fix: START };
  return { status: 'fail', message: `${host} answers, and is not Redis`, fix: START };
}

function needsTls(host: string): Said {
  const fix = 'begin MNEME_REDIS_URL with rediss:// in place of redis://';
  return { status: 'fail', message: `${host} wants TLS, or is not Redis: it ended the connection at once`, fix };
}

function hasNoTls({ host }: Pick<URL, 'host'>): Said {
  const fix = 'begin MNEME_REDIS_URL with redis:// in place of rediss://, or turn on TLS at that port of Redis';
  return { status: 'fail', message: `${host} does not use TLS, and MNEME_REDIS_URL asks for it`, fix };
}

function saidOfError({ code = '', message }: NodeJS.ErrnoException, { protocol, host }: URL): Said {
  const isTls = protocol === 'rediss:';
  if (code === 'ETIMEDOUT') return { status: 'fail', message: `${host} does not answer`, fix: START };
  if (!isTls && code === 'ECONNRESET') return needsTls(host);
  if (isTls && (code === 'ECONNRESET' || /^ERR_SSL_(WRONG_VERSION|PACKET)/.test(code) || code === 'EPROTO')) {
    return hasNoTls({ host });
  }
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER|VERIFY/.test(code)) {
    const fix = 'name the file of its authority in NODE_EXTRA_CA_CERTS, or renew the certificate';
    return { status: 'fail', message: `the certificate of ${host} is not accepted: ${message}`, fix };
  }
  return { status: 'fail', message: `${host} is not reachable: ${message}`, fix: START };
}
