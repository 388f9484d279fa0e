import { faker } from '@faker-js/faker/locale/en';

/** A client record as it is sent (service.md 2.1). The balance is money as text: "1234.50". */
export type SimulatedClient = {
  readonly clientid: number;
  readonly clientname: string;
  readonly checksum: string;
  readonly balance: string;
};

/** Patterns of client names; some hold what breaks careless CSV, HTML and spreadsheets. */
const CLIENT_NAMES = [
  '{{company.name}}',
  '{{location.city}} Pediatrics',
  '{{location.city}} School District',
  'City of {{location.city}}',
  '{{location.city}} Tire & Brake',
  'St. Mary’s Academy {{location.city}}',
  '{{person.lastName}}, Ortiz & Partners',
  '"Big Al" Motors {{location.city}}',
  'Clínica Familiar {{location.city}}',
  '🐾 {{location.city}} Animal Shelter',
  '={{location.city}} Plumbing',
  '=1+1 Marketing {{location.city}}',
];

/** A line of business: patterns of its campaigns' names, and on how many days a week, from Monday, it calls. */
const CAMPAIGN_KINDS = [
  {
    category: 'health',
    daysAWeek: 5,
    names: ['{{location.city}} flu shots', 'Clínica {{location.city}}: recordatorio'],
  },
  {
    category: 'school',
    daysAWeek: 5,
    names: ['🎓 {{location.city}} open house', '{{location.city}} PTA: "Book Fair", gym, 6 pm'],
  },
  {
    category: 'dealership',
    daysAWeek: 6,
    names: ['"Zero down" weekend – {{location.city}}', '=SALE {{vehicle.manufacturer}} {{location.city}}'],
  },
  {
    category: 'poll',
    daysAWeek: 7,
    names: ['{{location.city}} mayor, wave {{number.int(4)}}', 'Get out the vote 🗳️ {{location.city}}'],
  },
  {
    category: 'utility',
    daysAWeek: 5,
    names: ['{{location.city}} meter change', '=OUTAGE-{{number.int(9)}} {{location.city}}'],
  },
  {
    category: 'billing',
    daysAWeek: 5,
    names: ['{{company.name}}, past due', 'Final notice – {{location.city}} "30 days"'],
  },
  {
    category: 'charity',
    daysAWeek: 5,
    names: ['{{location.city}} Food Bank drive', 'Noël à {{location.city}} ❄️'],
  },
  {
    category: 'survey',
    daysAWeek: 5,
    names: ['{{location.city}} patient survey', 'Encuesta de satisfacción – {{location.city}}'],
  },
];

const NAMES_A_KIND = 40;

export type CampaignKind = {
  readonly category: string;
  readonly daysAWeek: number;
  /** Each campaign has one of these. */
  readonly names: readonly string[];
};

/** What is named at random: the same for a seed on every machine, as it is generated in one go. */
export type Named = {
  /** One for each account. */
  readonly tokenTails: readonly string[];
  /** In order of their ids, no name twice. */
  readonly clients: readonly SimulatedClient[];
  readonly campaignKinds: readonly CampaignKind[];
};

export function generateNames(seed: number, accounts: number, clients: number): Named {
  faker.seed(seed);
  const { helpers, string } = faker;
  return {
    tokenTails: helpers.multiple(() => string.hexadecimal({ length: 8, prefix: '', casing: 'lower' }), {
      count: accounts,
    }),
    clients: helpers.uniqueArray(() => helpers.fake(CLIENT_NAMES), clients).map(generateClient),
    campaignKinds: CAMPAIGN_KINDS.map((kind) => ({
      ...kind,
      names: helpers.multiple(() => helpers.fake(kind.names), { count: NAMES_A_KIND }),
    })),
  };
}

function generateClient(clientname: string, index: number): SimulatedClient {
  return {
    // Ids rise with gaps, as where clients of other callers were created in between.
    clientid: 48_200 + index * 4 + faker.number.int(3),
    clientname,
    checksum: faker.string.numeric(10),
    balance: generateBalance(),
  };
}

/** Most clients have some hundreds, a few owe a little, some have nothing. */
function generateBalance(): string {
  const share = faker.number.float();
  if (share < 0.04) return '0.00';
  if (share < 0.06) return faker.finance.amount({ min: -25, max: -0.01 });
  return faker.finance.amount({ max: 2_500 });
}
