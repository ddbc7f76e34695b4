import { describe, expect, it } from '@jest/globals';
import { heldAfter } from './everyday/everyday.ts';

type Case = readonly [says: readonly string[], holds: readonly string[]];

/** Facts that hold after messages, a minute apart unless a test says otherwise. */
function holds(cases: readonly Case[], options: Parameters<typeof heldAfter>[1] = {}): void {
  it.each(cases)('%j › %j', async (says, expected) => {
    expect(await heldAfter(says, options)).toEqual([...expected].sort());
  });
}

describe('F1 a statement ends its opposite', () => {
  holds([
    [['I like tea.', "I don't like tea anymore."], ['dislikes=tea']],
    [['I love opera.', 'I hate opera now.'], ['hates=opera']],
    [['I dislike mushrooms.', 'I like mushrooms now.'], ['likes=mushrooms']],
    [["I can't stand jazz.", "I've come to love jazz."], ['loves=jazz']],
    [['I like coffee.', 'I used to like coffee.'], []],
    [['I like tea.', "I don't like tea anymore.", 'I like tea again.'], ['likes=tea']],
    [["I'm a fan of Arsenal.", "I'm no longer a fan of Arsenal."], []],
    [['I play tennis.', 'I stopped playing tennis.'], []],
    [['I play the piano.', "I don't play the piano any more."], []],
    [['I speak French.', 'I no longer speak French.'], []],
    [['I use Vim.', 'I gave up Vim.'], []],
    [['i use spotify', 'stopped using spotify'], []],
    [['I own a boat.', 'I sold my boat.'], []],
    [['I have a dog.', "I don't have a dog anymore."], []],
    [["I'm learning Korean.", 'I quit learning Korean.'], []],
    [["I'm allergic to cats.", "I'm no longer allergic to cats."], []],
    [["I'm allergic to nuts.", 'I used to be allergic to nuts.'], []],
    [['I have asthma.', 'I no longer have asthma.'], []],
    [["I don't eat meat.", 'I eat meat again.'], ['eats=meat']],
    [['I run every morning.', 'I stopped running every morning.'], []],
    [["I'm married.", "I'm divorced now."], ['marital_status=divorced']],
    [["I'm single.", "I'm not single anymore."], []],
    [["I'm vegan.", 'I stopped being vegan.'], []],
  ]);
});

describe('F2 full stops inside of names', () => {
  holds([
    [['I work at J.P. Morgan.'], ['employer=j.p. morgan']],
    [['I live in St. Gallen.'], ['home_city=st. gallen']],
    [['I live in Washington D.C.'], ['home_city=washington d.c']],
    [['I moved to the U.S. last year.'], ['home_city=u.s']],
    [['I work at Acme Inc. and live in Bonn.'], ['employer=acme inc', 'home_city=bonn']],
    [['I work for Acme Inc. I love it. I live in Bonn.'], ['employer=acme inc', 'home_city=bonn']],
    [['My doctor is Dr. Lee.'], ['doctor=dr. lee']],
    [['My boss is Mr. J. R. Smith.'], ['boss=mr. j. r. smith']],
    [['My favorite author is J.K. Rowling.'], ['favorite_author=j.k. rowling']],
    [['I like Dr. Pepper.'], ['likes=dr. pepper']],
    [["I'm allergic to St. John's wort."], ["allergy=st. john's wort"]],
    [['I use Node.js v22.4.'], ['uses=node.js v22.4']],
    [['My budget is 3.5 million.'], ['budget=3.5 million']],
    [['My dog is called Mr. Biscuit.'], ['dog=mr. biscuit']],
    [['I study at M.I.T.'], ['school=m.i.t']],
    [["I live in St. Paul. I'm vegan."], ['diet=vegan', 'home_city=st. paul']],
  ]);
});

