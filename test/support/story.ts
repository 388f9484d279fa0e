import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import PostalMime from 'postal-mime';
import { addStatus } from '../../src/cli/commands/status.ts';
import { createLiveLine } from '../../src/cli/progress/live-line.ts';
import type { RunReport } from '../../src/job/run/run.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import type { AccountStatus } from '../../src/warehouse/queries/status.ts';
import { type Metric, parseExposition } from '../server/exposition.ts';
import { serve } from '../server/site.ts';
import { never } from './nights.ts';
import type { World } from './world.ts';

/**
 * What somebody who looks there learns: `coast 2026-11-21 gap` (or `not refreshed`, `held`, `suspicious`),
 * `coast client list incomplete` (or `unbelievable`), `coast quarantine`, `mail`.
 */
type Facts = readonly string[];

/** `undone`: why the next run has something to do. */
type Status = { readonly code: number; readonly text: string; readonly facts: Facts; readonly undone: Facts };
/** `settled`: of the suspicious days, those that the service has said twice. */
type Page = { readonly tone: string; readonly text: string; readonly facts: Facts; readonly settled: Facts };
type Metrics = { readonly lastExitCode: number | undefined; readonly counts: ReadonlyMap<string, number> };
/** Null without an alert mail. */
type Alert = Facts | null;

/**
 * Where `status` (exit code, JSON and text), the page, `/metrics`, the alert mail and the exit code of a run tell
 * different stories, in words; empty where they agree. To be asked right after a full run of today that writes its
 * alerts to the world's outbox: all of these look at every day up to yesterday, by the database's clock.
 */
export async function contradictions(
  world: Pick<World, 'environment' | 'databaseUrl' | 'outbox'>,
  report: RunReport,
): Promise<string[]> {
  const site = await serve(world.databaseUrl);
  const page = readPage(await site.text('/'));
  const metrics = readMetrics(parseExposition(await site.text('/metrics')));
  await site.close();
  const status = await readStatus(world);
  const alert = await readAlert(world, report);
  return [
    ...differences('status', status.facts, 'page', page.facts),
    ...differences('status', alerted(status.facts, page), 'alert', alert ?? []),
    ...countDifferences(status.facts, metrics.counts),
    ...paragraphsOf(status.text)
      .filter((line) => !page.text.includes(line))
      .map((line) => `page lacks: ${line}`),
    ...tones(report.exitCode, { status, page, metrics, alert }),
  ];
}

/** Codes, colours and mails: each follows from the facts, and none is there without the others. */
function tones(
  exitCode: number,
  { status, page, metrics, alert }: { status: Status; page: Page; metrics: Metrics; alert: Alert },
): string[] {
  const { code, facts, undone } = status;
  const needsSomebody = undone.length > 0 || facts.some((fact) => fact.endsWith('unbelievable'));
  const rules: readonly (readonly [boolean, string])[] = [
    [(exitCode !== 0) === undone.length > 0, `run ends with ${exitCode}, undone is [${undone}]`],
    [(code === 75) === needsSomebody, `status ends with ${code} with [${facts}], undone is [${undone}]`],
    [(page.tone === 'good') === (facts.length === 0), `page is ${page.tone} with [${facts}]`],
    [code === 75 || page.tone !== 'bad', `status ends with ${code}, page is bad`],
    [code === 0 || alert !== null, `status ends with ${code}, and there is no alert`],
    [
      metrics.lastExitCode === exitCode,
      `run ends with ${exitCode}, by its metric with ${metrics.lastExitCode}`,
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, text]) => text);
}

/**
 * What an alert mail has of them, in its words: a failed attempt is one, whether the day was loaded before or not.
 * Quarantine is in the digest, and nobody is woken up for it; what the service has said twice is alerted no longer.
 */
const alerted = (facts: Facts, { settled }: Page): Facts =>
  facts
    .filter((fact) => !fact.endsWith('quarantine') && !settled.includes(fact))
    .map((fact) => fact.replace('not refreshed', 'gap'));

function differences(name: string, facts: Facts, otherName: string, others: Facts): string[] {
  const [own, other] = [new Set(facts), new Set(others)];
  return [
    ...[...own.difference(other)].map((fact) => `${name} has "${fact}", ${otherName} doesn't`),
    ...[...other.difference(own)].map((fact) => `${otherName} has "${fact}", ${name} doesn't`),
  ];
}

