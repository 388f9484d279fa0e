import { composeDigest } from '../../src/digest/compose.ts';
import { addressed, buildMime, newMessageId, toMime } from '../../src/mail/message.ts';
import { attached, sender as digestSender } from '../digest/figures.ts';
import { digests, mails } from '../digest/mails.ts';

const sender = { from: 'Callsheet <callsheet@example.com>', replyTo: 'ops@example.com' };

/** Every kind of mail as it goes to a recipient, by its name. */
export const messages: readonly (readonly [name: string, message: () => Promise<string>])[] = Object.keys(
  mails,
).map((name) => [
  name,
  async () => addressed(await mimeOf(name), ['ana@example.com'], newMessageId(sender.from)),
]);

async function mimeOf(name: string): Promise<string> {
  const figures = digests[name];
  if (figures === undefined)
    return await buildMime(await mails[name]!(), { ...sender, replyTo: null }, new Date());
  return await toMime(
    await composeDigest({ ...figures, name: 'Año 2' }, attached, digestSender),
    sender,
    new Date(),
  );
}
