import type { SessionKey } from '../../../memory/session.ts';
import { type Script, type ScriptKind, scriptOf } from '../connection.ts';
import { escaped, keyspacePrefix } from '../keys.ts';

/**
 * Keys of the sessions of a namespace: all in one keyspace, so that one script can change a session and its indexes.
 */
export interface NamespaceKeys {
  readonly keyspace: string;
  /** Ids of sessions, in order. */
  readonly index: string;
  /** Ids of sessions by the earliest expiry in the session. */
  readonly due: string;
  /** Ids of active sessions by the instant of their idle timeout. */
  readonly idle: string;
  /** Lifecycle events by sequence, as `<sequence>:<instant>:<body>`. */
  readonly events: string;
  /** `newest` and `forgotten` sequences of the events. */
  readonly eventEnds: string;
  /** Position of each consumer of events. */
  readonly eventConsumers: string;
  /**
   * Hash: `epoch` of the keyspace, `version`, which every write increments, whether the previous keyspace was `lost`,
   * number of `deletions` of namespaces of the name.
   */
  readonly marker: string;
  /** Exists while a missing session may be a lost one. */
  readonly lost: string;
}

export interface SessionKeys extends NamespaceKeys {
  readonly id: string;
  /** Common prefix of the keys of the session. */
  readonly base: string;
  /** Hash: `json` of the record, `rev`ision. */
  readonly record: string;
  /** Hash: entry of each key; see `entry-codec.ts`. */
  readonly entries: string;
  /** Sorted set: keys that expire, by instant. */
  readonly expiries: string;
  /** Sorted set: notes by sequence. */
  readonly notes: string;
  /** Hashes: JSON of a checkpoint and its manifest by id, packs by number. */
  readonly checkpoints: string;
  readonly manifests: string;
  readonly packs: string;
  /** Sorted set: changes by revision, as JSON. */
  readonly changes: string;
}

export function namespaceKeys(prefix: string, namespace: string): NamespaceKeys {
  const keyspace = keyspacePrefix(prefix, 'sessions', namespace);
  return {
    keyspace,
    index: `${keyspace}:index`,
    due: `${keyspace}:due`,
    idle: `${keyspace}:idle`,
    events: `${keyspace}:events`,
    eventEnds: `${keyspace}:event-ends`,
    eventConsumers: `${keyspace}:event-consumers`,
    marker: `${keyspace}:marker`,
    lost: `${keyspace}:lost`,
  };
}

export function sessionKeys(prefix: string, { namespace, session }: SessionKey): SessionKeys {
  const ofNamespace = namespaceKeys(prefix, namespace);
  const base = `${ofNamespace.keyspace}:s:${escaped(session)}`;
  return {
    ...ofNamespace,
    id: session,
    base,
    record: `${base}:record`,
    entries: `${base}:entries`,
    expiries: `${base}:expiries`,
    notes: `${base}:notes`,
    checkpoints: `${base}:checkpoints`,
    manifests: `${base}:manifests`,
    packs: `${base}:packs`,
    changes: `${base}:changes`,
  };
}

/** All keys of a session. */
export function partsOf({
  record,
  entries,
  expiries,
  notes,
  checkpoints,
  manifests,
  packs,
  changes,
}: SessionKeys): string[] {
  return [record, entries, expiries, notes, checkpoints, manifests, packs, changes];
}

/** Key of the outcome of a repeatable request. */
export function requestKey({ keyspace }: NamespaceKeys, requestId: string): string {
  return `${keyspace}:r:${escaped(requestId)}`;
}

/** Set of the namespaces with sessions, present or past. */
export function namespacesKey(prefix: string): string {
  return `${prefix}:session-namespaces`;
}

/**
 * A script that works on a keyspace only if its epoch is the expected one and the session of the call is not lost.
 * KEYS: the keyspace. The last two of ARGV: base of the keys of a session that must not be a lost one, or ''; epoch of
 * the keyspace. Answer: present epoch, version after the script, 'done', 'other' or 'lost', answer of the body.
 */
