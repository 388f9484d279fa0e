import { expect, it } from 'vitest';
import { nextTrial } from '../../../src/job/clients/try-setting.ts';
import { type ErrorCode, Failure } from '../../../src/model/errors.ts';
import { incompleteWalk } from '../alerts/states.ts';

const defaults = { balance: true, concurrency: 8 };
const seventhPage = { limit: 100, page: 7 };

/** The setting tried next, and the request for it. */
function next(
  walk: { failedRunDates?: number; triedSetting?: string; triedSettingHelps?: boolean } = {},
  {
    code = 'SERVICE_UNAVAILABLE' as ErrorCode,
    page = seventhPage as { limit: number; page?: number } | null,
    status = '500' as string | null,
  } = {},
  settings = defaults,
) {
  const state = { ...incompleteWalk, failedRunDates: 3, ...walk };
  const trial = nextTrial(state, { error: new Failure(code, 'x', { status }), page }, settings);
  return trial && [trial.setting, trial.parameters];
}

const withoutBalance = ['CLIENT_BALANCE=false', { limit: 100, page: 7, balance: false }];
const smallerPages = ['PAGE_LIMIT=25', { limit: 25, page: 28, balance: true }];
const oneAtATime = ['CONCURRENCY=1', { limit: 100, page: 7, balance: true }];

it('nothing is tried before the third run date', () => {
  expect(next({ failedRunDates: 2 })).toBeNull();
  expect(next({ failedRunDates: 3 })).toEqual(oneAtATime);
});

it('one setting after the other is tried on the page that failed, and then the first again', () => {
  expect(next({ triedSetting: 'CONCURRENCY=1' })).toEqual(withoutBalance);
  expect(next({ triedSetting: 'CLIENT_BALANCE=false' })).toEqual(smallerPages);
  expect(next({ triedSetting: 'PAGE_LIMIT=25' })).toEqual(oneAtATime);
});

it.each([null, '504'])(
  'pages that time out (status %s) are tried smaller before they are tried without balances',
  (status) => {
    expect(next({}, { status })).toEqual(oneAtATime);
    expect(next({ triedSetting: 'CONCURRENCY=1' }, { status })).toEqual(smallerPages);
    expect(next({ triedSetting: 'PAGE_LIMIT=25' }, { status })).toEqual(withoutBalance);
  },
);

it('the setting that helped is tried again, to see whether it still does', () => {
  expect(next({ triedSetting: 'PAGE_LIMIT=25', triedSettingHelps: true })).toEqual(smallerPages);
});

it('what is set already is not tried, although it helped when it was not', () => {
  const helped = { triedSetting: 'CLIENT_BALANCE=false', triedSettingHelps: true };
  const settings = { balance: false, concurrency: 1 };
  expect(next(helped, {}, settings)).toEqual(['PAGE_LIMIT=25', { limit: 25, page: 28, balance: false }]);
  expect(next(helped, { page: { limit: 3, page: 7 } }, settings)).toBeNull();
});

it('a first page that failed is requested without a number, as it was', () => {
  const page = { limit: 100 };
  expect(next({ triedSetting: 'CLIENT_BALANCE=false' }, { page })).toEqual([
    'PAGE_LIMIT=25',
    { limit: 25, balance: true },
  ]);
});

it.each([37, 60, 99, 100])(
  'the smaller page is part of a failed page of %i, whether pages count from 0 or 1',
  (limit) => {
    for (let page = 1; page < 60; page++) {
      const [, request] = next({ triedSetting: 'CLIENT_BALANCE=false' }, { page: { limit, page } })!;
      const { limit: smaller, page: number } = request as { limit: number; page: number };
      for (const base of [0, 1]) {
        const failed = (page - base) * limit;
        const first = (number - base) * smaller;
        expect(first, `page ${page} from ${base}`).toBeGreaterThanOrEqual(failed);
        expect(first, `page ${page} from ${base}`).toBeLessThan(failed + limit);
      }
    }
  },
);

it('nothing is tried for a refused token, an error of Callsheet, a rate that is too high, or a list of which every page came', () => {
  expect(next({}, { code: 'TOKEN_REFUSED' })).toBeNull();
  expect(next({}, { code: 'INTERNAL' })).toBeNull();
  expect(next({}, { page: null })).toBeNull();
  expect(next({}, { status: '429' })).toBeNull();
});
