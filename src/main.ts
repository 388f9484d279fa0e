#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded: the second start takes half the time of the first.
enableCompileCache();
await import('./cli/command-line.ts');
