import { describe, expect, it } from '@jest/globals';
import { Speakers } from '../../../src/search/recall/speakers.ts';

function speakersOf(...names: string[]): Speakers {
  const speakers = new Speakers();
  for (const name of names) speakers.add(name);
  return speakers;
}

describe('Speakers.withoutNames', () => {
  it('removes only names, in the genitive too', () => {
    const speakers = speakersOf('Caroline', 'Mel B');
    expect(speakers.withoutNames("What is Caroline's dog called?")).toBe('What is dog called?');
    expect(speakers.withoutNames('When did Mel and CAROLINE meet?')).toBe('When did and meet?');
    expect(speakers.withoutNames('carol singing')).toBe('carol singing');
  });

  it('returns the text itself where nothing would remain', () => {
    expect(speakersOf('Caroline').withoutNames('Caroline?')).toBe('Caroline?');
  });

  it('roles are no names, and removed speakers have none', () => {
    const speakers = speakersOf('user');
    const gone = speakers.add('Ann');
    speakers.remove(gone);
    expect(speakers.withoutNames('what did the user and Ann say')).toBe('what did the user and Ann say');
  });

  it('among many speakers a name distinguishes memories and stays', () => {
    const speakers = speakersOf(...Array.from({ length: 30 }, (_, at) => `place${at}`));
    expect(speakers.withoutNames('what is at place7')).toBe('what is at place7');
  });
});
