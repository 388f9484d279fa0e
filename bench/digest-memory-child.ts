/** Makes one digest and tells the peak of this process. Arguments: database, `build` or `preview`, day, folder. */
import { loadConfig } from '../src/config/load.ts';
import { composeFromWarehouse, previewDigest } from '../src/job/digests/compose-digest.ts';
import { toMime } from '../src/mail/message.ts';
import { createRedactor } from '../src/support/redaction.ts';
import { openWarehouse } from '../src/warehouse/db/database.ts';

const [databaseUrl, how, day, folder] = process.argv.slice(2) as [string, string, string, string];
const { config } = loadConfig({ DIGEST_TO: 'ana@example.com' }, { service: false }, createRedactor());
const digest = { ...config.digests[0]!, accounts: ['north', 'coast'] };
const warehouse = openWarehouse(databaseUrl, 1);

async function build(): Promise<string> {
  const occasion = { earlierDays: [], before: null };
  const { message } = await composeFromWarehouse({ warehouse, config }, digest, day, occasion);
  await toMime(message, config.mail, new Date(0));
  return message.csv.kind;
}

async function preview(): Promise<string> {
  await previewDigest({ warehouse, config }, digest, day, folder);
  return 'written';
}

const started = performance.now();
const csv = how === 'build' ? await build() : await preview();
await warehouse.destroy();
const megabytes = process.resourceUsage().maxRSS / 1024;
const seconds = (performance.now() - started) / 1000;
process.stdout.write(JSON.stringify({ megabytes, seconds, csv }));