/** The metrics have no days: how many there are of each kind, by account. */
function countDifferences(facts: Facts, counts: Metrics['counts']): string[] {
  const expected = Map.groupBy(facts, withoutDay);
  return [...new Set([...expected.keys(), ...counts.keys()])]
    .filter((kind) => (expected.get(kind)?.length ?? 0) !== (counts.get(kind) ?? 0))
    .map(
      (kind) =>
        `status has "${kind}" ${expected.get(kind)?.length ?? 0} times, metrics ${counts.get(kind) ?? 0}`,
    );
}

const dayPattern = /\d{4}-\d\d-\d\d/g;
const withoutDay = (fact: string) => fact.replace(/ \d{4}-\d\d-\d\d/, '');

async function readStatus({ environment }: Pick<World, 'environment'>): Promise<Status> {
  const [json, text] = [await runStatus(environment, '--json'), await runStatus(environment)];
  if (json.code !== text.code) throw new Error('status ends with another code with --json');
  const { accounts, unsent } = JSON.parse(json.printed) as { accounts: AccountStatus[]; unsent: unknown[] };
  const facts = accounts.flatMap(({ account, gaps, notRefreshed, held, suspicious, quarantined, walk }) => [
    ...gaps.map((day) => `${account} ${day} gap`),
    ...notRefreshed.map((day) => `${account} ${day} not refreshed`),
    ...held.map((day) => `${account} ${day} held`),
    ...suspicious.map((day) => `${account} ${day} suspicious`),
    ...(text.printed.includes(`${account}: no complete walk over`)
      ? [`${account} client list incomplete`]
      : []),
    ...(walk.unbelievableSince === null ? [] : [`${account} client list unbelievable`]),
    ...(quarantined > 0 ? [`${account} quarantine`] : []),
  ]);
  if (unsent.length > 0) facts.push('mail');
  const undone = facts.filter((fact) => / gap$| not refreshed$| list incomplete$|^mail$/.test(fact));
  const disagreeing = accounts.flatMap(({ account, disagreeing }) =>
    disagreeing.map((day) => `${account} ${day} disagreeing`),
  );
  return { code: json.code, text: text.printed, facts, undone: [...undone, ...disagreeing] };
}

/** The command itself, in this process: seventy more of them would take longer than what they look at. */
async function runStatus(environment: World['environment'], ...options: string[]) {
  let code = 0;
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addStatus(program, {
    command: 'status',
    environment: { ...environment, LOG_LEVEL: 'silent' },
    signal: never,
    redactor: createRedactor(),
    live: createLiveLine(process.stderr),
    print: (text) => printed.push(text),
    end: (ended) => {
      code = ended;
    },
  });
  await program.parseAsync(['status', ...options], { from: 'user' });
  return { code, printed: printed.join('\n') };
}

/** What the text of `status` says of accounts, without the commands, which the page writes for the image. */
const paragraphsOf = (text: string): string[] =>
  text.split('\n\n').flatMap((paragraph) => /^[\w-]+: [^\n]*?(?=: npm start|$)/.exec(paragraph)?.[0] ?? []);

function readPage(html: string): Page {
  const text = html
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
  const cells = [...html.matchAll(/<a class="([^"]*)" href="\/days\/([\d-]+)\/([^"]+)"/g)].map(
    ([, classes, day, account]) => ({
      marks: classes!.split(' '),
      of: `${decodeURIComponent(account!)} ${day}`,
    }),
  );
  const marked = (...marks: string[]) =>
    cells.filter((cell) => marks.some((mark) => cell.marks.includes(mark)));
  const suspicious = marked('suspicious');
  const quarantine = /<h2>Quarantine<\/h2>[\s\S]*?<\/section>/.exec(html)![0];
  const mail = /<h2>Mail<\/h2>[\s\S]*?<\/section>/.exec(html)![0];
  const facts = [
    ...marked('failed', 'missing', 'provisional').map(({ of }) => `${of} gap`),
    ...marked('held').map(({ of }) => `${of} held`),
    ...suspicious.map(({ of }) => `${of} suspicious`),
    ...[...text.matchAll(/^([\w-]+): loaded before, but the last attempt failed: ([\d, -]+)\./gm)].flatMap(
      ([, account, days]) => days!.split(', ').map((day) => `${account} ${day} not refreshed`),
    ),
    ...listFacts(text),
    ...[...quarantine.matchAll(/<strong>([\w-]+)/g)].map(([, account]) => `${account} quarantine`),
    ...(mail.includes('class="badge') ? ['mail'] : []),
  ];
  const settled = suspicious
    .filter(({ marks }) => !marks.includes('settling'))
    .map(({ of }) => `${of} suspicious`);
  return { tone: /class="status (\w+)"/.exec(html)![1]!, text, facts, settled };
}

