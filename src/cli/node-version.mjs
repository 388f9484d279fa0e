import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

// JavaScript, and loaded before anything else: an older Node reads no TypeScript, and would print a stack instead.
const least = 26;
const isOld = Number.parseInt(process.versions.node, 10) < least;
const isBare = !existsSync(path.join(import.meta.dirname ?? 'src/cli', '../../node_modules'));
if (isOld || isBare) {
  const reason = isOld
    ? `Node ${least} is needed, and this is ${process.versions.node}`
    : 'its packages are missing';
  const advice = 'type npm ci, which brings both, and then npm start or npm run demo';
  process.stderr.write(`callsheet: ${reason}: ${advice}\n`);
  process.exit(78);
}
// A second start takes two thirds of the time of the first. In JavaScript, because TypeScript that is loaded before this
// needs the compiler, which takes a tenth.
module.enableCompileCache(path.resolve(import.meta.dirname, '../../node_modules/.cache/compiled'));
