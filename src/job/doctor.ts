import type { Config } from '../config/config.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Mailer } from '../mail/mailer.ts';
import { addressed, buildMime, newMessageId } from '../mail/message.ts';
import { type Accepted, isAccepted, type ObservedSign, signId } from '../model/accepted.ts';
import { namesLine } from '../model/alert.ts';
import { addDays, yesterday } from '../model/day.ts';
import type { DeliveryStep } from '../model/digest.ts';
import { Failure } from '../model/errors.ts';
import { exitCode } from '../model/exit-code.ts';
import type { Finding } from '../model/finding.ts';
import type { Account } from '../model/records.ts';
import { needsCompleteWalk, type WalkState } from '../model/walk.ts';
import { examineFigures } from '../service/examine/examine-figures.ts';
import { examineHistory } from '../service/examine/examine-history.ts';
import { examineLength } from '../service/examine/examine-length.ts';
import { examineList } from '../service/examine/examine-list.ts';
import { examinePage } from '../service/examine/examine-page.ts';
import { examineTotal } from '../service/examine/examine-total.ts';
import type { ClientPage, Summary } from '../service/operations.ts';
import { createService, type Service } from '../service/service.ts';
import { type Clock, systemClock } from '../support/clock.ts';
import { formatCountOf, formatList } from '../support/english.ts';
import { openWarehouse } from '../warehouse/db/database.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { readAccepted } from '../warehouse/ledger/accepted.ts';
import { requireZones } from '../warehouse/ledger/accounts.ts';
import { readWalkStates } from '../warehouse/load/client-walks.ts';
import { examineDatabase } from '../warehouse/schema/examine.ts';
import { mailSteps } from './alerts/conditions/mail.ts';
import { createMailer } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { contentHash } from './windows/decide.ts';

/**
 * Examines everything that a run depends on, in few requests and without writing; yields line by line.
 *
 * @param mailTo gets one message; null for none
 */
