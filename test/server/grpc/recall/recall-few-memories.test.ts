import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Line = string | readonly [speaker: string, text: string];

/** Memories of a user's first minutes, and the expected first hits for a few words. */
interface SmallCase {
  readonly name: string;
  readonly memories: readonly Line[];
  /** By query: place of the memory. */
  readonly asks: Readonly<Record<string, number>>;
}

const CASES: readonly SmallCase[] = [
  {
    name: 'preferences',
    memories: [
      'I prefer tea over coffee in the morning.',
      'My favourite colour is dark green.',
      'I do not eat meat.',
      'Please answer in short sentences.',
    ],
    asks: { coffee: 0, 'favourite colour': 1, meat: 2, 'short sentences': 3, 'morning tea': 0 },
  },
  {
    name: 'appointments',
    memories: [
      'Dentist on Tuesday at 15:00.',
      'Lunch with Maria on Friday.',
      'The flight to Lisbon leaves on 12 May at 7:40.',
      'Call the bank about the mortgage before Monday.',
      'Parents’ evening at school on Thursday.',
    ],
    asks: { dentist: 0, 'lunch Maria': 1, flight: 2, Lisbon: 2, mortgage: 3, school: 4 },
  },
  {
    name: 'names',
    memories: [
      'My sister is called Anna and lives in Porto.',
      'My dog Bruno is afraid of thunder.',
      'My boss is Mr Keller.',
      'Our neighbour Ines has a spare key.',
      'My doctor is Dr Santos.',
    ],
    asks: { sister: 0, Bruno: 1, boss: 2, 'spare key': 3, doctor: 4, 'dog thunder': 1 },
  },
  {
    name: 'tool outputs',
    memories: [
      '$ npm test: 214 passed, 3 failed (auth/login.test.ts, auth/token.test.ts, cart.test.ts)',
      '$ git status: On branch main, nothing to commit, working tree clean',
      '$ df -h: /dev/sda1 98% used, 1.2G free',
      '$ curl -I https://example.org: HTTP/2 503, retry-after: 120',
    ],
    asks: { 'failed tests': 0, 'git branch': 1, 'disk free': 2, '503': 3, 'login test': 0 },
  },
  {
    name: 'cello',
    memories: [
      ['Ann', 'The cello concert is on Friday.'],
      ['Bob', 'Which cello concert?'],
      ['Ann', 'The one with the long name that nobody remembers.'],
      ['Bob', 'I bought cello strings.'],
    ],
    asks: { 'cello concert': 0, concert: 0, 'cello strings': 3, 'long name': 2, strings: 3 },
  },
  {
    name: 'chat',
    memories: [
      ['Sam', 'Hi! How was your weekend?'],
      ['Lea', 'Great, we went kayaking on the lake.'],
      ['Sam', 'Nice! Was it cold?'],
      ['Lea', 'A little. My brother fell into the water.'],
      ['Sam', 'Oh no. Is he all right?'],
      ['Lea', 'Yes, he only lost his glasses.'],
    ],
    asks: { kayaking: 1, lake: 1, brother: 3, glasses: 5, 'lost glasses': 5, 'brother water': 3, weekend: 0 },
  },
  {
    name: 'assistant',
    memories: [
      ['user', 'What is the wifi password?'],
      ['assistant', 'The wifi password is on the back of the router.'],
      ['user', 'And where do we keep the passports?'],
      ['assistant', 'In the blue folder in the top drawer.'],
      ['user', 'Thanks!'],
    ],
    asks: { 'blue folder': 3, router: 1, drawer: 3, 'wifi password router': 1 },
  },
  {
    name: 'shopping',
    memories: ['Buy milk, eggs and flour.', 'The printer needs black ink.', 'We are out of cat food.'],
    asks: { milk: 0, ink: 1, 'cat food': 2, printer: 1, 'eggs flour': 0 },
  },
  {
    name: 'project',
    memories: [
      'We decided to use PostgreSQL for the ledger.',
      'The deploy script is in tools/deploy.sh.',
      'Release 2.3 is planned for March.',
      'Tests must not use the network.',
      'Ask Priya before changing the billing API.',
      'The staging server is called heron.',
      'Code style: two spaces, single quotes.',
      'Coverage must stay above 80 %.',
    ],
    asks: {
      ledger: 0,
      'deploy script': 1,
      release: 2,
      network: 3,
      billing: 4,
      'staging server': 5,
      quotes: 6,
      coverage: 7,
      Priya: 4,
    },
  },
  {
    name: 'health',
    memories: [
      'I am allergic to peanuts.',
      'I take 20 mg of lisinopril every evening.',
      'My blood type is O negative.',
      'I run 5 km on Sundays.',
    ],
    asks: { peanuts: 0, lisinopril: 1, 'blood type': 2, run: 3, allergic: 0 },
  },
  {
    name: 'travel',
    memories: [
      'The hotel in Kyoto is booked from 3 to 7 April.',
      'The passport expires in 2027.',
      'Window seat, never the aisle.',
      'The rental car is a white Fiat.',
      'Travel insurance number: TR-4471.',
      'The train from Osaka takes 15 minutes.',
    ],
    asks: {
      hotel: 0,
      Kyoto: 0,
      passport: 1,
      'window seat': 2,
      'rental car': 3,
      'insurance number': 4,
      'Osaka train': 5,
    },
  },
  {
    name: 'long and short',
    memories: [
      'Yesterday we talked for a long time about the garden, the roses that did not bloom, the fence that the storm blew down and the neighbour who offered to help with it.',
      'Roses: prune in March.',
      'The fence costs 400 euros.',
      'Ok.',
      'Thanks, that is great!',
    ],
    asks: { 'roses prune': 1, 'fence costs': 2, storm: 0, neighbour: 0, euros: 2 },
  },
  {
    name: 'meetings',
    memories: [
      ['Kim', 'Shall we move the review to Wednesday?'],
      ['Raj', 'Wednesday is fine for me.'],
      ['Kim', 'Good. Who writes the report?'],
      ['Raj', 'I will, and Tom makes the slides.'],
      ['Kim', 'Perfect, thank you both.'],
    ],
    asks: { slides: 3, review: 0, report: 2, Tom: 3 },
  },
  {
    name: 'home',
    memories: [
      'The bins go out on Wednesday night.',
      'The boiler was serviced in October.',
      'The alarm code is 4812.',
      'The light bulb in the hall is an E14.',
      'The washing machine eats socks.',
      'Turn the water off before leaving.',
      'The piano was tuned in June.',
    ],
    asks: { bins: 0, boiler: 1, 'alarm code': 2, 'light bulb': 3, 'washing machine': 4, piano: 6, socks: 4 },
  },
  {
    name: 'errors',
    memories: [
      'TypeError: cannot read properties of undefined (reading "id") at orders.ts:41',
      'ECONNREFUSED 127.0.0.1:6379: is redis running?',
      'Fixed the flaky login test by waiting for the event.',
      'Build took 84 s, cache missed.',
    ],
    asks: { TypeError: 0, redis: 1, 'flaky test': 2, cache: 3, orders: 0 },
  },
  {
    name: 'family',
    memories: [
      'Mum’s birthday is on 9 September.',
      'Leo started school this year.',
      'Grandpa likes crossword puzzles.',
      'Leo is learning to swim.',
      'Mum wants a bicycle.',
    ],
    asks: { birthday: 0, crossword: 2, 'Leo swim': 3, bicycle: 4, 'Leo school': 1 },
  },
];

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

