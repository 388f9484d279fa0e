import { type ActiveAlert, countedLines, toDoLine } from '../model/alert.ts';
import type { DigestMessage } from '../model/digest.ts';
import { asTyped } from '../support/commands.ts';
import type { Block, Mail } from './blocks.ts';
import { mailHtml } from './render/html.ts';
import { blocksText } from './render/text.ts';

/** A message to an operator: by mail with its HTML, by webhook and watchdog as text. */
export type AlertMessage = Pick<DigestMessage, 'subject' | 'text' | 'html'>;

type Place = {
  /** The name of this installation. */
  readonly installation: string;
  /** The operator's page; null if its address isn't known. */
  readonly pageUrl: string | null;
};

type Content = {
  /** New alerts and reminders. */
  readonly begun: readonly ActiveAlert[];
  /** Active ones that earlier messages reported. */
  readonly earlier: readonly ActiveAlert[];
  /** Titles of alerts that earlier messages reported and that are over. */
  readonly resolved: readonly string[];
};

/** Composes the active alerts, new ones first, or *all clear* if there are none. */
export function composeAlert(
  { begun, earlier, resolved }: Content,
  { installation, pageUrl }: Place,
): AlertMessage {
  const active = [...begun, ...earlier];
  const isClear = active.length === 0;
  const subject = isClear ? 'all clear' : toDoLine(active.map(({ subject }) => subject));
  const blocks: readonly Block[] = [
    ...(isClear ? [{ kind: 'line', tone: 'lead', text: 'Nothing to do.' } as const] : []),
    ...begun.map(problemOf),
    ...listOf(
      'Still to do',
      earlier.map(({ title }) => title),
    ),
    ...listOf('Resolved', resolved),
    {
      kind: 'closing',
      lines: [
        pageUrl === null
          ? { text: `Everything else: ${asTyped('status')}` }
          : { text: 'Everything else:', address: pageUrl },
      ],
    },
  ];
  const mail: Mail = {
    locale: 'en',
    subject: shortened(`[callsheet ${installation}] ${subject}`),
    preheader: subject,
    name: `Callsheet ${installation}`,
    title: isClear ? 'All clear' : `${active.length} to do`,
    blocks,
  };
  // A chat shows the subject above it.
  return { subject: mail.subject, text: blocksText(blocks, mail.locale), html: mailHtml(mail) };
}

/** More of them are counted. */
const titlesShown = 20;

function listOf(title: string, titles: readonly string[]): Block[] {
  if (titles.length === 0) return [];
  const rest = titles.length - titlesShown;
  const lines = [...titles.slice(0, titlesShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return [{ kind: 'item', title, lines }];
}

const problemOf = (alert: ActiveAlert): Block => ({
  kind: 'problem',
  title: alert.title,
  explanation: alert.explanation,
  names: countedLines(alert),
  steps: alert.steps.map(({ text, command }) => ({
    text,
    command: command === null ? null : asTyped(...command),
  })),
});

const shortened = (line: string) => (line.length > 150 ? `${line.slice(0, 149)}…` : line);
