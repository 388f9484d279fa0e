import { expect, test } from 'vitest';
import { subject } from '../../../src/digest/content/subject.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { DigestFigures } from '../../../src/model/digest.ts';
import { accountTotals, figures } from '../figures.ts';

const subjectOf = (...accounts: DigestFigures['accounts']) =>
  subject(figures({ accounts }), createFormat('en-GB', 'UTC', '2026-11-19'));

const nothing = { attempts: null, busies: null, connects: null, liveAnswers: null };
const failed = accountTotals({ ...nothing, account: 'coast', campaigns: 0, state: 'failed' });
const idle = accountTotals({ attempts: 0, busies: 0, connects: 0, liveAnswers: 0, campaigns: 3 });

test.each([
  ['rate and attempts', [accountTotals()], '61.0% connected, 12,480 attempts'],
  [
    'that connects aren’t reported',
    [accountTotals({ connects: null })],
    '12,480 attempts, connects not reported',
  ],
  ['that attempts aren’t reported', [accountTotals(nothing)], '41 campaigns, attempts not reported'],
  [
    'that attempts aren’t reported, where an account is missing, too',
    [accountTotals(nothing), failed],
    '41 campaigns, attempts not reported (incomplete)',
  ],
  ['that there were no calls', [idle], 'no calls'],
  [
    'that there were none without campaigns, either',
    [accountTotals({ ...nothing, campaigns: 0 })],
    'no calls',
  ],
  [
    'that attempts aren’t reported, where no others were made',
    [{ ...idle, unreported: { ...idle.unreported, attempts: 1 } }],
    'attempts not reported',
  ],
  ['that nothing is loaded', [failed], 'nothing loaded (incomplete)'],
])('the subject says %s', (_, accounts, headline) => {
  expect(subjectOf(...accounts)).toBe(`Campaigns, Thu 19 Nov: ${headline}`);
});