async function storeAll(parent: string, lines: readonly Line[], session: string): Promise<void> {
  for (const [at, line] of lines.entries()) {
    const [speaker, text] = typeof line === 'string' ? ['', line] : line;
    const eventTime = { seconds: BigInt(Date.UTC(2026, 4, 1, 10, at) / 1000), nanos: 0 };
    const memory = { text, eventTime, source: { speaker }, scope: { session } };
    await ask(
      mneme.memories,
      mneme.memories.storeMemory,
      StoreMemoryRequest.fromPartial({ parent, memory, memoryId: `m${at}` }),
    );
  }
}

async function textsFor(parent: string, text: string): Promise<string[]> {
  const { hits } = await ask(
    mneme.recalls,
    mneme.recalls.recall,
    RecallRequest.fromPartial({ minRelevance: 0, parent, text }),
  );
  return hits.map(({ memory }) => memory?.text ?? '');
}

describe.each(['', 's'])('a few memories, session "%s"', (session) => {
  it.each(CASES.map((one, at) => ({ ...one, at })))('$name › the evident memory comes first', async (one) => {
    const parent = `namespaces/small-${one.at}${session}`;
    await storeAll(parent, one.memories, session);
    const said = one.memories.map((line) => (typeof line === 'string' ? line : line[1]));
    for (const [query, first] of Object.entries(one.asks)) {
      expect({ query, first: (await textsFor(parent, query))[0] }).toEqual({ query, first: said[first] });
    }
  });
});

it('a reply with none of the words › comes after memories with all of them', async () => {
  const parent = 'namespaces/reply';
  const [invitation, question] = ['The cello concert is on Friday.', 'Which cello concert?'];
  const reply = 'The one with the long name that nobody remembers.';
  const lines = [
    ['Ann', invitation],
    ['Bob', question],
    ['Ann', reply],
    ['Bob', 'I bought cello strings.'],
  ] as const;
  await storeAll(parent, lines, 's');
  expect((await textsFor(parent, 'cello concert')).slice(0, 2)).toEqual([invitation, question]);
});

it('a newer memory › does not come before the answer', async () => {
  const parent = 'namespaces/newer';
  const [answer, newer] = ['Ada plays the cello in an orchestra.', 'Buy three litres of milk.'];
  const eventTime = { seconds: BigInt(Math.floor(Date.now() / 1000) - 14 * 86_400), nanos: 0 };
  for (const memory of [{ text: answer, eventTime }, { text: newer }]) {
    await ask(mneme.memories, mneme.memories.storeMemory, StoreMemoryRequest.fromPartial({ parent, memory }));
  }
  expect(await textsFor(parent, 'Who plays the cello?')).toEqual([answer, newer]);
});
