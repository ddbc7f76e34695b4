import { describe, expect, it } from '@jest/globals';
import { frameOf, readFrame } from '../../../src/search/reading/frames.ts';

const SAID = { atUs: 0, speaker: -1, isByNamed: false };

function states(question: string, text: string): boolean {
  const frame = frameOf(question);
  if (!frame) throw new Error(`no frame in "${question}"`);
  return readFrame(text, frame, SAID) !== undefined;
}

describe('frameOf', () => {
  it.each([
    ['Where does Lena work?', 'work', { kind: 'name', name: 'Lena' }],
    ['Which company do I work for now?', 'work', { kind: 'self' }],
    ["What is Tom Vogt's phone number?", 'phone number', { kind: 'name', name: 'Tom Vogt' }],
    ['Where did I live before?', 'home', { kind: 'self' }],
    ['Where does my sister live?', 'home', { kind: 'person', owner: 'my', noun: 'sister' }],
    ['Is the user vegetarian?', 'diet', { kind: 'self' }],
    ['What do I think of sushi?', 'likes', { kind: 'self' }],
  ])('%s › a value of one subject', (question, relation, subject) => {
    expect(frameOf(question)).toMatchObject({ relation: { name: relation }, subject });
  });

  it.each([
    'What do Jolene and her partner do together?',
    'How does Calvin balance his job and personal life?',
    "What is the toughest part of Dave's car restoration?",
    'What does Lena like?',
    'What milk do I like?',
    'Who leads the design team?',
    'What happened yesterday?',
  ])('%s › none: it asks for something else, or for several things', (question) => {
    expect(frameOf(question)).toBeUndefined();
  });
});

describe('readFrame', () => {
  it.each([
    ['Where does Lena work?', 'Lena started at Siemens today.'],
    ['Where does Lena work?', 'I met Lena. She joined Siemens in May.'],
    ['Where do I live?', 'We moved to Porto in spring.'],
    ['Where do I live?', 'Moved to Porto in spring.'],
    ["Who is Lena's boss?", "Mr. Brandt took over as Lena's boss."],
    ['Am I vegetarian?', 'I had steak for dinner, and I eat meat again.'],
    ['Do I like sushi?', "I can't stand sushi."],
  ])('%s › %s › is a statement', (question, text) => {
    expect(states(question, text)).toBe(true);
  });

  it.each([
    ['Where does Lena work?', 'Lena visited Siemens today.'],
    ['Where does Lena work?', 'Lena applied for a job at Siemens.'],
    ['Where does Lena work?', 'Tom started at Siemens today.'],
    ['Where does Lena work?', 'Does Lena work at Siemens?'],
    ['Where does Lena live?', "Lena's brother moved to Rome."],
    ['Where do I live?', 'My sister moved to Rome.'],
    ['Where do I live?', 'I want to move to Rome.'],
    ['Where do I live?', 'I moved the sofa to the basement.'],
    ['Do I like sushi?', 'I love rice.'],
    ['How old is Jolene?', 'Jolene sent an image: a photo of the sea.'],
  ])('%s › %s › is none', (question, text) => {
    expect(states(question, text)).toBe(false);
  });
});
