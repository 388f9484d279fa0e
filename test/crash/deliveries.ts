import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import type { Scene } from './scene.ts';

/** Deliveries that are being sent: day and recipient. */
export async function sendingNow(scene: Scene): Promise<string[]> {
  const rows = await scene.query<{ line: string }>(
    `select day || ' ' || recipient as line from etl.deliveries join etl.mails using (mail_id)
     where etl.deliveries.state = 'sending' order by 1`,
  );
  return rows.map((row) => row.line);
}

/** Each message was taken once by the server, but for those `cutOff` while sending: perhaps, `unknown`, and in an alert. */
export async function expectDelivered(scene: Scene, cutOff: readonly string[]): Promise<void> {
  const deliveries = await scene.query<{ line: string; state: string; message_id: string }>(
    `select day || ' ' || recipient as line, d.state, message_id
     from etl.deliveries d join etl.mails using (mail_id) order by 1`,
  );
  // The days before are in the mail of the newest.
  const states = ['2026-03-10 ana@example.com', '2026-03-10 ben@example.com'].map((line) => ({
    line,
    state: cutOff.includes(line) ? 'unknown' : 'sent',
  }));
  expect(deliveries.map(({ line, state }) => ({ line, state }))).toEqual(states);
  const digests = scene.smtp.received.filter(({ to }) => to[0] !== 'ops@example.com');
  for (const { line, state, message_id } of deliveries) {
    const copies = digests.filter((mail) => mail.raw.includes(message_id)).length;
    if (state === 'sent') expect(copies, line).toBe(1);
    else expect(copies, line).toBeLessThanOrEqual(1);
  }
  expect(digests.length).toBeLessThanOrEqual(deliveries.length);
  for (const line of cutOff) expect(await alertedUnknown(scene), 'in an alert to ALERT_TO').toContain(line);
}

/** Deliveries that an alert reported as unknown, by its commands: day and recipient. */
export async function alertedUnknown({ smtp }: Pick<Scene, 'smtp'>): Promise<string[]> {
  const alerts = smtp.received.filter(({ to }) => to[0] === 'ops@example.com');
  const mails = await Promise.all(alerts.map(({ raw }) => PostalMime.parse(raw)));
  return mails.flatMap(({ text }) =>
    [...text!.matchAll(/digest --day (\S+) --digest Campaigns --to (\S+) --resend/g)].map(
      ([, day, recipient]) => `${day} ${recipient}`,
    ),
  );
}
