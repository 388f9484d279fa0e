import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

/*
 * What a manager reads in thirty-six days: two campaigns begin and one ends, a holiday, a new office, half a list, a refused
 * token, weekends without calls. Each weekday on which attempts differ by a tenth has its cause in the sentence and in the
 * table.
 */

const [firstDay, lastDay] = ['2026-09-28', '2026-11-02'] as const;
const holiday = '2026-10-12';
const joined = '2026-10-14';
const halfListed = '2026-10-20';
const refused = '2026-10-27';

/** Attempts a weekday of the first office, and the share that connects. */
const campaigns: readonly (readonly [name: string, attempts: number, rate: number, from: Day, to: Day])[] = [
  ['Payment reminders', 2_400, 0.62, '', '9'],
  ['Appointment confirmations', 2_000, 0.66, '', '9'],
  ['Satisfaction survey', 1_700, 0.55, '', '9'],
  ['Delivery notices', 1_500, 0.6, '', '9'],
  ['Newsletter opt-in', 1_200, 0.52, '', '9'],
  ['Open invoices', 1_000, 0.57, '', '9'],
  ['Welcome calls', 800, 0.63, '', '9'],
  ['Service reminders', 700, 0.6, '', '9'],
  ['Renewals', 3_800, 0.58, '', '2026-10-22'],
  ['Spring renewals', 2_960, 0.58, '2026-10-05', '9'],
  ['Win back', 1_700, 0.3, '2026-10-19', '9'],
];

const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;

/** A little more or less on each day, the same whenever it is asked for. */
const wobble = (seed: number, size: number) => 1 + size * Math.sin(seed * 12.9898);

function listOf(account: string, accountNumber: number, day: Day): object[] {
  if (isWeekend(day)) return [];
  const number = daysBetween('2026-08-01', day).length;
  const of = (id: number, campaign: string, attempts: number, rate: number, noise: number) => {
    const share = day === holiday ? 0.33 : 1;
    const made = Math.round(attempts * share * wobble(31 * id + number, noise));
    return {
      callsetid: id,
      campaign,
      attempts: made,
      busies: Math.round(made / 10),
      connects: Math.round(made * rate * wobble(17 * id + 3 * number, 0.01)),
      liveanswers: Math.round(made / 3),
    };
  };
  if (account === 'north')
    return campaigns.flatMap(([name, attempts, rate, from, to], index) =>
      day < from || day > to.padEnd(10, '9') ? [] : of(index + 1, name, attempts, rate, 0.02),
    );
  const id = 100 * (accountNumber + 1);
  if (account === 'zaragoza') return [of(id, 'Zaragoza calls', 480, 0.58, 0.05)];
  return [of(id, `${account} reminders`, 150, 0.58, 0.1), of(id + 1, `${account} surveys`, 100, 0.58, 0.1)];
}

const offices = (count: number) => Array.from({ length: count - 1 }, (_, index) => `office-${index + 1}`);

type MailText = { readonly subject: string; readonly text: string; readonly html: string };

/** The mails of all days in a language, by the day. */
async function live(count: number): Promise<ReadonlyMap<string, ReadonlyMap<Day, MailText>>> {
  const names = ['north', ...offices(count), 'zaragoza'];
  let runDate = '';
  const world = await openWorld(
    scriptedService(names, (account, day) => {
      const isNewest = addDays(day, 1) === runDate;
      if (day === refused && isNewest && account === (count > 1 ? 'office-7' : 'zaragoza'))
        return { status: 401, body: 'expired' };
      const result = listOf(account, names.indexOf(account), day);
      const isHalf = day === halfListed && isNewest && account === 'north';
      const listed = isHalf ? result.slice(0, 5) : result;
      return { body: JSON.stringify({ campaigns: result.length, result: listed }) };
    }),
  );
  try {
    const all = JSON.parse(await readFile(world.environment.ACCOUNTS_FILE!, 'utf8')) as { name: string }[];
    const labels: { [name: string]: string } = { north: 'North office', zaragoza: 'Zaragoza' };
    const fileOf = async (some: readonly string[]) => {
      const file = path.join(world.folder, `accounts-${some.length}.json`);
      const listed = all.filter(({ name }) => some.includes(name));
      const labelled = listed.map((each) => ({
        ...each,
        label: labels[each.name] ?? each.name.replace('office-', 'Branch '),
      }));
      await writeFile(file, JSON.stringify(labelled), { mode: 0o600 });
      return file;
    };
    const before = await fileOf(names.slice(0, -1));
    const after = await fileOf(names);
    const digests = path.join(world.folder, 'digests.json');
    const digestOf = (locale: string) => ({
      name: `Managers ${locale}`,
      to: `${locale}@example.com`,
      locale,
    });
    await writeFile(digests, JSON.stringify(['en', 'es'].map(digestOf)));
    const settings = { RETRIES: '0', DIGEST_TO: '', DIGESTS_FILE: digests, CONCURRENCY: '8' };
    const firstNight = addDays(firstDay, 1);
    const history = {
      command: 'backfill',
      from: '2026-08-17',
      to: addDays(firstDay, -1),
      accounts: null,
    } as const;
    await atInstant(world, `${firstDay}T12:00:00Z`, (app) => backfill(app, history, never), {
      ...settings,
      ACCOUNTS_FILE: before,
    });
    const mails = new Map(['en', 'es'].map((locale) => [locale, new Map<Day, MailText>()]));
    for (const night of daysBetween(firstNight, addDays(lastDay, 1))) {
      runDate = night;
      const outbox = path.join(world.folder, night);
      await mkdir(outbox, { recursive: true });
      await runNight(world, night, {
        ...settings,
        OUTBOX_DIR: outbox,
        ACCOUNTS_FILE: addDays(night, -1) < joined ? before : after,
      });
      for (const name of await readdir(outbox)) {
        const [, locale, day] =
          /^managers-(en|es)-(\d{4}-\d\d-\d\d)-e[ns]@example.com\.eml$/.exec(name) ?? [];
        if (locale === undefined) continue;
        const { subject, text, html } = await PostalMime.parse(await readFile(path.join(outbox, name)));
        mails.get(locale)!.set(day!, { subject: subject!, text: text!, html: html! });
      }
    }
    return mails;
  } finally {
    await world.close();
  }
}

