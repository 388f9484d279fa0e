import { describe } from 'vitest';
import { neverAnswered, runsTheSame, spoilsTheSame, tokenRefused } from './left-by.ts';

// The other ways are in `test/crash`.
describe.concurrent('a run whose windows workers pull', () => runsTheSame(3));

describe.concurrent('what the service spoils is entered, counted and told as ever, where it is', () => {
  spoilsTheSame(neverAnswered, tokenRefused);
});
