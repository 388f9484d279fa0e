import { type ActiveAlert, countedHits, hitLine, toDoLine } from '../model/alert.ts';
import type { DigestMessage } from '../model/digest.ts';
import { asTyped } from '../support/commands.ts';
import type { Block, Mail } from './blocks.ts';
import { mailHtml } from './render/html.ts';
import { blocksText } from './render/text.ts';

/** What an operator gets, by mail with its HTML, by webhook and watchdog as text. */
export type AlertMessage = Pick<DigestMessage, 'subject' | 'text' | 'html'>;

type Place = {
  /** The name of this installation. */
  readonly installation: string;
  /** The operator's page; null if its address isn't known. */
  readonly pageUrl: string | null;
};

/** More of them are counted. */
const resolvedShown = 20;

/**
 * Composes the active alerts, or *all clear* if there are none.
 *
 * @param resolved titles of alerts that earlier messages reported and that are over
 */
export function composeAlert(
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
  { installation, pageUrl }: Place,
): AlertMessage {
  const isClear = alerts.length === 0;
  const subject = isClear ? 'all clear' : toDoLine(alerts.map(({ brief }) => brief));
  const over = [
    ...resolved.slice(0, resolvedShown),
    ...(resolved.length > resolvedShown ? [`and ${resolved.length - resolvedShown} more`] : []),
  ];
  const blocks: readonly Block[] = [
    ...(isClear ? [{ kind: 'line', tone: 'lead', text: 'Nothing to do.' } as const] : []),
    ...alerts.map(problemOf),
    ...(over.length === 0 ? [] : [{ kind: 'item', title: 'Resolved', lines: over } as const]),
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
    title: isClear ? 'All clear' : `${alerts.length} to do`,
    blocks,
  };
  // A chat shows the subject above it.
  return { subject: mail.subject, text: blocksText(blocks, mail.locale), html: mailHtml(mail) };
}

const problemOf = (alert: ActiveAlert): Block => ({
  kind: 'problem',
  title: alert.title,
  explanation: alert.explanation,
  hits: countedHits(alert).map(hitLine),
  steps: alert.steps.map(({ text, command }) => ({
    text,
    command: command === null ? null : asTyped(...command),
  })),
});

const shortened = (line: string) => (line.length > 150 ? `${line.slice(0, 149)}…` : line);