export async function* examine(
  loaded: LoadedConfig,
  mailTo: string | null,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Finding, void> {
  yield* examineSettings(loaded);
  yield* await examineDatabaseUrl(loaded);
  yield* await examineMail(loaded, mailTo);
  yield* possibleSilences(loaded);
  yield* examineService(loaded, clock, signal);
}

function examineSettings({ config, warnings }: LoadedConfig): Finding[] {
  const area = 'settings';
  const names = config.accounts.map((account) => account.name).join(', ');
  const all = formatCountOf(config.accounts.length, 'account');
  // Without a mapping, the figures of an account have no client.
  const mapped = config.accounts.filter(({ client }) => client !== undefined).length;
  return [
    { area, subject: 'read', message: `${all}: ${names}; runs in ${config.planning.timeZone}`, status: 'ok' },
    { area, subject: 'clients', message: `${mapped} of ${all} mapped to a client`, status: 'ok' },
    ...warnings.map((warning): Finding => {
      return {
        area,
        subject: 'variables',
        message: warning,
        status: 'warning',
        advice: 'correct or remove it',
      };
    }),
  ];
}

/** Examines the database alone. */
export async function examineDatabaseUrl({ secrets, config }: LoadedConfig): Promise<Finding[]> {
  const url = secrets.databaseUrl();
  if (url !== null)
    return await toFinding('database', 'connection', async () => [
      ...(await examineDatabase(url)),
      ...(await toFinding('database', 'time zones', async () => {
        await using warehouse = openWarehouse(url, 1);
        // A run would end at its start.
        await requireZones(warehouse, config.accounts);
        const message = 'the database knows those of all accounts';
        return [{ area: 'database', subject: 'time zones', message, status: 'ok' }];
      })),
    ]);
  return [
    {
      area: 'database',
      subject: 'address',
      message: 'DATABASE_URL is not set: a private Postgres under .callsheet/ is used',
      status: 'warning',
      advice: 'set DATABASE_URL to your Postgres',
    },
  ];
}

/** Examines the mail server alone, or the folder in its place; sends one message if `to` is an address. */
export async function examineMail(loaded: LoadedConfig, to: string | null): Promise<Finding[]> {
  const { from } = loaded.config.mail;
  const server = { area: 'mail', subject: 'server' } as const;
  const mailer = createMailer(loaded);
  try {
    const findings: Finding[] = [{ ...server, message: await mailer.verify(), status: 'ok' }];
    if (to !== null) findings.push(await sendOne(mailer, from, to));
    return findings;
  } catch (error) {
    const message = (error as Error).message.replaceAll(/\s+/g, ' ');
    const step = loaded.secrets.smtpUrl() === null ? 'folder' : ((error as Error).cause as DeliveryStep);
    return [{ ...server, message, ...mailError(step) }];
  } finally {
    mailer.close();
  }
}

/** A server that can't be reached may be down, as in a run; the other steps depend on settings. */
function mailError(step: DeliveryStep) {
  const code = step === 'connection' ? exitCode.runAgain : exitCode.configuration;
  return { status: 'error', advice: mailSteps[step].look, exitCode: code } as const;
}

/** The cases in which nobody is alerted. */
export function possibleSilences({ config, secrets }: LoadedConfig): Finding[] {
  const area = 'alerts';
  const isSent = secrets.smtpUrl() !== null;
  const isMailed = isSent && config.alerts.to.length > 0;
  const forMail = [...(isSent ? [] : ['SMTP_URL']), ...(config.alerts.to.length > 0 ? [] : ['ALERT_TO'])];
  const isPosted = secrets.webhookUrl() !== null;
  const silences: readonly (readonly [boolean, string, string])[] = [
    [!isSent, `no mail is sent: it is written to ${config.mail.outboxDirectory}`, 'SMTP_URL'],
    [isSent && config.digests.length === 0, 'no digest has a recipient', 'DIGEST_TO or DIGESTS_FILE'],
    [!isMailed && !isPosted, 'if something is wrong, nobody is alerted', formatList(forMail)],
    [isMailed && !isPosted, 'while the mail server is down, nobody is alerted', 'ALERT_WEBHOOK_URL'],
    [secrets.healthcheckUrl() === null, 'if Callsheet is down, only Prometheus alerts', 'HEALTHCHECK_URL'],
  ];
  const findings = silences
    .filter(([isPossible]) => isPossible)
    .map(([, message, setting]): Finding => {
      return { area, subject: 'silence', message, status: 'warning', advice: `set ${setting}` };
    });
  if (findings.length > 0) return findings;
  return [{ area, subject: 'silence', message: 'none: chat and watchdog are set', status: 'ok' }];
}

async function sendOne(mailer: Mailer, from: string, to: string): Promise<Finding> {
  const text = 'The command doctor sent this message. Digests are sent the same way.\n';
  const message = { subject: 'Callsheet can send mail', text };
  const mime = addressed(await buildMime(message), {
    date: systemClock(),
    from,
    replyTo: null,
    to: [to],
    messageId: newMessageId(from),
    list: null,
  });
  const never = new AbortController().signal;
  const { state, reply, step } = await mailer.send({ from, recipient: to, mime, name: 'doctor' }, never);
  const finding = { area: 'mail', subject: `message to ${to}`, message: `${state} (${reply})` } as const;
  if (state === 'sent' || state === 'written') return { ...finding, status: 'ok' };
  return { ...finding, ...mailError(step!) };
}

/**
 * Examines the service alone: how it responds to the first account, the token of each account, and which
 * accounts have the same campaigns.
 */
export async function* examineService(
  loaded: LoadedConfig,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Finding, void> {
  const { config, secrets } = loaded;
  const { windowEnd } = config.service;
  const { accepted, walks } = await readWarehouse(loaded);
  const said: ObservedSign[] = [];
  const connect = (changed: Partial<Config['service']>, limits = {}): Service => {
    const service = createService({
      settings: { ...config.service, ...changed },
      token: secrets.token,
      redactor: secrets.tokenRedactor,
      signal,
      limits,
      isAccepted: (sign) => isAccepted(accepted, sign),
    });
    const note = ({ name }: Account, { response: { operation }, remarks }: ClientPage | Summary) =>
      void said.push(...remarks.map((sign) => ({ kind: 'remark', operation, sign, account: name }) as const));
    return {
      ...service,
      async listClients(...request) {
        const page = await service.listClients(...request);
        note(request[0], page);
        return page;
      },
      async summarizeCampaigns(...request) {
        const summary = await service.summarizeCampaigns(...request);
        note(request[0], summary);
        return summary;
      },
    };
  };
  const { listClients, summarizeCampaigns } = connect({ windowEnd: 'same-day' });
  const [account] = config.accounts;
  if (account === undefined) return;
  const last = yesterday(clock(), account.timeZone);
  const days = [addDays(last, -1), last] as const;
  const { name } = account;
  const page = examinePage(listClients, account, config.service);
  const failure = await page.then(
    () => null,
    (error: unknown) =>
      commonFailure(error, config.accounts, (each) => summarizeCampaigns(each, { from: last, to: last })),
  );
  if (failure !== null) {
    const { detail, advice, exitCode, code } = failure;
    const message = `${detail}; tokens, clients and campaigns were not checked`;
    yield { area: 'service', subject: 'every request', message, status: 'error', advice, exitCode, code };
    return;
  }
  yield* await toFinding('service', name, () => page);
  const failed =
    config.accounts.find((each) => walks.has(each.name) && needsCompleteWalk(walks.get(each.name)!)) ??
    account;
  yield* await toFinding('service', failed.name, async () => [
    await examineList(
      ({ pageLimit: limit, balance, concurrency }, maxWalkMs) => {
        const service = connect({ concurrency }, { maxWalkMs });
        service.endCampaigns();
        return service.walkClients(failed, { limit, balance });
      },
      failed,
      config.service,
    ),
  ]);
  yield* await toFinding('service', name, async () => [
    await examineFigures(summarizeCampaigns, account, days, windowEnd),
  ]);
  yield* await toFinding('service', name, () =>
    examineHistory(connect({}).summarizeCampaigns, account, last, config.planning.catchUpDays),
  );
  const alike = new Map<string, string[]>();
  const own = connect({});
  for (const each of config.accounts) {
    yield* await toFinding('service', each.name, async () => {
      const { records, rows } = await own.summarizeCampaigns(each, { from: last, to: last });
      const hash = contentHash(records);
      if (records.length > 0) alike.set(hash, [...(alike.get(hash) ?? []), each.name]);
      const message = `the token is good; ${formatCountOf(records.length, 'campaign')} yesterday`;
      return [
        { area: 'service', subject: each.name, message, status: 'ok' },
        ...(await examineLength(own.summarizeCampaigns, each, last, rows)),
        ...examineTotal(each, records),
      ];
    });
  }
  // Statistics belong to the account of the token: accounts with the same campaigns are one, counted again and again.
  for (const names of [...alike.values()].filter(({ length }) => length > 1))
    yield {
      area: 'service',
      subject: 'same campaigns',
      message: `${namesLine({ noun: 'account', names })} have the same campaigns with the same counts: sums count them more than once`,
      status: 'warning',
      advice: 'check which accounts the tokens belong to',
    };
  for (const signs of Map.groupBy(said, signId).values()) yield remark(signs, accepted);
}

/** Returns the error of a client list if the campaigns of up to three accounts have it, too: the service is down. Otherwise null. */
async function commonFailure(
  error: unknown,
  accounts: readonly Account[],
  request: (account: Account) => Promise<unknown>,
): Promise<Failure | null> {
  // An unknown answer is asked about, and a refusal is about one token.
  if (!(error instanceof Failure) || error.code !== 'SERVICE_UNAVAILABLE') return null;
  const ended = await Promise.allSettled(accounts.slice(0, 3).map(request));
  const isCommon = ended.every(
    (each) =>
      each.status === 'rejected' && each.reason.code === error.code && each.reason.status === error.status,
  );
  return isCommon ? error : null;
}

/** A remark of the service, whatever its numbers. */
function remark(signs: readonly ObservedSign[], accepted: readonly Accepted[]): Finding {
  const { operation, sign } = signs[0]!;
  const names = [...new Set(signs.map(({ account }) => account))];
  const list = operation === 'getClients' ? 'clients' : 'campaigns';
  const message = `next to ${list}, the service says "${sign}" (${namesLine({ noun: 'account', names })})`;
  const finding = { area: 'service', subject: 'remark', message } as const;
  if (signs.every((each) => isAccepted(accepted, each)))
    return { ...finding, message: `${message}: accepted`, status: 'ok' };
  return {
    ...finding,
    status: 'warning',
    advice: 'the alert of the first run that meets it asks what it means',
  };
}

/** What the warehouse knows of the service: nothing, if it can't be read. */
async function readWarehouse({ config, secrets }: LoadedConfig): Promise<{
  readonly accepted: readonly Accepted[];
  readonly walks: ReadonlyMap<string, WalkState>;
}> {
  const nothing = { accepted: [], walks: new Map() };
  const url = secrets.databaseUrl();
  if (url === null) return nothing;
  await using warehouse = openWarehouse(url, 1);
  try {
    await requireSchema(warehouse);
    return {
      accepted: await readAccepted(warehouse, config.service.baseUrl),
      walks: await readWalkStates(warehouse),
    };
  } catch (error) {
    // Its own finding says so.
    if (error instanceof Failure || warehouseFailure(error) !== null) return nothing;
    throw error;
  }
}

/** Does `work`; what it throws becomes a finding. Rethrows an internal error. */
export async function toFinding(
  area: Finding['area'],
  subject: string,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof Failure ? error : warehouseFailure(error);
    if (failure === null) throw error;
    const { message, advice, exitCode, code } = failure;
    return [{ area, subject, message, status: 'error', advice, exitCode, code }];
  }
}