/** The same words in alert, `status` and page. */
const listFacts = (text: string): string[] => [
  ...[...text.matchAll(/^([\w-]+): no complete walk over/gm)].map(
    ([, account]) => `${account} client list incomplete`,
  ),
  ...[...text.matchAll(/^([\w-]+): [\d,]+ clients? (?:is|are) missing/gm)].map(
    ([, account]) => `${account} client list unbelievable`,
  ),
];

function readMetrics(metrics: ReadonlyMap<string, Metric>): Metrics {
  const counts = new Map<string, number>();
  const samplesOf = (name: string) => metrics.get(`callsheet_${name}`)?.samples ?? [];
  const add = (kind: string, value: number) => value > 0 && counts.set(kind, (counts.get(kind) ?? 0) + value);
  for (const { labels, value } of samplesOf('windows'))
    if (labels.state !== 'loaded') add(`${labels.account} gap`, value);
  for (const { labels, value } of samplesOf('flagged_windows'))
    if (['held', 'suspicious', 'not_refreshed'].includes(labels.flag!))
      add(`${labels.account} ${labels.flag!.replace('_', ' ')}`, value);
  for (const { labels, value } of samplesOf('client_list_alerts'))
    add(`${labels.account} client list ${labels.alert}`, value);
  for (const { labels, value } of samplesOf('rejects_total'))
    add(`${labels.account} quarantine`, Math.min(value, 1));
  const unsent = samplesOf('unsent_deliveries').reduce((sum, { value }) => sum + value, 0);
  add('mail', Math.min(unsent, 1));
  return { lastExitCode: samplesOf('last_run_exit_code')[0]?.value, counts };
}

/** The alert mail of this run; a folder may hold those of runs before. */
async function readAlert({ outbox }: Pick<World, 'outbox'>, { stats }: RunReport): Promise<Alert> {
  if (stats.alerts.sent === 0) return null;
  const files = (await readdir(outbox)).filter((file) => /^alert-.*\.eml$/.test(file));
  const times = await Promise.all(files.map(async (file) => (await stat(path.join(outbox, file))).mtimeMs));
  const latest = files[times.indexOf(Math.max(...times))]!;
  const { text } = await PostalMime.parse(await readFile(path.join(outbox, latest)));
  const things = text!
    .split('\n\n')
    .flatMap((block) => (block.includes('\n  To type:  ') ? [block.split('\n')[0]!] : []));
  return things.flatMap(alertFacts);
}

/** What one thing of an alert mail says: its first line. */
function alertFacts(what: string): string[] {
  const days = what.match(dayPattern) ?? [];
  const incomplete = /^.+ of ([\d-]+) went out incomplete: (.+) missing$/.exec(what);
  if (incomplete) return incomplete[2]!.split(', ').map((account) => `${account} ${incomplete[1]} gap`);
  const lists = listFacts(what);
  if (lists.length > 0) return lists;
  const account = what.split(':')[0]!;
  if (what.includes('is held back')) return [`${account} ${days[0]} held`];
  if (what.includes('but may be wrong')) return [`${account} ${days[0]} suspicious`];
  if (/messages? waits?, up to| to \S+@\S+: /.test(what)) return ['mail'];
  // An error of the account, of its list or of days.
  const list = /for clients|^[^:]*: walk incomplete$/.test(what) ? [`${account} client list incomplete`] : [];
  const facts = [...list, ...days.map((day) => `${account} ${day} gap`)];
  return facts.length > 0 ? facts : [what];
}
