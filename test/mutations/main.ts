import { breakOfPromise, type Noticed, outcomeOf, tryBreaks } from './breaks.ts';
import { drawnBreaks } from './drawn.ts';
import { promises } from './promises.ts';

// `npm run mutate promises [FILE…]` breaks the promises of promises.ts. `npm run mutate drawn [COUNT] [SEED]` draws further
// breaks. Both print the test that noticed each, and fail if none did.

const [kind, ...args] = process.argv.slice(2);

function breaksOf() {
  if (kind === 'drawn') return drawnBreaks(Number(args[0] ?? 20), Number(args[1] ?? 57));
  if (kind !== 'promises') throw new Error(`there is no kind ${kind}: promises, drawn`);
  const isWanted = (file: string) => args.length === 0 || args.some((each) => file.startsWith(each));
  return promises.filter(({ file }) => isWanted(file)).map(breakOfPromise);
}

const isNoticed = ({ result }: Noticed) => 'test' in result && result.test !== null;

const all = await tryBreaks(breaksOf());
for (const each of [...all.filter(isNoticed), ...all.filter((other) => !isNoticed(other))])
  process.stdout.write(`${each.broken.file}: ${each.broken.name}: ${outcomeOf(each)}\n`);
if (!all.every(isNoticed)) process.exitCode = 1;
