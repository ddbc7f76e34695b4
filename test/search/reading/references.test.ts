import { describe, expect, it } from '@jest/globals';
import { namedIn, questionForName } from '../../../src/search/reading/references.ts';

describe('namedIn', () => {
  it.each([
    ['Where does my sister work?', 'My sister is called Ines.', 'Where does Ines work?'],
    ['What does the dog like to eat?', 'Our dog is called Balu.', 'What does Balu like to eat?'],
    ["Where was Elsa's spouse born?", 'Elsa is married to Robin.', 'Where was Robin born?'],
    ["In which city is Hugo's employer?", 'Hugo works for Halesoft.', 'In which city is Halesoft?'],
    [
      'Where does the wife of the director of Low Water live?',
      'The director of Low Water is Jo Penn.',
      'Where does the wife of Jo Penn live?',
    ],
    ['Who founded the company that Milo works for?', 'Milo works for Abeltech.', 'Who founded Abeltech?'],
  ])('%s › %s › names it', (question, told, named) => {
    expect(namedIn(question, ['I like tea.', told])?.question).toBe(named);
  });

  it.each([
    ['Where does my sister work?', 'My sister lives abroad.'],
    ['Where does my sister work?', 'My brother is called Omar.'],
    ["Where was Elsa's spouse born?", 'Tom is married to Robin.'],
    ['Where does my sister work?', 'Is my sister called Ines?'],
    ['Where does Ines work?', 'My sister is called Ines.'],
    ['Who is the treasurer of Halesoft?', 'The treasurer of Halesoft is Ida Kahn.'],
    ['What is the longest river of Genovia?', 'The longest river of Genovia is the Orr.'],
  ])('%s › %s › names nothing', (question, told) => {
    expect(namedIn(question, [told])).toBeUndefined();
  });
});

describe('questionForName', () => {
  it('asks for what is described, where the question asks for something else of it', () => {
    expect(questionForName('What car does the head of Hartline drive?')).toBe('What is the head of Hartline?');
    expect(questionForName('Where does my sister work?')).toBe('What is my sister?');
    expect(questionForName('Who is my sister?')).toBeUndefined();
    expect(questionForName("What did Dave say about Tom's idea?")).toBeUndefined();
  });
});
