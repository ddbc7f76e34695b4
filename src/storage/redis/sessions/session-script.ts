import { type Script, type ScriptKind, scriptOf } from '../script.ts';

/**
 * A script that works on a room only if it is the one that the server knows, and has not lost the session that it is
 * about. KEYS: the room. The last two of ARGV: base of the keys of a session that must not be a lost one, or ''; epoch
 * of the room. Answer: epoch that it has, version after the script, 'done', 'other' or 'lost', answer of the body.
 */
export function sessionScript(name: string, kind: ScriptKind, body: string): Script {
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
