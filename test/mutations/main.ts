import { type Break, breakOfPromise, tableOf, tryBreaks } from './breaks.ts';
import { promises } from './promises.ts';
import { breaksOfStatements, isolatesAccounts } from './statements.ts';

// `npm run mutate [-- KIND… FILE…]` breaks the promises of promises.ts and the conditions of statements, and prints the
// tests that noticed. Files or folders limit the breaks to these.

const breaksOf = {
  promises: () => promises.map(breakOfPromise),
  accounts: () => breaksOfStatements().filter(isolatesAccounts),
  statements: () => breaksOfStatements().filter((broken) => !isolatesAccounts(broken)),
} as const;

async function attempt(breaks: readonly Break[]): Promise<void> {
  const noticed = await tryBreaks(breaks);
  const survivors = noticed.filter(({ test }) => test === null);
  process.stdout.write(`${tableOf(noticed)}\n`);
  for (const { broken } of survivors)
    process.stdout.write(`nothing noticed ${broken.file}: ${broken.name}\n`);
  if (survivors.length > 0) process.exitCode = 1;
}

const args = process.argv.slice(2);
const files = args.filter((each) => /^(src|migrations)\//.test(each));
const wanted = args.filter((each) => !files.includes(each));
const unknown = wanted.find((each) => !(each in breaksOf));
if (unknown !== undefined)
  throw new Error(`there is no kind ${unknown}: ${Object.keys(breaksOf).join(', ')}`);

for (const [kind, breaks] of Object.entries(breaksOf)) {
  if (wanted.length > 0 && !wanted.includes(kind)) continue;
  await attempt(
    breaks().filter(({ file }) => files.length === 0 || files.some((each) => file.startsWith(each))),
  );
}
