import { faker } from '@faker-js/faker/locale/en';
import { type Purpose, type Series, type SimulatedCampaign, summarize } from './campaigns.ts';

/** An account of the service: its token selects its clients and campaigns (service.md 5). */
export type SimulatedAccount = { readonly name: string; readonly token: string };

/** A client record as sent (service.md 2.1). The balance is an amount of money: "1234.50". */
export type SimulatedClient = {
  readonly clientid: number;
  readonly clientname: string;
  readonly checksum: string;
  readonly balance: string;
};

/** The data behind the responses. A test may wrap it to change figures between two runs. */
export type Dataset = {
  readonly accounts: readonly SimulatedAccount[];
  /** All clients of the account, ordered by id. */
  clients(accountName: string): readonly SimulatedClient[];
  /** Campaigns with attempts in the range, both days included, summed over its days and ordered by id. */
  campaigns(
    accountName: string,
    from: Temporal.PlainDate,
    to: Temporal.PlainDate,
  ): readonly SimulatedCampaign[];
};

/** Name, number of clients, number of series of campaigns: about 40 campaigns call on a weekday. */
const ACCOUNTS = [
  ['north', 620, 17],
  ['coast', 380, 12],
  ['valley', 200, 8],
] as const;

/** Campaigns that never end: every weekday has names that break careless CSV, HTML and spreadsheets. */
const ENDLESS_CAMPAIGNS: Record<(typeof ACCOUNTS)[number][0], readonly Purpose[]> = {
  north: [
    ['Appointment reminders, all clinics', 'health', 5],
    ['Attendance calls 🏫', 'school', 5],
    ['=REFILL("ready") pharmacy pick-up', 'health', 7],
    ['Past-due notice "friendly"', 'utility', 5],
  ],
  coast: [
    ['Clínica Peñasco – citas', 'health', 6],
    ['Service due, "lube & filter"', 'dealership', 6],
    ['⚡ Outage restored', 'utility', 7],
  ],
  valley: [
    ['=1+1 Welcome calls, new members', 'billing', 7],
    ['Cantine & bus – Val-d’Été 🚌', 'school', 5],
  ],
};

/** Purposes of the other campaigns; each name is a pattern for faker. */
const PASSING_CAMPAIGNS: readonly Purpose[] = [
  ['{{location.city}} flu shots', 'health', 5],
  ['{{location.city}} PTA: "Book Fair", gym, 6 pm', 'school', 5],
  ['"Zero down" weekend – {{location.city}}', 'dealership', 6],
  ['Get out the vote 🗳️ {{location.city}}', 'poll', 7],
  ['=OUTAGE-{{number.int(9)}} {{location.city}}', 'utility', 5],
  ['{{company.name}}, past due', 'billing', 5],
  ['Noël à {{location.city}} ❄️', 'charity', 5],
  ['Encuesta de satisfacción – {{location.city}}', 'survey', 5],
];

const CLIENT_NAMES = [
  '{{company.name}}',
  '{{location.city}} School District',
  'St. Mary’s Academy {{location.city}}',
  '{{person.lastName}}, Ortiz & Partners',
  '"Big Al" Motors {{location.city}}',
  'Clínica Familiar {{location.city}}',
  '🐾 {{location.city}} Animal Shelter',
  '=1+1 Marketing {{location.city}}',
];

const NAMES_PER_PATTERN = 40;

/**
 * Generates a realistic data set. The same seed always makes the same data, in any order of reading. Days are in UTC, from
 * 2000-01-01 on; today's counts grow every hour, and later days are empty.
 */
export function generateDataset(
  seed = 1,
  now: () => Temporal.Instant = () => Temporal.Now.instant(),
): Dataset {
  const { helpers, string } = faker;
  // Faker draws everything here, because its numbers depend on their order.
  faker.seed(seed);
  const purposes = PASSING_CAMPAIGNS.flatMap(([pattern, ...purpose]) =>
    helpers.multiple((): Purpose => [helpers.fake(pattern), ...purpose], { count: NAMES_PER_PATTERN }),
  );
  const total = ACCOUNTS.reduce((sum, [, count]) => sum + count, 0);
  const clients = helpers.uniqueArray(() => helpers.fake(CLIENT_NAMES), total).map(generateClient);
  let nextNumber = 0;
  const holdings = ACCOUNTS.map(([name, count, seriesCount]) => ({
    // One token changes when URL-encoded, so redaction has to find both forms.
    account: { name, token: `demo-${name}-${string.uuid()}${name === 'coast' ? '+a/b==' : ''}` },
    clients: clients.splice(0, count),
    series: [...ENDLESS_CAMPAIGNS[name], ...Array<undefined>(seriesCount)].map(
      (purpose): Series => ({ number: nextNumber++, purpose }),
    ),
  }));
  const find = (accountName: string) => {
    const found = holdings.find(({ account }) => account.name === accountName);
    if (!found) throw new Error(`The data set has no account "${accountName}".`);
    return found;
  };
  return {
    accounts: holdings.map(({ account }) => account),
    clients: (accountName) => find(accountName).clients,
    campaigns: (accountName, from, to) =>
      summarize(seed, find(accountName).series, purposes, from, to, now()),
  };
}

function generateClient(clientname: string, index: number): SimulatedClient {
  return {
    // Ids have gaps, as if clients of other accounts were created in between.
    clientid: 48_200 + index * 4 + faker.number.int(3),
    clientname,
    checksum: faker.string.numeric(10),
    balance: faker.helpers.weightedArrayElement([
      { weight: 94, value: faker.finance.amount({ max: 2_500 }) },
      { weight: 4, value: '0.00' },
      { weight: 2, value: faker.finance.amount({ min: -25, max: -0.01 }) },
    ]),
  };
}
