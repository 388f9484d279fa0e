import { describe } from 'vitest';
import { pairs } from './pairs.ts';

describe('of two runs that start together', () => pairs());
