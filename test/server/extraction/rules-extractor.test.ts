import { describe, expect, it } from '@jest/globals';
import type { FactClaim } from '../../../src/memory/fact-claim.ts';
import { rulesExtractor } from '../../../src/server/extraction/rules/rules-extractor.ts';
import { conversationOf } from './conversation-of.ts';

type Turn = Parameters<typeof conversationOf>[0][number];

async function claimsOf(...turns: (string | Partial<Turn>)[]): Promise<readonly FactClaim[]> {
  const messages = conversationOf(
    turns.map((turn) => ({ role: 'user', name: '', text: '', ...(typeof turn === 'string' ? { text: turn } : turn) })),
  );
  const batch = {
    ...{ namespace: 'n', scope: { project: '', agentType: '', agent: '', session: '' }, conversation: 'c' },
    ...{ messages, earlier: [], settings: new Map<string, string>() },
  };
  return (await rulesExtractor.extract(batch, new AbortController().signal)).claims;
}

/** Claims as `attribute=value`, with `-` before retractions. */
async function read(...turns: Parameters<typeof claimsOf>): Promise<string[]> {
  const claims = await claimsOf(...turns);
  return claims.map(({ attribute, value, retracts }) => `${retracts ? '-' : ''}${attribute}=${value}`);
}