type Expected = {
  readonly days: readonly Day[];
  readonly sentence: RegExp;
  readonly rows: readonly RegExp[];
};

const spring = /^ *[\d.,]+ +[\d.,]+ \(\+[\d.,]+\).* Spring renewals \(.*(since Oct 5|desde el 5 oct)/m;
const winBack = /^ *[\d.,]+ +[\d.,]+ \(\+[\d.,]+\).* Win back \(.*(since Oct 19|desde el 19 oct)/m;
const renewals =
  /^ *[\d.,]+ +0 \(−[\d.,]+\).* Renewals \(.*(none since Oct 22|sin llamadas desde el 22 oct)/m;
const weekdays = (from: Day, to: Day) => daysBetween(from, to).filter((day) => !isWeekend(day));

/** What is to be read on each weekday, in either language, by what really happened. */
const expected: readonly Expected[] = [
  { days: weekdays(firstDay, '2026-10-02'), sentence: /^(A normal \w+day|Un \S+ normal): /, rows: [] },
  {
    days: [...weekdays('2026-10-05', '2026-10-09'), ...weekdays('2026-10-13', '2026-10-16')],
    sentence: /\d\d\s?% (more attempts|más de intentos).* Spring renewals \(.*(since Oct 5|desde el 5 oct)\)/,
    rows: [spring],
  },
  {
    days: [holiday],
    sentence:
      /^(6\d% fewer attempts .*: fewer in \d+ of \d+ campaigns\.|Un 6\d\s% menos de intentos .*: menos en \d+ de \d+ campañas\.)/,
    rows: [],
  },
  {
    days: ['2026-10-19', '2026-10-21', '2026-10-22'],
    sentence: /\d\d\s?% (more attempts|más de intentos).* (Spring renewals|Win back) \(.*(since|desde el) /,
    rows: [spring, winBack],
  },
  {
    days: [halfListed],
    sentence: /(too low|por debajo de lo real): North office: .*6 (of|de) 11/,
    rows: [],
  },
  {
    days: ['2026-10-23', ...weekdays('2026-10-26', '2026-10-29')],
    sentence: / Renewals \(North office, −[\d.,]+, (none since Oct 22|sin llamadas desde el 22 oct)\)/,
    rows: [renewals, winBack],
  },
];

/** Mail programs show the first screens of a mail, and cut what is over 102 kB. */
const maxBytes = 100_000;

describe.concurrent.each([1, 40])('of %i offices', (count) => {
  it('each weekday has a mail that says what happened and why', async () => {
    const mails = await live(count);
    const problems: string[] = [];
    for (const [locale, own] of mails) {
      for (const { days, sentence, rows } of expected)
        for (const day of days) {
          const { subject, text } = own.get(day)!;
          const [beginning, table = ''] = text.split(/^(?:WHAT MOVED|QUÉ HA CAMBIADO)$/m);
          const mail = `${locale} ${day}: ${subject}\n${beginning!.split('\n').slice(2, 9).join('\n')}\n${table.slice(0, 600)}`;
          if (!beginning!.split('\n').some((line) => sentence.test(line)))
            problems.push(`${sentence}\n${mail}`);
          for (const row of rows) if (!row.test(table)) problems.push(`${row}\n${mail}`);
        }
      // The share of the change that the subject or the tile shows: no day of a tenth or more is left out above.
      for (const [day, { text }] of own)
        if (
          /^(Without [^,]*, |Sin [^,]*, un )?(\d\d)\s?% /im.test(text) &&
          !expected.some(({ days }) => days.includes(day))
        )
          problems.push(`${day} has no cause to look for`);
      const news = [...own].filter(([, { text }]) => /^(NEEDS ATTENTION|REQUIERE ATENCIÓN)$/m.test(text));
      if (news.map(([day]) => day).join() !== joined)
        problems.push(`${locale}: attention on ${news.map(([day]) => day)}`);
      const marked = [...own].filter(([, { subject }]) => /^(Incomplet|Provisional)/.test(subject));
      if (marked.map(([day]) => day).join() !== halfListed)
        problems.push(`${locale}: marked ${marked.map(([day]) => day)}`);
      if (!/(Without|Sin) .*Zaragoza/.test(own.get(joined)!.text))
        problems.push(`${locale}: nobody says who is new`);
      for (const [day, { html }] of own)
        if (Buffer.byteLength(html) > maxBytes) problems.push(`${locale} ${day}: ${html.length} letters`);
    }
    await keep(count, mails);
    expect(problems).toEqual([]);
  });
});

/** Keeps the mails for somebody who reads them. */
async function keep(count: number, mails: Awaited<ReturnType<typeof live>>): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const [locale, own] of mails)
    for (const [day, { subject, text, html }] of own) {
      const file = path.join(folder, `${count}-${locale}-${day}`);
      await writeFile(`${file}.txt`, `${subject}\n\n${text}`);
      await writeFile(`${file}.html`, html);
    }
}
