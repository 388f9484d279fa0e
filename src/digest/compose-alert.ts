import { type ActiveAlert, countAlerts, countedLines, runbookLine, toDoLine } from '../model/alert.ts';
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
  const subject = isClear ? 'all clear' : toDoLine(active);
  const blocks: readonly Block[] = [
    ...(isClear ? [{ kind: 'line', tone: 'lead', text: 'Nothing to do.' } as const] : []),
    ...ofKind('to do', 'To do', begun, earlier),
    ...ofKind('to check', 'To check', begun, earlier),
    ...listOf('Resolved', resolved),
    {
      kind: 'closing',
      lines: [
        pageUrl === null
          ? { text: `Everything else: ${asTyped('status')}` }
          : { text: 'Everything else:', address: pageUrl },
        ...(begun.length === 0 ? [] : [{ text: runbookLine(begun) }]),
      ],
    },
  ];
  const mail: Mail = {
    locale: 'en',
    subject: shortened(`[callsheet ${installation}] ${subject}`),
    preheader: subject,
    name: `Callsheet ${installation}`,
    title: countAlerts(active) ?? 'All clear',
    blocks,
  };
  // A chat shows the subject above it.
  return { subject: mail.subject, text: blocksText(blocks, mail.locale), html: mailHtml(mail) };
}

/** New alerts of a kind in full, earlier ones by their titles; a heading parts the new ones from those of the other kind. */
function ofKind(
  kind: ActiveAlert['kind'],
  title: string,
  begun: readonly ActiveAlert[],
  earlier: readonly ActiveAlert[],
): Block[] {
  const own = begun.filter((alert) => alert.kind === kind);
  const hasBoth = own.length > 0 && own.length < begun.length;
  const still = earlier.filter((alert) => alert.kind === kind).map((alert) => alert.title);
  return [
    ...(hasBoth ? [{ kind: 'heading', text: title } as const] : []),
    ...own.map(({ severity: tone, steps, ...alert }) => ({
      kind: 'problem' as const,
      tone,
      title: alert.title,
      explanation: alert.explanation,
      names: countedLines(alert),
      steps: steps.map(({ text, command }) => ({
        text,
        command: command === null ? null : asTyped(...command),
      })),
    })),
    ...listOf(`Still ${kind}`, still),
  ];
}

/** More of them are counted. */
const titlesShown = 20;

function listOf(title: string, titles: readonly string[]): Block[] {
  if (titles.length === 0) return [];
  const rest = titles.length - titlesShown;
  const lines = [...titles.slice(0, titlesShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return [{ kind: 'item', title, lines }];
}

const shortened = (line: string) => (line.length > 150 ? `${line.slice(0, 149)}…` : line);
