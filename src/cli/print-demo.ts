import type { DemoWorld, LivedNight } from '../job/demo/demo-world.ts';
import { nonzero, type RunStats } from '../job/run/run-stats.ts';
import { asTyped } from '../support/commands.ts';
import { formatDay, plural } from '../support/english.ts';
import { paint } from '../support/paint.ts';
import { restatedFiguresSql } from '../warehouse/queries/restatements.ts';
import { outcomeColours } from './print-status.ts';
import { describeEvents } from './print-story.ts';
import { formatTable, type Row } from './table.ts';
import { wrap } from './wrap.ts';

/** Shares of the width for the texts of a night. */
const shares = [0.4, 0.36, 0.24];
const dateWidth = 12;

/** Describes nights in a table of `width` characters. */
export function demoTable(width: number) {
  const widths = shares.map((share) => Math.floor((width - dateWidth) * share));
  const row = (date: string, cells: readonly string[], colour: typeof paint.good) => {
    const columns = cells.map((cell, index) => wrap(cell, widths[index]! - 2));
    const height = columns.reduce((most, { length }) => Math.max(most, length), 0);
    return Array.from({ length: height }, (_, line) => {
      const [happened, did, mailed] = columns.map((column, index) =>
        (column[line] ?? '').padEnd(widths[index]!),
      );
      const coloured = did!.replace(/.*\S/, (text) => colour(text));
      return `${(line === 0 ? date : '').padEnd(dateWidth)}${happened}${coloured}${mailed}`.trimEnd();
    }).join('\n');
  };
  return {
    heading: paint.heading(row('Night', ['What happened', 'What Callsheet did', 'Who got mail'], String)),
    night: ({ date, events, runs, mails }: LivedNight) =>
      row(
        formatDay(date),
        [describeEvents(events, date), describeRuns(runs), describeMails(mails)],
        colourOf(runs),
      ),
  };
}

function colourOf(runs: LivedNight['runs']): typeof paint.good {
  const [last] = runs;
  const isHeld = runs.some(({ summary }) => summary !== null && (summary as RunStats).windows.held > 0);
  const colour = outcomeColours[last?.outcome ?? ''] ?? paint.attention;
  return colour === paint.good && isHeld ? paint.attention : colour;
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
  /** A file, or an address with `--keep`. */
  readonly page: string;
  /** Addresses of what else `--keep` leaves running; null without `--keep`. */
  readonly kept: { readonly database: string; readonly service: DemoWorld['service'] } | null;
};

/** Describes where to look. Addresses, paths and commands have a line of their own, and are never broken. */
export function describeDemo({ nights, mails, restated, page, kept }: DemoResult): string {
  const last = nights.at(-1)!;
  return [
    heading('Open in a browser:'),
    ...last.mails.map(({ to, page }) => below(`the last night's mail to ${to}`, page)),
    ...(nights.length > 1 ? [below('the mails of all nights, all written just now', mails)] : []),
    below("the operator's page", page),
    heading('Attempts that the service corrected after they had been loaded:'),
    indent(formatTable(restated)),
    ...(kept === null ? nextCommands(nights.length) : keptCommands(kept)),
  ].join('\n');
}

const nextCommands = (nights: number) => [
  heading('Next:'),
  ...(nights < 14 ? [below('a bad fortnight, night by night', asTyped('demo', '--nights', '14'))] : []),
  below(
    'this demo again, with page, database and service kept running',
    asTyped('demo', ...(nights > 1 ? ['--nights', String(nights)] : []), '--keep'),
  ),
  below('a simulated service by itself, to rehearse with', asTyped('simulate')),
  below('set Callsheet up for that service, or for yours', asTyped('init')),
];

const keptCommands = ({ database, service }: NonNullable<DemoResult['kept']>) => [
  heading('Service and warehouse stay up until Ctrl-C. Next, in another terminal:'),
  below('set Callsheet up for this service', `${asTyped('init')} --url ${service.url}`),
  below('its session token', service.token),
  below('one night of your own', asTyped('run')),
  below('look into the warehouse', `psql '${database}'`),
  below('the query of the table above', indent(indent(restatedFiguresSql)).trimStart()),
];

const heading = (text: string) => `\n${paint.heading(text)}\n`;

const below = (what: string, line: string) => `  ${what}\n    ${line}`;

const indent = (text: string) => text.replaceAll(/^/gm, '  ');