describe('F3 texts without capitals and marks', () => {
  holds([
    [['i live in riga'], ['home_city=riga']],
    [['im working at siemens now'], ['employer=siemens']],
    [['my sisters name is anna'], ['sister=anna']],
    [['hey im dave'], ['name=dave']],
    [['moved back to glasgow last week and its freezing'], ['home_city=glasgow']],
    [['im vegan and allergic to nuts'], ['allergy=nuts', 'diet=vegan']],
    [['i use notion for notes'], ['uses=notion']],
    [['my fav color is green'], ['favorite_color=green']],
    [['i dont eat pork'], ['avoids=pork']],
    [['got promoted to senior dev!!'], ['job_title=senior dev']],
    [['i live in a small flat'], []],
    [['i work from home'], []],
    [['my dog is sick'], []],
    [['my car is broken'], []],
    [['i could live in riga'], []],
    [['i visited riga'], []],
    [['call me later'], []],
  ]);
});

describe('F4 a later instruction replaces the earlier one of its topic', () => {
  const of = (topic: string, value: string) => [`assistant: instruction_${topic}=${value}`];
  holds([
    [['Please always answer in French.', 'From now on answer in English.'], of('language', 'always answer in english')],
    [
      ['I want you to answer in Italian.', "I'd like you to answer in Polish."],
      of('language', 'always answer in polish'),
    ],
    [['always answer in dutch', 'from now on only english please'], of('language', 'always answer in english')],
    [
      ['Always keep your answers short.', 'From now on give me detailed answers.'],
      of('length', 'always give them detailed answers'),
    ],
    [
      ['Please use bullet points in all your answers.', 'From now on, write in full paragraphs.'],
      of('format', 'always write in full paragraphs'),
    ],
    [['Always use metric units.', 'From now on use imperial units.'], of('units', 'always use imperial units')],
    [['Always be formal with me.', 'From now on be casual.'], of('tone', 'always be casual')],
    [['Always use emojis.', 'From now on, no emojis.'], of('emoji', 'never use emojis')],
    [['Always cite your sources.', 'Stop citing sources.'], of('sources', 'never cite sources')],
    [
      ['Always use the 24-hour clock.', 'From now on use the 12-hour clock.'],
      of('time_format', 'always use the 12-hour clock'),
    ],
    [
      ['Write all dates as DD.MM.YYYY from now on.', 'From now on use ISO dates.'],
      of('date_format', 'always use iso dates'),
    ],
    [
      ['Always show prices in euros.', 'From now on show prices in dollars.'],
      of('currency', 'always show prices in dollars'),
    ],
    [
      ['Always use British spelling.', 'From now on use American spelling.'],
      of('spelling', 'always use american spelling'),
    ],
    [
      ['Always write code in Python.', 'From now on write code in Rust.'],
      of('code_language', 'always write code in rust'),
    ],
    [['Call me Captain.', 'From now on call me Chief.'], ['name=chief']],
    [
      ['Always answer in French and keep your answers short.'],
      [...of('language', 'always answer in french'), ...of('length', 'always keep your answers short')],
    ],
    [['Answer in French: what is rain?'], []],
    [['Use markdown for this file.'], []],
  ]);
});

describe('F5 values at the end of a sentence', () => {
  holds([
    [['My birthday is on 3 May.'], ['birthday=3 may']],
    [['My birthday is May 3rd.'], ['birthday=may 3rd']],
    [['my birthday is on 3 may'], ['birthday=3 may']],
    [['My wedding is on 9 June.'], ['wedding: date=9 june']],
    [['My deadline is 4 April.'], ['work: deadline=4 april']],
    [['My email is jo@mail.com.'], ['email=jo@mail.com']],
    [['My favourite number is 3.5.'], ['favorite_number=3.5']],
  ]);
});

describe('F6 exclamations and denials state nothing', () => {
  holds(
    [
      ...["I'm Spartacus!", "I'm Batman.", 'I am Groot!', "I'm Rick!", "I'm Hungry!", "I'm done", "I'm so excited!"],
      ...['Hi, I’m back.', 'hey im bored', 'hi im late', 'hey im good how are u', 'hi im on the train'],
      ...['I am allergic to nothing.', "I'm not allergic to anything.", "I'm allergic to none of these."],
      ...['My favourite colour is none.', 'I like nothing.', 'I speak no French.', 'I play no instrument.'],
    ].map((text) => [[text], []] as const),
  );
  holds([
    [["Hi, I'm Ana!"], ['name=ana']],
    [["I'm Ana."], ['name=ana']],
  ]);
});