function sessionScript(name: string, kind: ScriptKind, body: string): Script {
  return scriptOf(
    name,
    kind,
    `
local base, epoch = ARGV[#ARGV - 1], ARGV[#ARGV]
ARGV[#ARGV] = nil
ARGV[#ARGV] = nil
local marker = KEYS[1] .. ':marker'
local found = redis.call('HGET', marker, 'epoch')
if found ~= epoch then return {found, false, 'other'} end
local isLost = base ~= '' and redis.call('EXISTS', KEYS[1] .. ':lost') == 1 and redis.call('EXISTS', base .. ':record') == 0
if isLost then return {found, redis.call('HGET', marker, 'version'), 'lost'} end
local answer = (function()
${body}
end)()
return {found, redis.call('HGET', marker, 'version'), 'done', answer}`,
  );
}

/**
 * Reads what a write needs of a session, of one moment.
 * ARGV: base of the keys, key of the request or '', what (letters, see `Wanted`), number of checkpoints, their ids, keys.
 * Answer: record, revision, kept outcome, entries of the keys, all entries, notes, checkpoints, manifest pairs, packs,
 * deletions of the namespace.
 */
export const loadScript = sessionScript(
  'session-load',
  'read',
  `
local base, request, what, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local wants = function(letter) return string.find(what, letter, 1, true) ~= nil end
local record = redis.call('HMGET', base .. ':record', 'json', 'rev')
local kept = false
if request ~= '' then kept = redis.call('GET', request) end
local some = {}
for at = 5 + count, #ARGV do some[at - 4 - count] = redis.call('HGET', base .. ':entries', ARGV[at]) end
local all, notes, checkpoints, manifests, packs = {}, {}, {}, {}, {}
if wants('A') then all = redis.call('HGETALL', base .. ':entries') end
if wants('N') then notes = redis.call('ZRANGE', base .. ':notes', 0, -1)
elseif wants('F') then notes = redis.call('ZRANGE', base .. ':notes', 0, 63) end
if wants('C') then checkpoints = redis.call('HGETALL', base .. ':checkpoints') end
local ids = {}
for at = 5, 4 + count do ids[#ids + 1] = ARGV[at] end
if wants('H') and record[1] then ids[#ids + 1] = cjson.decode(record[1]).headCheckpoint end
for _, id in ipairs(ids) do
  local manifest = redis.call('HGET', base .. ':manifests', id)
  if manifest then manifests[#manifests + 1] = id manifests[#manifests + 1] = manifest end
  local checkpoint = redis.call('HGET', base .. ':checkpoints', id)
  if wants('P') and checkpoint then
    for _, number in ipairs(cjson.decode(checkpoint).packs) do
      local name = string.format('%.0f', number)
      local pack = redis.call('HGET', base .. ':packs', name)
      if pack then packs[#packs + 1] = name packs[#packs + 1] = pack end
    end
  end
end
local deletions = redis.call('HGET', marker, 'deletions') or ''
return {record[1], record[2], kept, some, all, notes, checkpoints, manifests, packs, deletions}`,
);

/**
 * Carries out commands if the session is still at the revision that they were made for. A new session also needs the
 * namespace of its load: a server may have been frozen since, and the namespace deleted.
 * ARGV: key of the record, revision or '' for no session, deletions of the namespace, then commands: number of parts,
 * parts. EVENT takes the keys of the events and their ends, instant, body, and numbers the event itself. Answer: 1, or 0
 * when the session or the namespace has changed.
 */
