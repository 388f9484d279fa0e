import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

/*
 * What a manager reads in thirty-six days: two campaigns begin on one day, another one begins and one ends, a holiday, a new
 * office, half a list, a refused token, weekends without calls. manager.txt has each weekday on which attempts differ by a
 * tenth: what happened, and what the mails say of it.
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
  ['Win-back A', 1_385, 0.58, '2026-10-05', '9'],
  ['Win-back B', 1_580, 0.58, '2026-10-05', '9'],
  ['Reminders', 1_700, 0.3, '2026-10-19', '9'],
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
      if (day === refused && isNewest && account === (count > 2 ? 'office-7' : 'zaragoza'))
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

const weekdays = (from: Day, to: Day) => daysBetween(from, to).filter((day) => !isWeekend(day));

type Known = { readonly what: string; readonly days: readonly Day[]; readonly named: RegExp };

/** What happened on weekdays that are unlike those before, and how mails name it in either language. */
const known: readonly Known[] = [
  {
    what: 'Win-back A and B began on 5 Oct',
    days: [...weekdays('2026-10-05', '2026-10-09'), ...weekdays('2026-10-13', '2026-10-16')],
    named:
      /Win-back B \(.*(5 Oct|Oct 5|5 oct)\) (and|y) Win-back A \(.*(5 Oct|Oct 5|5 oct)\)|Win-back A \(.*(5 Oct|Oct 5|5 oct)\) (and|y) Win-back B \(.*(5 Oct|Oct 5|5 oct)\)/,
  },
  {
    what: 'a holiday: all campaigns made a third',
    days: [holiday],
    named: /, in most campaigns\.$|, en la mayoría de las campañas\.$/,
  },
  {
    what: 'Reminders began on 19 Oct, at 30%; Win-back A and B on 5 Oct',
    days: ['2026-10-19', '2026-10-21', '2026-10-22'],
    named: /Reminders \(/,
  },
  {
    what: 'Renewals ended on 22 Oct',
    days: ['2026-10-23', ...weekdays('2026-10-26', '2026-10-29')],
    named: /Renewals \(.*(none since Oct 22|sin llamadas desde el 22 oct)/,
  },
];

/** Mail programs show the first screens of a mail, and cut what is over 102 kB. */
const maxBytes = 100_000;

it('each weekday on which attempts differ by a tenth has a mail that says why, with one office, two and forty-one', async () => {
  const counts = [1, 2, 40];
  const lives = await Promise.all(counts.map(live));
  const problems: string[] = [];
  const sections: string[] = [];
  for (const [index, mails] of lives.entries()) {
    const count = counts[index]!;
    const say = (locale: string, day: Day) => {
      const { subject, text } = mails.get(locale)!.get(day)!;
      return [subject, text.split('\n')[2]!];
    };
    const lines: string[] = [];
    for (const { what, days, named } of known)
      for (const day of days) {
        const said = ['en', 'es'].map((locale) => say(locale, day));
        for (const [, sentence] of said)
          if (!named.test(sentence!)) problems.push(`${count} ${day}: ${sentence}`);
        lines.push([`${day}  ${what}`, ...said.flat().map((line) => `    ${line}`)].join('\n'));
      }
    sections.push(
      `# ${count === 1 ? '1 office' : `${count} offices`}, and Zaragoza from 14 Oct on\n\n${lines.join('\n')}`,
    );
    problems.push(...problemsOf(count, mails));
    await keep(count, mails);
  }
  expect(problems).toEqual([]);
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('manager.txt');
});

function problemsOf(count: number, lived: Awaited<ReturnType<typeof live>>): string[] {
  const problems: string[] = [];
  for (const [locale, own] of lived) {
    const changed = (day: Day) => known.some(({ days }) => days.includes(day));
    for (const [day, { subject, text, html }] of own) {
      const says = `${count} ${locale} ${day}: ${subject}`;
      // No day of a tenth or more is left out above.
      const [, percent] = /\([+−](\d+)\s?%\)$/.exec(subject) ?? [];
      if (Number(percent ?? 0) >= 10 && !changed(day)) problems.push(`${says} has no known cause`);
      const attention = /^(Needs attention|Requiere atención)$/m.test(text);
      if (attention !== (day === joined)) problems.push(`${says} has attention ${attention}`);
      const isMarked = /^(Incomplet|Provisional)/.test(subject);
      if (isMarked !== (day === halfListed)) problems.push(`${says} is marked ${isMarked}`);
      if (Buffer.byteLength(html) > maxBytes) problems.push(`${says} has ${html.length} letters`);
    }
    if (!/(Without|Sin) .*Zaragoza/.test(own.get(joined)!.text))
      problems.push(`${locale}: nobody says who is new`);
    if (!/(too low|por debajo de lo real): North office: .*7 (of|de) 12/.test(own.get(halfListed)!.text))
      problems.push(`${locale}: nobody says what half a list lacks`);
    // Of one weekend nobody knows yet that it is quiet.
    const weekends = [...own.keys()].filter((day) => isWeekend(day));
    if (weekends.length > 0) problems.push(`${locale}: mails about ${weekends}`);
  }
  return problems;
}

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
