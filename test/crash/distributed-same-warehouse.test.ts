import { describe } from 'vitest';
import { neverAnswered, runsTheSame, spoilsTheSame, tokenRefused } from '../queue/left-by.ts';

// The other ways are in `test/crash`.
describe.concurrent('a run whose windows workers sync', () => runsTheSame(3));

describe.concurrent('an injected fault is recorded, counted and reported by workers as by a run alone, where it', () => {
  spoilsTheSame(neverAnswered, tokenRefused);
});