export const commitScript = sessionScript(
  'session-commit',
  'write',
  `
local rev = redis.call('HGET', ARGV[1], 'rev') or ''
if rev ~= ARGV[2] then return 0 end
if rev == '' and (redis.call('HGET', marker, 'deletions') or '') ~= ARGV[3] then return 0 end
redis.call('HINCRBY', marker, 'version', 1)
local at = 4
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  local command = {}
  for part = 1, count do command[part] = ARGV[at + part] end
  at = at + count + 1
  if command[1] == 'EVENT' then
    local sequence = redis.call('HINCRBY', command[3], 'newest', 1)
    redis.call('ZADD', command[2], sequence, sequence .. ':' .. command[4] .. ':' .. command[5])
  else
    redis.call(unpack(command))
  end
end
return 1`,
);

/** Lets no session begin whose namespace was looked up before. */
export const fenceScript = sessionScript(
  'session-fence',
  'erase',
  `return redis.call('HINCRBY', marker, 'deletions', 1)`,
);

/** Erases the keys of a session, and its id in the sets from the position `sets` of ARGV. */
const eraseBody = (sets: number) => `
for _, part in ipairs({'record', 'entries', 'expiries', 'notes', 'checkpoints', 'manifests', 'packs', 'changes'}) do
  redis.call('UNLINK', base .. ':' .. part)
end
for at = ${sets}, #ARGV do redis.call('ZREM', ARGV[at], ARGV[2]) end
redis.call('HINCRBY', KEYS[1] .. ':marker', 'version', 1)`;

/** ARGV: base, id, keys of the sets that index the session. Answer: whether the session existed. */
export const eraseScript = sessionScript(
  'session-erase',
  'erase',
  `
local base, was = ARGV[1], redis.call('EXISTS', ARGV[1] .. ':record')
${eraseBody(3)}
return was`,
);

/**
 * Erases a session that has expired, or what is left of one without a record. Another server may have replaced the
 * expired session that the caller has loaded: that one stays. ARGV: base, id, instant, keys of the sets that index the
 * session. Answer: whether a session was erased.
 */
export const eraseExpiredScript = sessionScript(
  'session-erase-expired',
  'erase',
  `
local base, json = ARGV[1], redis.call('HGET', ARGV[1] .. ':record', 'json')
if json then
  local expires = cjson.decode(json).expiresAtUs
  if type(expires) ~= 'number' or expires > tonumber(ARGV[3]) then return 0 end
end
${eraseBody(4)}
return json and 1 or 0`,
);

/** Entries of keys, for 'heads' without their bytes. ARGV: base, 'heads' or 'values', keys. */
export const entriesScript = sessionScript(
  'session-entries',
  'read',
  `
local found = {}
for at = 3, #ARGV do
  local entry = redis.call('HGET', ARGV[1] .. ':entries', ARGV[at])
  if entry and ARGV[2] == 'heads' then entry = string.sub(entry, 1, string.find(entry, '\\n', 1, true)) end
  found[at - 2] = entry
end
return {redis.call('HGET', ARGV[1] .. ':record', 'rev'), found}`,
);

/** Record, and heads of the expired keys. ARGV: base, instant. */
export const statisticsScript = sessionScript(
  'session-statistics',
  'read',
  `
local heads = {}
for at, key in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1] .. ':expiries', '-inf', ARGV[2])) do
  local entry = redis.call('HGET', ARGV[1] .. ':entries', key) or '\\n'
  heads[at] = string.sub(entry, 1, string.find(entry, '\\n', 1, true))
end
return {redis.call('HGET', ARGV[1] .. ':record', 'json'), heads}`,
);

/** Complete writes, at least one, up to about this many changes. ARGV: base, revision, limit. */
export const changesScript = sessionScript(
  'session-changes',
  'read',
  `
local key = ARGV[1] .. ':changes'
local found = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local last = found[#found]
local changes = {}
if last then changes = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], last) end
return {redis.call('HGET', ARGV[1] .. ':record', 'json'), changes}`,
);

/** One reading command. ARGV: its parts. */
export const readScript = sessionScript('session-read', 'read', 'return redis.call(unpack(ARGV))');
