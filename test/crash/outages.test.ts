import { describe } from 'vitest';
import { settings } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { outages } from './outages.ts';

const undisturbed = await runUndisturbed(settings);

describe.concurrent('a run', () => outages(undisturbed));
