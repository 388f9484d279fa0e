import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, yesterday } from '../../../src/model/day.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { stories } from '../../../src/simulator/stories.ts';
import type { StoryEvent } from '../../../src/simulator/story.ts';
import { formatDay } from '../../../src/support/english.ts';
import { commandNames, root } from '../../deploy/known.ts';
import { callsheet, startCallsheet } from '../../support/callsheet.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { inTerminal } from '../../support/terminal.ts';

let folder: string;
let onTerminal: string;
beforeAll(async () => {
  folder = await scratchFolder('callsheet-demo-');
  onTerminal = await inTerminal(80, ['demo'], { TERM: 'xterm-256color' }, folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const last = yesterday(Temporal.Now.instant(), 'UTC');
const demo = (...place: string[]) => path.join(folder, '.callsheet/demo', ...place);

/** What stays on the terminal, line by line. */
const shown = (written: string) =>
  written.split('\r\n').map((line) => stripVTControlCharacters(line.split('\u001B[2K').at(-1)!));

it('shows progress on a terminal, and no line of a log, within its width', () => {
  expect(onTerminal).toMatch(/━.* of 105 windows/);
  expect(onTerminal).not.toMatch(/INFO|WARN|ERROR/);
  const lines = shown(onTerminal);
  expect(lines.slice(0, 3)).toEqual([
    'Starting a simulated service and a private Postgres',
    'Loading five weeks of campaigns',
    '',
  ]);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

it('leaves a mail with five weeks behind it, a restated day, a held one, and a mail that lacks its account', async () => {
  const [manager, valley] = await Promise.all(['campaigns', 'valley'].map(readMail));
  expect(manager!.html).toMatch(/The last 14 days.*<img/s);
  expect(manager!.text).toMatch(/^Attempts: .*[+−]\d+%\)$/m);
  expect(manager!.text).toMatch(/^Compared with a typical \w+\.$/m);
  expect(manager!.text).toMatch(/^Corrected: .*, not .* \(coast/m);
  expect(manager!.text).toMatch(/Held back, north, /);
  expect(manager!.subject).not.toContain('Incomplete');
  expect(valley!.subject).toMatch(/^Incomplete: /);
});

/** The mail of the last night with that digest; what it shows as a page is what was mailed. */
async function readMail(digest: string) {
  const to = digest === 'valley' ? 'valley' : 'manager';
  const file = demo('mails', addDays(last, 1), `${digest}-${last}-${to}`);
  const mail = await PostalMime.parse(await readFile(`${file}@example.com.eml`));
  const page = await readFile(`${file}.html`, 'utf8');
  expect(page.replace(/data:image\/png;base64,[\w+/=]+/, 'cid:chart@callsheet')).toBe(mail.html);
  return mail;
}

it('with --nights 14, lives through a bad fortnight: a row a night, and its mails in a folder a day', async () => {
  const { code, stdout, stderr } = await callsheet(['demo', '--nights', '14'], {}, folder);
  expect([code, stderr]).toEqual([0, '']);
  const [, table] = /^\nNight [^\n]*\n(.*?)\n\nOpen in a browser:/s.exec(stdout)!;
  const rows = table!.split(/\n(?=\w)/);
  expect(rows).toHaveLength(14);
  const text = rows.map((row) => row.replaceAll(/\s+/g, ' '));
  expect(text[3]).toMatch(/ down for 2 h 12 runs, \d+ days manager, loaded valley$/);
  expect(text[4]).toMatch(/ the machine is off no run nobody$/);
  expect(text[7]).toMatch(/ killed at request 20 2 runs, \d+ days loaded ops, manager, valley$/);
  expect(text[8]).toContain('15 runs');
  const days = await readdir(demo('mails'));
  // Nothing is mailed without a run, or while the mail server is down.
  const silent = new Set([4, 8].map((night) => addDays(last, night - 12)));
  expect(days).toEqual(rows.map((_, night) => addDays(last, night - 12)).filter((day) => !silent.has(day)));
  for (const day of days)
    expect(await readdir(demo('mails', day))).toContainEqual(expect.stringMatching(/\.html$/));
  const page = await readFile(demo('page/index.html'), 'utf8');
  expect(page).toContain('Token refused: valley');
  expect(page).toContain('to use the commands below, first type npm start -- init.');
  expect(await readFile(demo('page/style.css'), 'utf8')).toContain('--');
});

describe('README says what a bad night costs, and Callsheet', () => {
  const { nights } = stories['bad-fortnight']!;
  const nightWith = (event: StoryEvent['event']) =>
    nights.findIndex((events) => events.some((each) => each.event === event));
  const dateOf = (night: number) => addDays(last, night + 2 - nights.length);
  /** The subjects of the digests of a night. */
  async function subjectsOf(night: number): Promise<string[]> {
    const names = await readdir(demo('mails', dateOf(night)));
    const files = names.filter((name) => name.endsWith('.eml') && !name.startsWith('alert-'));
    const read = async (name: string) => await readFile(demo('mails', dateOf(night), name));
    const mails = await Promise.all(files.map(async (name) => await PostalMime.parse(await read(name))));
    return mails.map(({ subject }) => subject!);
  }
  const whole = /^(Campaigns|Valley), /;
  async function alertOf(night: number): Promise<string> {
    const file = demo('mails', dateOf(night), `alert-${dateOf(night)}-ops@example.com.eml`);
    return (await PostalMime.parse(await readFile(file))).text!;
  }

  /** By the words of README's row: the night of the story, and what its mails show. */
  const rows: Readonly<Record<string, () => Promise<void>>> = {
    'the service corrects an older day': async () => {
      const night = nightWith('late correction');
      const mail = demo('mails', dateOf(night), `campaigns-${dateOf(night - 1)}-manager@example.com.eml`);
      const { text } = await PostalMime.parse(await readFile(mail));
      expect(text).toMatch(/^Corrected: .*, not .* \(coast/m);
    },
    'the service lists half of a day': async () => {
      const night = nightWith('half listed');
      expect(await subjectsOf(night)).toContainEqual(expect.stringMatching(/^Provisional: Campaigns, /));
      const next = demo('mails', dateOf(night + 1), `campaigns-${dateOf(night)}-manager@example.com.eml`);
      const { text } = await PostalMime.parse(await readFile(next));
      expect(text).toMatch(
        new RegExp(`^Corrected: ${formatDay(dateOf(night - 1))} had .* \\(north\\)\\.$`, 'm'),
      );
    },
    'the service is down for two hours': async () => {
      const night = nightWith('outage');
      expect(nights[night]).toEqual([{ event: 'outage', hours: 2 }]);
      const subjects = await subjectsOf(night);
      expect(subjects).toEqual([expect.stringMatching(whole), expect.stringMatching(whole)]);
    },
    'the machine is off': async () => {
      const night = nightWith('no run');
      const [campaigns] = await subjectsOf(night + 1);
      expect(campaigns).toMatch(whole);
      const mail = demo('mails', dateOf(night + 1), `campaigns-${dateOf(night)}-manager@example.com.eml`);
      const { text } = await PostalMime.parse(await readFile(mail));
      expect(text).toMatch(new RegExp(`^${formatDay(dateOf(night - 1))}: [\\d.]+% connected, `, 'm'));
    },
    'the job is killed halfway': async () => {
      const subjects = await subjectsOf(nightWith('killed'));
      expect(subjects).toEqual([expect.stringMatching(whole), expect.stringMatching(whole)]);
    },
    'a mailbox refuses the mail': async () => {
      expect(await alertOf(nightWith('recipient refused'))).toMatch(
        /Mail server refuses the recipient \(550\): manager@example\.com(.|\n)*"550 5\.1\.1 mailbox unavailable"/,
      );
    },
    'the token expires': async () => {
      const { token } = generateDataset().accounts.find(({ name }) => name === 'valley')!;
      expect(await alertOf(nightWith('token refused'))).toMatch(
        /Token refused: valley(.|\n)*for a new token, and write it to/,
      );
      expect(await readFile(demo('accounts.json'), 'utf8')).toContain(token);
      const folders = ['mails', 'page'].map((name) => demo(name));
      const files = await Promise.all(
        folders.map((each) => readdir(each, { recursive: true, withFileTypes: true })),
      );
      const shown = files.flat().filter((file) => file.isFile());
      expect(shown.length).toBeGreaterThan(50);
      for (const { parentPath, name } of shown)
        expect([name, (await readFile(path.join(parentPath, name))).includes(token)]).toEqual([name, false]);
    },
    "a record can't be read": async () => {
      const night = nightWith('unreadable records');
      expect(await alertOf(night)).toMatch(/Records can't be read: coast/);
      expect(await subjectsOf(night)).toContainEqual(expect.stringMatching(/^(Provisional: )?Campaigns, /));
    },
  };

  it.each(Object.entries(rows))('%s', async (_, shown) => shown());

  it('in no further row', async () => {
    const readme = await readFile(path.join(root, 'README.md'), 'utf8');
    const table = /^\| night .*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme)![1]!;
    expect([...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, night]) => night)).toEqual(Object.keys(rows));
  });
});

it('with --keep, prints what to look at and to type, and serves page and service until it is interrupted', async () => {
  const child = startCallsheet(['demo', '--keep'], {}, folder);
  const errors = text(child.stderr);
  let printed = '';
  child.stdout.setEncoding('utf8');
  for await (const piece of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += piece;
    if (printed.includes('psql')) break;
  }
  const pages = printed.match(/\S+\.html$/gm)!;
  expect(pages.map((page) => path.basename(page))).toEqual([
    `alert-${addDays(last, 1)}-ops.html`,
    `campaigns-${last}-manager.html`,
    `valley-${last}-valley.html`,
  ]);
  for (const page of pages)
    expect(await readFile(path.join(folder, page), 'utf8')).toMatch(/^<!doctype html>/i);
  expect(await readFile(path.join(folder, pages[0]!), 'utf8')).toContain('Callsheet demo');
  const rows = [...printed.matchAll(/^ {2}coast +(\S+) +(\d+) +(\d+)$/gm)];
  expect(new Set(rows.map(([, day]) => day))).toEqual(new Set([addDays(last, -2)]));
  for (const [, , before, now] of rows) expect(Number(now)).toBeGreaterThan(Number(before));
  const typed = [...printed.matchAll(/^ {4}npm start -- (\w+)/gm)].map(([, name]) => name!);
  expect(typed).not.toEqual([]);
  expect(commandNames()).toEqual(expect.arrayContaining(typed));
  const [, page] = /the operator's page\n {4}(\S+)/.exec(printed)!;
  const html = await (await fetch(page!)).text();
  expect(html).toContain('Token refused: valley');
  expect(html).toMatch(/Figures kept: [^<]* \(\w+, \d{1,2} \w{3,4}\)</);
  expect(html).toContain(
    `--day ${addDays(last, -1)}`
      .split(' ')
      .map((word) => `<span>${word}</span>`)
      .join(' '),
  );
  const [, url, sidtoken] = /init --url (\S+)\n {2}its session token\n {4}(\S+)/.exec(printed)!;
  const response = await fetch(`${url}/getClients.wr?${new URLSearchParams({ sidtoken: sidtoken! })}`);
  expect(response.status).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([143, null]);
  expect(await errors).toBe('callsheet: interrupted by SIGTERM; run the same command to continue\n');
});
