import { composeDigest } from '../../src/digest/compose.ts';
import { composeAlert } from '../../src/digest/render/alert.ts';
import { withChart } from '../../src/digest/render/html.ts';
import type { ActiveAlert } from '../../src/model/alert.ts';
import type { DigestFigures, DigestMessage } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyPeriod, busyWeek, eventfulWeek } from './busy-week.ts';
import { accountTotals, attached, figures } from './figures.ts';

const failed = accountTotals({
  account: 'coast',
  label: 'Coast office',
  state: 'failed',
  campaigns: 0,
  attempts: null,
  busies: null,
  connects: null,
  liveAnswers: null,
});
const long = 'Unbreakable'.repeat(1_000);

/** The figures of every variant of a digest, by what is special about it. */
export const digests: { readonly [name: string]: DigestFigures } = {
  'a first digest': figures(),
  'a busy day': busyWeek({ link: 'https://bi.example.com/campaigns?day={day}&account={account}' }),
  'a day with every kind of news': eventfulWeek(),
  'an incomplete day': busyWeek({ accounts: [accountTotals(), failed] }),
  'a corrected day': busyWeek({ before: [accountTotals(), failed] }),
  'a day in Spanish': eventfulWeek({ locale: 'es', link: 'https://bi.example.com' }),
  'a week': busyPeriod(periodOf('week', '2026-11-08')),
  'a month in Spanish': busyPeriod(periodOf('month', '2026-10-31'), { locale: 'es' }),
  'nothing that day': figures({ accounts: [{ ...failed, state: 'loaded' }] }),
  'names without end': eventfulWeek({
    accounts: [accountTotals({ label: long, attempts: 987_654_321 }), { ...failed, label: long }],
    topCampaigns: busyWeek().topCampaigns.map((each) => ({ ...each, campaign: long, attempts: '987654321' })),
  }),
};

const alert: ActiveAlert = {
  code: 'TOKEN_REFUSED',
  key: 'TOKEN_REFUSED/valley',
  severity: 'error',
  brief: 'token refused (Valley)',
  title: 'Token refused: Valley, 2026-03-02',
  cause:
    'The service refuses the session token. The figures lack 2026-03-02, and digests say so. Every run fails until the token is replaced.',
  since: '2026-03-03',
  accounts: ['valley'],
  hits: [],
  affects: ['2026-03-02'],
  retried: false,
  steps: [
    { text: 'Write the new token to /run/secrets/sidtoken', command: null },
    { text: 'Then', command: ['run', '--from', '2026-03-02', '--to', '2026-03-03', '--account', 'valley'] },
  ],
  dismissed: false,
};
const longAlert: ActiveAlert = {
  ...alert,
  title: `${alert.title} ${long}`,
  since: null,
  steps: [{ text: 'Then', command: ['run', '--account', long] }],
};

/** Subject, text and HTML of a mail. */
export type Mail = Pick<DigestMessage, 'subject' | 'text' | 'html'>;

const outage: ActiveAlert = {
  ...alert,
  brief: 'service unavailable (80 accounts)',
  title: 'Service unavailable (status 503): 80 accounts, 2026-03-02, client lists',
  hits: [{ noun: 'account', names: Array.from({ length: 80 }, (_, index) => `Office ${index + 1}`) }],
  steps: [{ text: 'To do it now', command: ['run'] }],
};
const place = { installation: 'production', pageUrl: 'https://callsheet.example.com/' };

/** Every kind of alert mail. */
export const alerts: { readonly [name: string]: Mail } = {
  'an alert mail': composeAlert([outage, alert], ['Walk incomplete: Coast'], place),
  'an alert mail of names without end': composeAlert([longAlert], [`resolved ${long}`], {
    ...place,
    pageUrl: null,
  }),
  'an all clear': composeAlert([], ['Token refused: Valley, 2026-03-02'], place),
};

/** Every kind of mail, its chart inside, as a browser shows it. */
export const mails: { readonly [name: string]: () => Promise<Mail> } = {
  ...Object.fromEntries(Object.entries(digests).map(([name, given]) => [name, () => composeMail(given)])),
  ...Object.fromEntries(Object.entries(alerts).map(([name, mail]) => [name, async () => mail])),
};

async function composeMail(given: DigestFigures): Promise<Mail> {
  const message = await composeDigest(given, attached);
  return { ...message, html: withChart(message) };
}
