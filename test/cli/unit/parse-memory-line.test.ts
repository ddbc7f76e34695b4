import { describe, expect, it } from '@jest/globals';
import { LineFault, parseMemoryLine } from '../../../src/cli/parse-memory-line.ts';

const BAD: readonly [string, string][] = [
  ['{"id":', '7: not JSON: JSON ends too early'],
  ['{"id":"a",}', '11: not JSON: unexpected }'],
  ['{"txt":"x"}', '2: txt is not a key of a memory; did you mean text?'],
  ['{"text":"x","event_time":"2026-11-01"}', '13: event_time is not a key of a memory; did you mean eventTime?'],
  ['{"text":"x","speaker":"Ada"}', '13: speaker is not a key of a memory; did you mean source.speaker?'],
  ['{"text":"x","place":{"rom":"hall"}}', '22: place.rom is not a key of a memory; did you mean place.room?'],
  ['{"zzzzzz":1}', '2: zzzzzz is not a key of a memory; docs/cli.md lists the keys'],
  ['[{"text":"x"}]', "1: expected one JSON object a line, got an array: jq -c '.[]' makes lines of it"],
  ['{', '1: expected one JSON object a line, got one over several lines'],
  ['7', '1: expected one JSON object a line: expected object, received number'],
  ['{"content":"x"}', '2: content: expected {"json": value}'],
  ['{"eventTime":"01/02/2026"}', '2: eventTime: expected an ISO 8601 time'],
  ['{"id":"a/b"}', '2: id: must be 1 to 128 of [A-Za-z0-9._~:-]'],
  ['{"importance":7}', '2: importance: must be 0 to 1'],
];

describe('parseMemoryLine', () => {
  it.each(BAD)('%s › %s', (line, what) => {
    const read = () => parseMemoryLine({ line, number: 3 }, 'chat.jsonl');
    expect(read).toThrow(LineFault);
    expect(read).toThrow(`chat.jsonl:3:${what}`);
  });

  it('reports an unreadable line', () => {
    const read = () => parseMemoryLine({ fault: 'not UTF-8', number: 3 }, 'chat.jsonl');
    expect(read).toThrow('chat.jsonl:3: not UTF-8');
  });
});
