import { describe, expect, test } from 'vitest';
import { composeDigest, fileName } from '../../src/digest/compose.ts';
import type { DigestFigures } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyWeek } from './busy-week.ts';
import { accountDay, accountTotals, attached, figures } from './figures.ts';

const compose = (part: Partial<DigestFigures>) => composeDigest(figures(part), attached);
const subject = async (part: Partial<DigestFigures>) => (await compose(part)).subject;

describe('the subject of a digest', () => {
  test('names the digest, the day and the figures, the rate first', async () => {
    expect(await subject({})).toBe('Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts');
  });

  test('has the changes of the rate', async () => {
    const weeks = ['2026-11-12', '2026-11-05'].map((day) => accountDay('north', day, 1_000, 625));
    const history = [accountDay('north', '2026-11-18', 1_000, 598), ...weeks];
    expect(await subject({ history })).toBe(
      'Campaigns, Thu 19 Nov: 61.0% connected (+1.2 points vs Wed, −1.5 points vs a typical Thursday), 12,480 attempts',
    );
  });

  test('sums up all accounts', async () => {
    const accounts = [accountTotals(), accountTotals({ attempts: 520, connects: 387 })];
    expect(await subject({ accounts })).toBe('Campaigns, Thu 19 Nov: 61.5% connected, 13,000 attempts');
  });

  test('says so when there were no attempts', async () => {
    const accounts = [accountTotals({ campaigns: 0, attempts: 0, busies: 0, connects: 0, liveAnswers: 0 })];
    expect(await subject({ accounts })).toBe('Campaigns, Thu 19 Nov: no calls');
  });

  test('has the rate of the campaigns that report both counts', async () => {
    const both = { part: '66', attempts: '110' };
    const accounts = [
      accountTotals({
        attempts: 110,
        connects: 121,
        rates: { ...accountTotals().rates, connects: both },
      }),
    ];
    expect(await subject({ accounts })).toBe('Campaigns, Thu 19 Nov: 60.0% connected, 110 attempts');
  });

  test('says so when a count was not reported', async () => {
    expect(await subject({ accounts: [accountTotals({ attempts: null })] })).toBe(
      'Campaigns, Thu 19 Nov: 41 campaigns, attempts not reported',
    );
    expect(await subject({ accounts: [accountTotals({ connects: null })] })).toBe(
      'Campaigns, Thu 19 Nov: 12,480 attempts, connects not reported',
    );
  });

  test('has every digit of a sum that no double holds, and its rate to the percent', async () => {
    const [attempts, connects] = ['9232379236109515775', '2400418601388474101'];
    expect(await subject({ accounts: [accountTotals({ attempts, connects })] })).toBe(
      'Campaigns, Thu 19 Nov: 26.0% connected, 9,232,379,236,109,515,775 attempts',
    );
  });

  test('says that it is incomplete when an account lacks the day', async () => {
    for (const state of ['failed', 'provisional', null] as const) {
      const accounts = [accountTotals(), accountTotals({ state, attempts: 0, connects: 0 })];
      expect(await subject({ accounts })).toBe(
        'Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts (incomplete)',
      );
    }
  });

  test('says that it corrects another', async () => {
    expect(await subject({ before: [accountTotals({ attempts: 1 })] })).toBe(
      'Corrected: Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts',
    );
  });

  test('states no count when nothing at all was loaded', async () => {
    const empty = { campaigns: 0, attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
    const accounts = [accountTotals({ ...empty, state: null }), accountTotals({ ...empty, state: 'failed' })];
    expect(await subject({ accounts })).toBe('Campaigns, Thu 19 Nov: nothing loaded (incomplete)');
  });

  test('is in the language of the digest’s locale', async () => {
    expect(await subject({ locale: 'es' })).toBe(
      'Campaigns, jue 19 nov: 61,0\u00a0% de conexión, 12.480 intentos',
    );
    expect(await subject({ locale: 'de' })).toBe('Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts');
  });
});

describe('the parts of a digest', () => {
  test('include its CSV, under a file name made of its name and day', async () => {
    const message = await compose({ name: 'North Office' });
    expect(message.csv).toBe(attached);
    expect(message.csvName).toBe('north-office-2026-11-19.csv');
    const packed = await composeDigest(figures(), { kind: 'zip', content: Buffer.from('') });
    expect(packed.csvName).toBe('campaigns-2026-11-19.zip');
  });

  test('include a second CSV, of balances, where there is one', async () => {
    expect((await compose({})).balances).toBeNull();
    const { balances } = await composeDigest(figures(), attached, attached);
    expect(balances).toEqual({ csv: attached, csvName: 'campaigns-2026-11-19-balances.csv' });
  });

  test('include a chart only where the HTML shows one', async () => {
    const busy = await composeDigest(busyWeek(), attached);
    expect(busy.chart).not.toBeNull();
    expect(busy.html).toContain('src="cid:chart@callsheet"');
    const first = await compose({});
    expect(first.chart).toBeNull();
    expect(first.html).not.toContain('cid:');
  });

  test('are the same for the same figures', async () => {
    expect(await composeDigest(busyWeek(), attached)).toEqual(await composeDigest(busyWeek(), attached));
  });
});

test.each([
  ['day', 'en-GB', 'Thu 19 Nov', 'Thursday 19 November 2026'],
  ['week', 'en-GB', 'Week of 16 Nov', 'Week of 16–22 November 2026'],
  ['month', 'en-GB', 'November 2026', 'November 2026'],
  ['day', 'es', 'jue 19 nov', 'Jueves 19 de noviembre de 2026'],
  ['week', 'es', 'semana del 16 nov', 'Semana del 16 al 22 de noviembre de 2026'],
  ['month', 'es', 'noviembre de 2026', 'Noviembre de 2026'],
] as const)('a digest of a %s in %s is named %s in its subject', async (every, locale, short, long) => {
  const given = figures({ period: periodOf(every, '2026-11-19'), locale });
  const { subject, text } = await composeDigest(given, attached);
  expect(subject).toContain(`Campaigns, ${short}: `);
  expect(text.split('\n')[1]).toBe(long);
});

test.each([
  ['Campaigns', 'day', 'campaigns-2026-11-19'],
  ['Campaigns', 'week', 'campaigns-2026-11-16-week'],
  ['Campaigns', 'month', 'campaigns-2026-11-month'],
  ['Año 2 / Coast', 'day', 'año-2-coast-2026-11-19'],
  ['../C:\\NUL\0\n~\u202e🎉 Ж字', 'day', '-c-nul-ж字-2026-11-19'],
] as const)('the files of %j of a %s are called %s: safe on every file system', (name, every, expected) => {
  expect(fileName({ name, period: periodOf(every, '2026-11-19') })).toBe(expected);
});