const CHANGED_BEFORE: readonly Case[] = [
  [['I live in Madrid.', 'I moved to Seville last week.'], ['home_city=seville']],
  [['I live in Bern.', 'I moved to Oslo last month.'], ['home_city=oslo']],
  [['I work at Globex.', 'I joined Initech in May.'], ['employer=initech']],
  [["I'm a cook.", 'I became a baker last year.'], ['job_title=baker']],
  [["I'm single.", 'I got married in June.'], ['marital_status=married']],
  [["I'm vegan.", 'I went vegetarian two months ago.'], ['diet=vegetarian']],
  [['I use Chrome.', 'I stopped using Chrome last week.'], []],
  [['I work at Globex.', 'I left Globex last month.'], []],
  [['I moved to Oslo last month.', 'I live in Bern.'], ['home_city=bern']],
  [["I've lived in Lisbon since 2019.", 'I moved to Rome in 2023.'], ['home_city=rome']],
  [['I live in Oslo.', 'I live in Bern.', 'I moved back to Oslo last month.'], ['home_city=oslo']],
];

describe('F7 the later turn wins, a minute apart', () => holds(CHANGED_BEFORE));
describe('F7 the later turn wins, without times in one import', () =>
  holds(CHANGED_BEFORE, { gapUs: 0, inOneBatch: true }));
describe('F7 the later turn wins, without times in several extractions', () => holds(CHANGED_BEFORE, { gapUs: 0 }));

describe('P3 attributes of one value begin, go on, change and end', () => {
  const change =
    (first: string, ...then: readonly string[]) =>
    (text: string) =>
      [[first, text], then] as const;
  holds([
    ...[
      'I left Globex and joined Initech.',
      'I am working at Initech now.',
      'I now work at Initech.',
      'After leaving Globex, I joined Initech.',
      'I joined Initech after leaving Globex.',
      'Since June I have been working at Initech.',
      'I was hired by Initech.',
      'Initech hired me.',
      'My new employer is Initech.',
      "I'm employed by Initech.",
      'I used to work at Globex, but now I work at Initech.',
      'I work at Initech these days.',
      "I've accepted a job at Initech.",
    ].map(change('I work at Globex.', 'employer=initech')),
    ...['I no longer work at Globex.', 'I was laid off.', 'I lost my job.', 'I got fired from Globex.', 'I quit.'].map(
      change('I work at Globex.'),
    ),
    ...['I still work at Globex.', "I'm leaving Globex next month."].map(
      change('I work at Globex.', 'employer=globex'),
    ),
    ...['I now live in Bonn.', 'We relocated to Bonn.', "I'm based in Bonn now.", 'My home is now Bonn.'].map(
      change('I live in Graz.', 'home_city=bonn'),
    ),
    ...["I've moved out of Graz.", 'I left Graz.', "I don't live in Graz anymore."].map(change('I live in Graz.')),
    ...["I'm now a waiter.", 'I now work as a waiter.', "I've become a waiter.", 'My new job is waiter.'].map(
      change("I'm a cook.", 'job_title=waiter'),
    ),
    ...["I'm no longer a cook.", 'I stopped working as a cook.'].map(change("I'm a cook.")),
    [['I study at Oxford.', 'I now study at Yale.'], ['school=yale']],
    [['I study at Oxford.', 'I dropped out of Oxford.'], []],
    [['My car is a Golf.', 'My new car is a Tesla.'], ['car=tesla']],
    [['My car is a Golf.', 'I sold my Golf.'], ['sold=their golf']],
    [['My phone is a Pixel 8.', 'My phone is now an iPhone 15.'], ['phone_model=iphone 15']],
    [['My girlfriend is Ana.', 'My new girlfriend is Zoe.'], ['girlfriend=zoe']],
    [['My girlfriend is Ana.', 'We broke up.'], []],
    [['My manager is Bob.', 'Priya is my manager now.'], ['manager=priya']],
    [['My email is a@b.com.', 'My new email is c@d.com.'], ['email=c@d.com']],
    [['I am 30.', 'I turned 31 today.'], ['age=31']],
  ]);
});
