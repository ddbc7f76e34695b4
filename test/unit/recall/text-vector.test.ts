import { describe, expect, it } from '@jest/globals';
import { Speakers } from '../../../src/recall/namespace-columns.ts';

function speakersOf(...names: string[]): Speakers {
  const speakers = new Speakers();
  for (const name of names) speakers.add(name);
  return speakers;
}

describe('Speakers.withoutNames', () => {
  it('takes names out, in the genitive too, and nothing else', () => {
    const speakers = speakersOf('Caroline', 'Mel B');
    expect(speakers.withoutNames("What is Caroline's dog called?")).toBe('What is dog called?');
    expect(speakers.withoutNames('When did Mel and CAROLINE meet?')).toBe('When did and meet?');
    expect(speakers.withoutNames('carol singing')).toBe('carol singing');
  });

  it('leaves the text where nothing would be left', () => {
    expect(speakersOf('Caroline').withoutNames('Caroline?')).toBe('Caroline?');
  });

  it('roles are no names, and those who left have none', () => {
    const speakers = speakersOf('user');
    const gone = speakers.add('Ann');
    speakers.remove(gone);
    expect(speakers.withoutNames('what did the user and Ann say')).toBe('what did the user and Ann say');
  });

  it('among many speakers a name tells memories apart and stays', () => {
    const speakers = speakersOf(...Array.from({ length: 30 }, (_, at) => `place${at}`));
    expect(speakers.withoutNames('what is at place7')).toBe('what is at place7');
  });
});
