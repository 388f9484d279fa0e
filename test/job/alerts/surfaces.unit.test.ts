import { expect, it } from 'vitest';
import { describeStatus, statusOf } from '../../../src/cli/print-status.ts';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import { createPostAlert } from '../../../src/job/alerts/ping.ts';
import type { WarehouseState } from '../../../src/job/alerts/state.ts';
import { countedNames, namesShown, needsAction, toDoLine } from '../../../src/model/alert.ts';
import { expose, stateSamples } from '../../../src/server/metrics.ts';
import { overviewPage } from '../../../src/server/page/page.ts';
import { parseExposition } from '../../server/exposition.ts';
import { expectAgreement } from '../../support/renderings.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { situations } from './situations.ts';
import { diagnosed, wellState } from './states.ts';

const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
const timeZone = 'Europe/Berlin';

const cut = (line: string) => (line.length > 150 ? `${line.slice(0, 149)}…` : line);

/** All that is wrong in any situation, at once. */
const states = Object.values(situations).flat();
const all: Partial<WarehouseState> = {
  ...Object.assign({}, ...states.map(([, state]) => state)),
  accounts: states.flatMap(([what, { accounts = [] }]) =>
    accounts.map((each) => ({ ...each, name: `${each.name} of ${what}` })),
  ),
  deliveries: states.flatMap(([, { deliveries = [] }]) => deliveries),
};

it.each([...states, ['all at once', all], ['nothing', {}]] as const)(
  '%s: status, page, mail, webhook and metrics say the same',
  async (_, changes) => {
    const state = { ...wellState, ...changes };
    const alerts = diagnosed(changes);
    const { accounts, running, lastRun } = state;
    const besides = { now, timeZone, nextRun: null, installation: 'here', runs: [], digests: null };
    const status = describeStatus(
      {
        timeZone,
        alerts,
        accounts: accounts.map(statusOf),
        runs: [],
        unsent: [],
        running,
        accepted: [],
        quarantined: [],
      },
      100_000,
    );
    const begun = alerts.filter(needsAction);
    const mail = composeAlert({ begun, earlier: [], resolved: [] }, { installation: 'here', pageUrl: null });
    await using chat = await startWatchdog();
    const post = createPostAlert(chat.url, { warn: () => {} })!;
    await post(`${mail.subject}\n\n${mail.text}`, { status: 'firing', keys: begun.map(({ key }) => key) });
    const posted = JSON.parse(chat.pings[0]!.body) as { text: string; keys: string[] };
    const metrics = parseExposition(await expose(stateSamples({ accounts, alerts, running, lastRun })));
    const html = await overviewPage({ ...besides, accounts, alerts, running, lastRun });
    expectAgreement(alerts, {
      html,
      status,
      metrics,
      mail: mail.text, // What is longer than a chat takes is cut.
      chat: posted.text.length < 11_000 ? posted.text : mail.text,
    });
    const names = alerts.filter(({ dismissed }) => !dismissed).flatMap(countedNames);
    expect(html.match(/<details class="quiet"><summary>\d/g) ?? []).toHaveLength(
      names.filter((each) => each.names.length > namesShown).length,
    );
    expect(posted.keys).toEqual(begun.map(({ key }) => key));
    if (begun.length > 0) expect(mail.subject).toBe(cut(`[callsheet here] ${toDoLine(alerts)}`));
  },
);
