#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Garbage of pages that are loaded is collected before it is as much as what lives, not at three times that: flat before fast.
setFlagsFromString('--heap-growing-percent=75');
// Before anything else is loaded: the second start takes half the time of the first.
enableCompileCache();
// Process 1 of a container doesn't hear a signal that nobody listens to.
await import('./cli/interruption.ts');
await import('./cli/command-line.ts');
