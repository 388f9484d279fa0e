import type { Day } from '../../src/model/day.ts';
import type { ServiceResponse } from '../../src/simulator/middleware.ts';
import type { SimulatorOptions } from './simulator.ts';

/**
 * A service of these accounts, without clients, whose lists of campaigns are the test's own.
 *
 * @param respond gets the first day of the window; undefined lists no campaigns
 */
export function scriptedService(
  names: readonly string[],
  respond: (account: string, day: Day, params: URLSearchParams) => ServiceResponse | undefined,
): SimulatorOptions {
  return {
    dataset: {
      // A name may have blanks, which a token can't.
      accounts: names.map((name, index) => ({ name, token: `a-token-of-account-${index}` })),
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account, params }) => {
      if (operation !== 'campaignSummary') return undefined;
      return respond(account!, params.get('startdate')!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2'), params);
    },
  };
}