describe('rules extractor', () => {
  it.each<readonly [string, readonly string[]]>([
    ['My name is Inês Duarte.', ['name=Inês Duarte']],
    [
      "Hi! I'm Tomás, a tree surgeon at Green Crown in Porto.",
      ['name=Tomás', 'job_title=tree surgeon', 'employer=Green Crown in Porto'],
    ],
    ['I live in Graz.', ['home_city=Graz']],
    ["I've just moved from Graz to San Sebastián.", ['home_city=San Sebastián', '-home_city=Graz']],
    ["I'm an assistant manager.", ['job_title=assistant manager']],
    ['I moved to Porto.', ['home_city=Porto']],
    ['I work for Tidewater Labs.', ['employer=Tidewater Labs']],
    ['I started at Tidewater Labs last week.', ['employer=Tidewater Labs']],
    ['I joined Green Crown in May.', ['employer=Green Crown']],
    ['I got promoted to lead gardener.', ['job_title=lead gardener']],
    ["I'm 41 years old and I'm vegetarian.", ['age=41', 'diet=vegetarian']],
    ["I'm allergic to peanuts.", ['allergy=peanuts']],
    ['My favourite colour is teal.', ['favourite_colour=teal']],
    ['My email address is ada@example.org and I live in Graz.', ['email_address=ada@example.org', 'home_city=Graz']],
    ['Our budget is 1,200 euros, without travel.', ['budget=1,200 euros']],
    ['My favourite framework is Next.js.', ['favourite_framework=Next.js']],
    ['We use Node.js 22.4 in production.', ['uses=Node.js 22.4']],
    ['We decided to use gRPC 1.60: it is faster.', ['decided_to=use gRPC 1.60']],
    ["My sister's name is Odile.", ['sister=Odile']],
    ['I prefer short answers with sources.', ['prefers=short answers with sources']],
    ["I can't stand cold coffee.", ['dislikes=cold coffee']],
    ['We use Terraform for everything.', ['uses=Terraform']],
    ["We're switching from Jenkins to Buildkite.", ['-uses=Jenkins', 'uses=Buildkite']],
    ["I'm not using Evernote anymore.", ['-uses=Evernote']],
    ['I no longer work at Tidewater Labs.', ['-employer=Tidewater Labs']],
    ['I left my job at Tidewater Labs last week.', ['-employer=Tidewater Labs']],
    ["I've been vegetarian since 2019.", ['diet=vegetarian']],
    ["I'm not vegan anymore.", ['-diet=vegan']],
    ['I run every morning.', ['habit=run every morning']],
    ["I don't live in Graz any more.", ['-home_city=Graz']],
    ['I started learning Portuguese.', ['learning=Portuguese']],
    ["I'm building a greenhouse controller.", ['building=a greenhouse controller']],
    ['We decided to postpone the audit.', ['decided_to=postpone the audit']],
    ['Our team is now 14 people.', ['team_size=14']],
    ['The harvest review got pushed to March 20th.', ['date=March 20th']],
    ['The design review is on Friday.', ['date=Friday (2026-03-06)']],
    ['Could you keep your answers short and plain?', ['instruction_length=always keep your answers short and plain']],
    ['I play the bassoon.', ['plays=the bassoon']],
    ['I take metformin and I drive a green van.', ['takes=metformin', 'drives=a green van']],
    ['I swim twice a week.', ['habit=swim twice a week']],
    ['We have two kids.', ['has=two kids']],
    ['I was diagnosed with hay fever.', ['health=hay fever']],
    ['I have a nut allergy.', ['health=nut allergy']],
    ["I'm retired, and I'm a proud grandmother.", ['-employer=', 'employment=retired']],
    ["I'm a father of three.", ['family=father of three']],
    ["I don't eat pork.", ['avoids=pork', '-eats=pork']],
    ['I used to live in Graz.', ['-home_city=Graz']],
    ['I want to lose 4 kilos before the wedding.', ['plans_to=lose 4 kilos before the wedding']],
    ["We're planning to open a second shop in Graz.", ['plans_to=open a second shop in Graz']],
    ["I'm flying to Lisbon on Friday.", ['flying_to=Lisbon']],
    ["I'm really into birdwatching.", ['likes=birdwatching']],
    ['I have a degree in botany.', ['education=botany']],
    ["I'm from Porto.", ['hometown=Porto']],
    ['My band is called Loud Hedge.', ['band=Loud Hedge']],
    ['I have a budget of 900 euros for the roof.', ['budget=900 euros']],
    ['My daughter Lea is allergic to nuts.', ['daughter=Lea', 'allergy=nuts']],
    ['My older brother, Piet, works at Tidewater Labs.', ['brother=Piet', 'employer=Tidewater Labs']],
    ['Our boss loves long reports.', ['loves=long reports']],
    ["I've been keeping bees for nine years.", ['years_of_keeping_bees=nine']],
    ['I have 12 years of experience in welding.', ['years_of_welding=12']],
    ["I'm interested in glass blowing.", ['interested_in=glass blowing']],
    ['I know Terraform really well, but Ansible is new.', ['knows=Terraform']],
    ['Starting as a lead gardener next month!', ['job_title=lead gardener']],
    ['The soil survey is still pending.', ['status=pending']],
    ['Soil survey was approved!', ['status=approved']],
    ['Seed catalogue shipped!', ['status=shipped']],
    ['Our bounce rate dropped from 31% to 12%.', ['level=12%']],
    ['Germination is at 64% in the cold frame.', ['level=64% in the cold frame']],
    ['The full harvest run takes about 6 hours.', ['takes=6 hours']],
    ['Our yield reached 4,700 litres, which is a record.', ['level=4,700 litres']],
    ['I enjoy long walks with the, you know.', ['enjoys=long walks']],
    ["We're now at 310 members.", ['level=310 members']],
    ['We have about 45 volunteers so far.', ['number_of_volunteers=45 volunteers']],
    ["I'm practising the cello.", ['practising=the cello']],
    ['I live in Graz and I need to call my landlord.', ['home_city=Graz']],
    ["I've moved to Porto, but I might leave again.", ['home_city=Porto']],
    ['Call me Odile.', ['name=Odile']],
    ['The new title is lead gardener.', ['job_title=lead gardener']],
    ['The team is now 14 people.', ['team_size=14']],
    ['Work has migrated from Jenkins to Buildkite.', ['-uses=Jenkins', 'uses=Buildkite']],
    ['Keep explanations brief.', ['instruction_length=always keep explanations brief']],
    ['The deadline is tomorrow.', ['deadline=tomorrow (2026-03-03)']],
    ['The design review is on 2026-03-09.', ['date=2026-03-09']],
  ])('%s', async (text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  it.each([
    'Do I live in Graz?',
    'If I lived in Graz, I would use Terraform.',
    'I might move to Graz.',
    'My neighbour said I work for Tidewater Labs.',
    'He told me "I live in Graz and I use Terraform".',
    "Imagine I'm a pilot at Blue Air.",
    "I'm not a developer.",
    "Let's say we use Terraform.",
    'Can you help me write a letter to my landlord?',
    'I need to set up Terraform for this repository.',
    '> I live in Graz.',
    '```\nI live in Graz.\n```',
    "I'm German.",
    'My daughter is a lot of fun.',
    'I take a break.',
    'I play around with it.',
    'I want to see how this works every day.',
    'I want to run it again.',
    "I'm going to open that file.",
    "I'm from the support team.",
    'The tests are done.',
    'It is at 40% now.',
    'We have 3 questions.',
    "I have 5 minutes before lunch, and I'm at 3 pm free.",
    'Maybe the soil survey is pending.',
    'I think I have 20 volunteers.',
    'What do I prefer, tea or coffee?',
    'Thanks, that worked!',
    'Keep pushing yourself and never give up.',
    'Remember to take care of yourself.',
    'I found a shop I like that sells maps.',
    "I don't feel like I'm building anything.",
    'I love the colours in this picture.',
    'One of my favourite dishes is soup.',
    '',
  ])('nothing to read › %s', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  it.each<readonly [string, string | undefined]>([
    ['I joined Green Crown in May.', '2025-05-01'],
    ["I've lived in Graz since 2019.", '2019-01-01'],
    ['I moved to Porto three weeks ago.', '2026-02-09'],
    ['I live in Graz.', undefined],
    ['I work for Tidewater Labs, and since May the canteen is closed.', undefined],
    ['My birthday is on May 4.', undefined],
    ["We're switching from Jenkins to Buildkite next month.", undefined],
  ])('%s › holds from %s on', async (text, from) => {
    const [claim] = await claimsOf(text);
    const day = claim?.validFromUs && new Date(claim.validFromUs / 1000).toISOString().slice(0, 10);
    expect([claim?.value === undefined, day]).toEqual([false, from]);
  });

  it('a fact of a relation › is of the person, or of the relation of the speaker', async () => {
    const [name, allergy] = await claimsOf({ name: 'Odile', text: 'My son Jan is allergic to wasps.' });
    expect(name).toMatchObject({ subject: 'Odile', text: 'Odile’s son is Jan.' });
    expect(allergy).toMatchObject({ subject: 'Jan', text: 'Jan (Odile’s son) is allergic to wasps.' });
    const [likes] = await claimsOf('My boss prefers phone calls.');
    expect(likes).toMatchObject({ subject: 'user’s boss', text: 'The user’s boss prefers phone calls.' });
  });

  it('states of one thing › have one subject and attribute', async () => {
    const found = await claimsOf('Soil survey is pending.', 'The soil survey got approved.', 'Our yield is at 40 kg.');
    expect(found).toMatchObject([
      { subject: 'soil survey', attribute: 'status', value: 'pending', text: 'Soil survey is pending.' },
      { subject: 'soil survey', attribute: 'status', value: 'approved', text: 'The soil survey is approved.' },
      { subject: 'yield', attribute: 'level', value: '40 kg' },
    ]);
  });

  it('a message with a name › its facts are of that name; without one of the user, with its sequence', async () => {
    const named = await claimsOf({ name: 'Odile', text: 'I live in Graz.' });
    expect(named).toMatchObject([{ subject: 'Odile', text: 'Odile lives in Graz.', sources: [0] }]);
    const unnamed = await claimsOf('Hello.', 'I live in Graz.');
    expect(unnamed).toMatchObject([{ subject: 'user', text: 'The user lives in Graz.', sources: [1] }]);
  });

  it('a fact of a user whose name is known › its sentence has the name', async () => {
    const claims = await claimsOf('I live in Graz.', "Hi, I'm Ana.", 'I work for Tidewater Labs.');
    expect(claims.map(({ text }) => text)).toEqual([
      'The user lives in Graz.',
      'The user is called Ana.',
      'Ana (the user) works at Tidewater Labs.',
    ]);
    expect(new Set(claims.map(({ subject }) => subject))).toEqual(new Set(['user']));
  });

  it('a name stated before the batch › the newest one is in the sentence of the fact', async () => {
    const of = (text: string) => ({ role: 'user', name: '', text }) as const;
    const turns = ["Hi, I'm Ana.", 'My name is Inês.', 'It rains.', 'I live in Graz.'].map(of);
    const all = conversationOf(turns);
    const batch = {
      ...{ namespace: 'n', scope: { project: '', agentType: '', agent: '', session: '' }, conversation: 'c' },
      ...{ messages: all.slice(3), earlier: all.slice(0, 3), settings: new Map<string, string>() },
    };
    const { claims } = await rulesExtractor.extract(batch, new AbortController().signal);
    expect(claims).toMatchObject([{ text: 'Inês (the user) lives in Graz.' }]);
  });

  it('standing instructions › one topic each, a later one has the attribute of the one before', async () => {
    const first = await claimsOf("From now on, end all method names with '_q'.");
    const second = await claimsOf("I'd like you to end your method names with '_z' going forward.");
    expect(first).toMatchObject([{ subject: 'assistant', value: "always end method names with '_q'" }]);
    expect(second.map(({ attribute }) => attribute)).toEqual(first.map(({ attribute }) => attribute));
    expect(await read('Always use Slack for communication.')).toEqual(
      ['instruction_communication=always use slack for communication'].map((text) => text.replace('slack', 'Slack')),
    );
    expect((await claimsOf('Never use a linter.'))[0]?.value).toBe('never use a linter');
  });

  it('an assistant › what it has done, not what it advises', async () => {
    const said = (text: string) => ({ role: 'assistant' as const, text });
    expect(await read(said('I use Terraform often, and you live in Graz.'))).toEqual([]);
    expect(await read(said("I've booked a table at Zum Anker for Friday. Your booking code is ZX-81."))).toEqual([
      'booked=a table at Zum Anker for Friday',
      'booking_code=ZX-81',
    ]);
  });

  it('long and odd texts › are read to an end', async () => {
    const odd = ['I '.repeat(50_000), 'a'.repeat(100_000), "I'm a ".repeat(3000), `${'always use '.repeat(2000)}x.`];
    for (const text of odd) expect((await read(text)).length).toBeLessThan(100);
  });
});
