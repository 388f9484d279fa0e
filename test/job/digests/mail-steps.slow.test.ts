import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { command } from '../../support/command.ts';
import type { Fate, SmtpStage } from '../../support/smtp-proxy.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
beforeAll(async () => {
  valley = await openValley();
});
beforeEach(() => valley.restore());
afterAll(() => valley.close());

type Settings = Readonly<Record<string, string>>;

const night = '2026-03-04';

const alertsAt = async (at: string, settings: Settings = {}): Promise<readonly ActiveAlert[]> => {
  const { alerts } = await valley.at(at, (app) => readState(app.warehouse, app), settings);
  return alerts.filter(({ code }) => code.startsWith('MAIL'));
};

/** What became of the messages, and what alerts say, without ports. */
async function surfaces(day: string, settings: Settings): Promise<string[]> {
  const alerts = await alertsAt(`${day}T08:00:00Z`, settings);
  return [
    `  ${day}: ${(await valley.states()).join(', ')}`,
    ...alerts.flatMap(({ key, title, explanation, steps }) => [
      `    ${key}: ${title}`,
      `      ${explanation.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')}`,
      ...steps.map(({ text, command: words }) => `      - ${text}${words ? `: ${words.join(' ')}` : ''}`),
    ]),
  ];
}

const stages = ['greeting', 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'reply'] as const;

/** `reply` is that to the final dot. STARTTLS is required of a server that isn't this machine. */
const settingsAt = (stage: SmtpStage): Settings =>
  stage === 'STARTTLS' ? { SMTP_URL: valley.settings.SMTP_URL!.replace('127.0.0.1', '0.0.0.0') } : {};

it('each step of a session and each way to end there: what is recorded and alerted, and what the next night sends once that is mended', async () => {
  const lines: string[] = [];
  const fates: readonly Fate[] = [{ reply: '450 4.0.0 later' }, { reply: '550 5.0.0 no' }, 'silence', 'drop'];
  const timeouts = { connection: 60_000, greeting: 5_000, reply: 5_000, finalReply: 5_000, quit: 100 };
  for (const stage of stages)
    for (const fate of fates) {
      await valley.restore();
      valley.server.at = (now) => (now === stage ? fate : 'pass');
      valley.server.timeouts = fate === 'silence' ? timeouts : null;
      await valley.night(night, settingsAt(stage));
      lines.push(`${stage}: ${typeof fate === 'object' ? fate.reply : fate}`);
      lines.push(...(await surfaces(night, settingsAt(stage))));
      valley.server.at = () => 'pass';
      valley.server.timeouts = null;
      await valley.night('2026-03-05');
      lines.push(...(await surfaces('2026-03-05', {})), '');
    }
  await expect(lines.join('\n')).toMatchFileSnapshot('mail-steps.txt');
});

/** What is wrong at each step, and what mends it: a setting, or somebody at the mail server. */
const mended: Readonly<Record<string, { stage: SmtpStage; reply: string; good?: Settings }>> = {
  connection: { stage: 'greeting', reply: '554 5.7.1 your address is not allowed' },
  tls: { stage: 'STARTTLS', reply: '454 4.7.0 TLS not available' },
  login: { stage: 'AUTH', reply: '535 5.7.8 bad credentials' },
  sender: { stage: 'MAIL', reply: '553 5.7.1 not yours', good: { DIGEST_FROM: 'calls@example.org' } },
  recipient: {
    stage: 'RCPT',
    reply: '550 5.1.1 no',
    good: { DIGEST_TO: 'anna@example.com,ben@example.com' },
  },
  message: { stage: 'reply', reply: '554 5.2.0 STOREDRV.Submission; SendAsDenied' },
};

it.each(Object.entries(mended))(
  'the steps of an alert about the %s, typed once that is corrected, send the mail and end the alert',
  async (step, { stage, reply, good = {} }) => {
    valley.server.at = (now) => (now === stage ? { reply } : 'pass');
    await valley.night(night, settingsAt(stage));
    const [alert] = await alertsAt(`${night}T08:00:00Z`, settingsAt(stage));
    expect(alert!.key).toBe(`MAIL_FAILED/${step}/${reply.slice(0, 3)}`);
    expect(alert!.explanation).toContain(reply);
    const before = valley.received().length;
    const environment = { ...valley.environment, ...valley.settings, ...good };
    for (const { command: words } of alert!.steps) {
      if (words === null) valley.server.at = () => 'pass';
      else if (words[0] === 'doctor')
        expect((await command(words, environment)).stdout).toMatch(
          /✓ mail +message to callsheet@example.com/,
        );
      else if (words[0] === 'run') await valley.night(night, good, '09:00');
    }
    const sent = valley.received().slice(before);
    expect(new Set(sent)).toEqual(
      new Set(step === 'recipient' ? ['anna', 'ben'] : ['callsheet', 'ana', 'ben']),
    );
    expect(await alertsAt(`${night}T10:00:00Z`, good)).toEqual([]);
  },
);

it('31 nights with a dead address among five cost one request each, and the other four get each day at once', async () => {
  const names = ['ana', 'ben', 'dead', 'cleo', 'dan'];
  const DIGEST_TO = names.map((name) => `${name}@example.com`).join(',');
  let requests = 0;
  valley.server.refuses = (address) => {
    if (!address.startsWith('dead')) return null;
    requests++;
    return '550 5.1.1 <dead@example.com>: User unknown';
  };
  const alerts: string[] = [];
  for (let nights = 0; nights < 31; nights++) {
    const day = addDays(night, nights);
    await valley.night(day, { DIGEST_TO });
    expect(requests).toBe(nights + 1);
    expect(valley.received()).toHaveLength(4 * (nights + 1));
    alerts.push((await alertsAt(`${day}T08:00:00Z`, { DIGEST_TO })).map(({ key }) => key).join(' '));
  }
  const failed = 'MAIL_FAILED/recipient/550';
  expect(alerts).toEqual([
    ...Array(6).fill(failed),
    ...Array(25).fill(`MAIL_GIVEN_UP/recipient/550 ${failed}`),
  ]);
  // The address is corrected: the newest mail alone goes there, and nothing is left to do.
  await valley.night('2026-04-03', { DIGEST_TO: DIGEST_TO.replace('dead', 'dora') }, '09:00');
  expect(valley.received().slice(4 * 31)).toEqual(['dora']);
  expect(await alertsAt('2026-04-03T10:00:00Z', { DIGEST_TO: DIGEST_TO.replace('dead', 'dora') })).toEqual(
    [],
  );
});
