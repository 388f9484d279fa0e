/** Runs the nightly job as of a later day: a process of Callsheet always begins today. */
import { runNight } from '../test/support/nights.ts';

const report = await runNight({ environment: process.env }, process.argv[2]!);
process.exitCode = report.exitCode;
