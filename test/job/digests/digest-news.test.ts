import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NightlyRequest, nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { type Dataset, generateDataset } from '../../../src/simulator/dataset.ts';
import { atInstant, never } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

const base = generateDataset();
const token = base.accounts.find(({ name }) => name === 'valley')!.token;
const [changed] = base.campaigns(
  'valley',
  Temporal.PlainDate.from('2026-03-02'),
  Temporal.PlainDate.from('2026-03-02'),
);
const [gone, fresh] = base.clients('valley');
const request: NightlyRequest = {
  command: 'run',
  days: null,
  accounts: null,
  digest: true,
  scheduledFor: null,
};

/** What the service returns from the second night on. */
let later = false;
const dataset: Dataset = {
  ...base,
  campaigns: (account, from, to) =>
    base
      .campaigns(account, from, to)
      .map((each) =>
        later && from.toString() === '2026-03-02' && each.callsetid === changed!.callsetid
          ? { ...each, attempts: each.attempts + 1_000 }
          : each,
      ),
  clients: (account) =>
    base.clients(account).filter(({ clientid }) => clientid !== (later ? gone : fresh)!.clientid),
};

let world: World;
beforeAll(async () => {
  world = await openWorld({ dataset });
  for (const day of ['2026-03-03', '2026-03-04', '2026-03-05']) {
    const run = (app: AppContext) => nightly(app, request, never);
    const settings = { ACCOUNTS_FILE: '', SIDTOKEN: token, ACCOUNT_NAME: 'valley' };
    await atInstant(world, `${day}T06:30:00Z`, run, settings);
    later = true;
  }
});
afterAll(() => world.close());

/** What the digest of a day named for attention, or in its table of other news, as it was sent. */
async function partOf(day: string, heading: 'NEEDS ATTENTION' | 'EARLIER PERIODS AND CORRECTIONS') {
  const [row] = await world.query<{ mime: string }>('select mime from etl.mails where day = $1', [day]);
  const { text } = await PostalMime.parse(row!.mime);
  return (
    text!
      .split(heading)[1]
      ?.split(/^[A-Z ]{7,}$|^Complete through/m)[0]
      ?.trim() ?? ''
  );
}

const attention = (day: string) => partOf(day, 'NEEDS ATTENTION');
const table = (day: string) => partOf(day, 'EARLIER PERIODS AND CORRECTIONS');

describe('three runs', () => {
  it('begin with a digest that has no news, for there was none before', async () => {
    expect([await attention('2026-03-02'), await table('2026-03-02')]).toEqual(['', '']);
  });

  it('report a change and a new client once, in the next digest', async () => {
    expect(await attention('2026-03-03')).toBe(`New clients\n- valley: ${fresh!.clientname}`);
    expect(await table('2026-03-03')).toMatch(
      /^ *Attempts +Connected +Period\n([\d,]+) → ([\d,]+) +[\d.]+% → [\d.]+% +Mon 2 Mar \(corrected\)$/,
    );
    expect(await table('2026-03-04')).toBe('');
    expect(await attention('2026-03-04')).not.toMatch(/New/);
  });

  it('report a client that is no longer listed after two run dates', async () => {
    expect(await attention('2026-03-04')).toBe(`Clients no longer listed\n- valley: ${gone!.clientname}`);
  });
});
