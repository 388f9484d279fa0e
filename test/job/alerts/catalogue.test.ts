import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import { type AlertCode, alertCodes } from '../../../src/job/alerts/conditions.ts';
import { needsAction } from '../../../src/model/alert.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { claimNews, markTold } from '../../../src/warehouse/outbox/alerts.ts';
import { read } from '../../deploy/known.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { situations } from './situations.ts';
import { diagnosed } from './states.ts';

let database: TestDatabase;
let warehouse: Warehouse;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const headings = read('docs/operations.md').match(/^#{3,4} .*$/gm)!;

describe.each(alertCodes)('%s', (code: AlertCode) => {
  it('has a section of its own in the guide', () => {
    expect(headings.filter((heading) => heading.split(/\W+/).includes(code))).toHaveLength(1);
  });

  it('is found, mailed, and ends in a mail with its title', async () => {
    for (const [what, state] of situations[code]) {
      const alerts = diagnosed(state);
      const own = alerts.filter((alert) => alert.code === code);
      expect(own, what).toHaveLength(1);
      const found = { mayEnd: () => true, holdsRunLock: true };
      const begun = await claimNews(warehouse, { ...found, alerts, runDate: '2026-11-21' });
      await markTold(warehouse, begun, '2026-11-21');
      expect(begun.begun).toEqual(
        alerts
          .filter(needsAction)
          .map(({ key }) => key)
          .sort(),
      );
      const ended = await claimNews(warehouse, { ...found, alerts: diagnosed({}), runDate: '2026-11-22' });
      await markTold(warehouse, ended, '2026-11-22');
      const resolved = ended.over.map(({ title }) => title);
      const { subject, text } = composeAlert(
        { begun: [], earlier: [], resolved },
        { installation: 'here', pageUrl: null },
      );
      expect(subject).toBe('[callsheet here] all clear');
      for (const { title } of own.filter(needsAction)) expect(text).toContain(`\n- ${title}\n`);
      expect(await warehouse.selectFrom('etl.alerts').selectAll().execute()).toEqual([]);
    }
  });
});
