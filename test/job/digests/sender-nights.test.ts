import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readStatus } from '../../../src/cli/commands/status.ts';
import { describeStatus } from '../../../src/cli/print-status.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { needsAction } from '../../../src/model/alert.ts';
import { createApp } from '../../../src/server/app.ts';
import { readTimeout } from '../../server/served.ts';
import { asOneLine } from '../../support/renderings.ts';
import { startWatchdog, type Watchdog } from '../../support/watchdog.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
let chat: Watchdog;
let watchdog: Watchdog;
beforeAll(async () => {
  [valley, chat, watchdog] = await Promise.all([openValley(), startWatchdog(), startWatchdog()]);
});
beforeEach(() => valley.restore());
afterAll(async () => {
  await valley.close();
  await chat[Symbol.asyncDispose]();
  await watchdog[Symbol.asyncDispose]();
});

const refused = 'callsheet@example.com';
const corrected = 'figures@example.com';
const sendAsDenied =
  '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message';

/** The state in one sentence, and the first alert with its steps. */
const inBrief = (status: string) =>
  status
    .split('\n\nAccounts\n')[0]!
    .split('\n')
    .filter((line) => line !== '');

/** Who got a mail, from whom, and the earlier days in its table. */
async function describeMail({ from, to, raw }: ReturnType<Valley['mails']>[number]): Promise<string> {
  const { subject, text } = await PostalMime.parse(raw);
  const [, table = ''] = text!.split('EARLIER PERIODS AND CORRECTIONS');
  const earlier = table.split('\n\n')[0]!.match(/\b[A-Z][a-z]{2} \d Mar\b/g);
  return `mail to ${to} from ${from}: ${subject}${earlier === null ? '' : `; it also has ${earlier.join(', ')}`}`;
}

/** A run at this time, and what each surface says after it: lines for a person. */
async function lived(day: string, time: string, from: string): Promise<string[]> {
  const settings = {
    DIGEST_FROM: `Callsheet <${from}>`,
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    HEALTHCHECK_URL: watchdog.url,
    INSTALLATION: 'here',
  };
  const [mailed, posted] = [valley.mails().length, chat.pings.length];
  const { exitCode } = await valley.night(day, settings, time);
  const mails = await Promise.all(valley.mails().slice(mailed).map(describeMail));
  const posts = chat.pings.slice(posted).map(({ body }) => (JSON.parse(body) as { text: string }).text);
  const { path, body } = watchdog.pings.at(-1)!;
  const surfaces = await valley.at(`${day}T${time}:00Z`, (app) => surfacesOf(app), settings);
  return [
    `${day} ${time}, DIGEST_FROM is ${from}`,
    `  the run exits with ${exitCode}`,
    ...(mails.length === 0 ? ['  nobody gets mail'] : mails.map((mail) => `  ${mail}`)),
    ...posts.map((text) => `  webhook: ${text.split('\n')[0]}`),
    `  watchdog: ${path} ${body.split('\n')[0]}`,
    ...surfaces.map((line) => `  ${line}`),
  ];
}

async function surfacesOf(app: AppContext): Promise<string[]> {
  const routes = createApp(app, { token: null, names: [], nextRun: () => null, readTimeout });
  const served = async (path: string) =>
    await (await routes.request(path, { headers: { host: 'localhost' } })).text();
  const status = await readStatus(app);
  const page = asOneLine(/<h1>.*?<\/h1>/s.exec(await served('/'))![0]).trim();
  const metrics = (await served('/metrics')).match(
    /^callsheet_(active_alerts|unsent_deliveries)\{.*\} [1-9]\d*$/gm,
  );
  return [
    `status exits with ${status.alerts.some(needsAction) ? 75 : 0}:`,
    ...inBrief(describeStatus(status, 200)).map((line) => `  ${line}`),
    // The time of a delivery is the database's.
    `page: ${page.replace(/ on [A-Z].*/, '')}`,
    `metrics: ${metrics?.join(', ') ?? 'no alert, nothing unsent'}`,
  ];
}

it('nights on which the server refuses DIGEST_FROM lose no mail: once it is corrected, everybody gets each day once, and every surface says so', async () => {
  const nights = [await lived('2026-03-04', '06:30', refused)];
  valley.server.refusedSenders = { [refused]: sendAsDenied };
  nights.push(await lived('2026-03-05', '06:30', refused), await lived('2026-03-06', '06:30', refused));
  nights.push(await lived('2026-03-06', '09:00', corrected), await lived('2026-03-07', '06:30', corrected));
  await expect(`${nights.map((lines) => lines.join('\n')).join('\n\n')}\n`).toMatchFileSnapshot(
    'sender-nights.txt',
  );
});

it('a server that ends each session with 421 after three messages gets the others in the next one, in the same run', async () => {
  let messages = 0;
  valley.server.at = (stage) => {
    if (stage === 'greeting') messages = 0;
    if (stage === 'MAIL' && ++messages > 3) return { reply: '421 4.7.0 Too many messages in this session' };
    return messages > 3 ? 'drop' : 'pass';
  };
  const names = ['ana', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil'];
  const connections = valley.smtp.connections;
  const DIGEST_TO = names.map((name) => `${name}@example.com`).join(',');
  const report = await valley.night('2026-03-04', { DIGEST_TO });
  expect(report).toMatchObject({ exitCode: 0, stats: { deliveries: { sent: names.length, failed: 0 } } });
  // The one that got the 421 is tried again after the others.
  expect(valley.received()).toEqual(['ana', 'ben', 'cleo', 'eve', 'fay', 'gil', 'dan']);
  expect(valley.smtp.connections - connections).toBe(3);
});
