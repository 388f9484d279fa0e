import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DemoWorld, LivedNight } from '../job/demo/demo-world.ts';
import { nonzero, type RunStats } from '../job/run/run-stats.ts';
import { asTyped } from '../support/commands.ts';
import { formatDay, plural } from '../support/english.ts';
import { restatedFiguresSql } from '../warehouse/queries/restatements.ts';
import { describeEvents } from './print-story.ts';
import { formatTable, type Row } from './table.ts';
import { wrap } from './wrap.ts';

/** Shares of the width for the texts of a night. */
const shares = [0.4, 0.36, 0.24];
const dateWidth = 12;

/** Describes nights in a table of `width` characters. */
export function demoTable(width: number) {
  const widths = shares.map((share) => Math.floor((width - dateWidth) * share));
  const row = (date: string, cells: readonly string[]) => {
    const columns = cells.map((cell, index) => wrap(cell, widths[index]! - 2));
    const height = columns.reduce((most, { length }) => Math.max(most, length), 0);
    return Array.from({ length: height }, (_, line) =>
      [line === 0 ? date : '', ...columns.map((column) => column[line] ?? '')]
        .map((text, index) => text.padEnd(index === 0 ? dateWidth : widths[index - 1]!))
        .join('')
        .trimEnd(),
    ).join('\n');
  };
  return {
    heading: row('Night', ['What happened', 'What Callsheet did', 'Who got mail']),
    night: ({ date, events, runs, mails }: LivedNight) =>
      row(formatDay(date), [describeEvents(events, date), describeRuns(runs), describeMails(mails)]),
  };
}

function describeRuns(runs: LivedNight['runs']): string {
  const [last] = runs;
  if (last === undefined) return 'no run';
  // A killed run leaves no summary; the one that was started again has what is left.
  const stats = runs.flatMap(({ summary }) => (summary === null ? [] : [summary as RunStats]));
  const sum = (count: (stats: RunStats) => number) => stats.reduce((total, each) => total + count(each), 0);
  const { windows, failures } = stats[0]!;
  return nonzero([
    [runs.length > 1 ? runs.length : 0, 'runs'],
    [sum((each) => each.windows.loaded), 'loaded', 'day'],
    [sum((each) => each.windows.healed), 'healed'],
    [windows.held, 'held'],
    [failures.length, plural(failures.length, 'error')],
    [sum(({ rows }) => rows.restated), 'restated', 'campaign'],
    [sum((each) => each.rejects), 'in quarantine', 'record'],
    [sum(({ clients }) => clients.absent), 'absent', 'client'],
  ])
    .concat(last.exitCode ? [`exit code ${last.exitCode}`] : [])
    .join(', ');
}

/** `manager (2), ops`: the first part of each address, with the number of mails. */
function describeMails(mails: LivedNight['mails']): string {
  const byRecipient = Map.groupBy(mails, ({ to }) => to.split('@')[0]!);
  const names = [...byRecipient].map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`));
  return names.length === 0 ? 'nobody' : names.join(', ');
}

/** Shown at the end of `demo`. */
export type DemoResult = {
  readonly nights: readonly LivedNight[];
  /** The folder of all mails. */
  readonly mails: string;
  /** The rows of `restatedFiguresSql`. */
  readonly restated: readonly Row[];
  /** A file, or its address with `--keep`. */
  readonly page: string;
  /** Addresses of what else `--keep` leaves running; null without `--keep`. */
  readonly kept: { readonly database: string; readonly service: DemoWorld['service'] } | null;
};

/** Describes where to look. Addresses and commands are never broken. */
export function describeDemo({ nights, mails, restated, page, kept }: DemoResult): string {
  const last = nights.at(-1)!;
  return [
    '\nLook at:\n',
    ...last.mails.map(({ to, page }) => below(`the last night's mail to ${to}`, pathToFileURL(page).href)),
    ...(nights.length > 1
      ? [
          below(
            'the mails of all nights, lived through just now: "Updated" in them is today',
            pathToFileURL(`${path.resolve(mails)}/`).href,
          ),
        ]
      : []),
    below("the operator's page", page),
    '\nWhich figures changed after they had been loaded:\n',
    indent(restatedFiguresSql),
    '',
    indent(formatTable(restated)),
    '',
    ...(kept === null ? nextCommands(nights.length) : keptCommands(kept)),
  ].join('\n');
}

const nextCommands = (nights: number) => [
  'Next:\n',
  ...(nights < 14 ? [below('a bad fortnight, night by night', asTyped('demo', '--nights', '14'))] : []),
  below("the same, and serve the operator's page", asTyped('demo', '--keep')),
  below('a service to rehearse with', asTyped('simulate')),
  below('point Callsheet at it, or at yours', asTyped('init')),
];

const keptCommands = ({ database, service }: NonNullable<DemoResult['kept']>) => [
  'Service and warehouse stay up until Ctrl-C. Next, in another terminal:\n',
  below('point Callsheet at this service', `${asTyped('init')} --url ${service.url}`),
  below('its session token', service.token),
  below('one night of your own', asTyped('run')),
  below('look into the warehouse', `psql '${database}'`),
];

const below = (what: string, line: string) => `  ${what}\n    ${line}`;

const indent = (text: string) => text.replaceAll(/^/gm, '  ');
