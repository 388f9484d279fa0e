import { pathToFileURL } from 'node:url';
import type { DemoStory, DemoWorld } from '../job/demo.ts';
import type { RunReport } from '../job/run/run.ts';
import { asTyped } from '../support/commands.ts';
import { formatCountOf } from '../support/english.ts';
import { restatedFiguresSql } from '../warehouse/queries/restatements.ts';
import { formatTable, type Row } from './table.ts';
import { wrap } from './wrap.ts';

/** Shown at the end of `demo`. */
export type DemoResult = {
  readonly story: DemoStory;
  /** Report of the last nightly run. */
  readonly report: RunReport;
  readonly mails: readonly { readonly to: string; readonly page: string }[];
  /** The rows of `restatedFiguresSql`. */
  readonly restated: readonly Row[];
  /** Addresses of everything that `--keep` leaves running; null without `--keep`. */
  readonly kept: {
    readonly page: string;
    readonly database: string;
    readonly service: DemoWorld['service'];
  } | null;
};

/** Describes the result in lines of at most `width` characters. Addresses and commands are never broken. */
export function describeDemo({ story, report, mails, restated, kept }: DemoResult, width: number): string {
  const pages = mails.map(({ to, page }) => below(`the mail to ${to}`, pathToFileURL(page).href));
  if (kept !== null) pages.push(below("the operator's page", kept.page));
  return [
    `The last night loaded ${story.day}. What it met:\n`,
    ...happened(story, report).map(([what, line]) => labelled(what, line, width)),
    '\nLook at:\n',
    ...pages,
    '\nWhich figures changed after they had been loaded:\n',
    indent(restatedFiguresSql),
    '',
    indent(formatTable(restated)),
    '',
    ...(kept === null ? nextCommands() : keptCommands(kept)),
  ].join('\n');
}

function happened(
  { corrected, thinned, refused }: DemoStory,
  { stats }: RunReport,
): (readonly [what: string, line: string])[] {
  const campaigns = formatCountOf(stats.rows.restated, 'campaign');
  return [
    [
      'restated',
      `${corrected.account}, ${corrected.day}: the service corrected ${campaigns}; the mail says so`,
    ],
    [
      'held',
      `${thinned.account}, ${thinned.day}: most campaigns are missing from the new response; the day stays as it is until the next one confirms that`,
    ],
    [
      'refused',
      `the token of ${refused}: its manager's mail says what is missing, and ${stats.alerts.sent} alert went to ops@example.com`,
    ],
  ];
}

/** A label, with the text wrapped in a column next to it. */
function labelled(label: string, line: string, width: number): string {
  const indent = 12;
  return `  ${label}`.padEnd(indent) + wrap(line, width - indent).join(`\n${' '.repeat(indent)}`);
}

const nextCommands = () => [
  'Next:\n',
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
