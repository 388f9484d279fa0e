import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { composeDigest } from '../../src/digest/compose.ts';
import { unescapedName } from '../../src/digest/format.ts';
import { defuse } from '../../src/digest/render/csv.ts';
import { addressed, buildMime, type Envelope, newMessageId, toMime } from '../../src/mail/message.ts';
import type { DigestMessage } from '../../src/model/digest.ts';
import { campaignsOf, csvText, figures, campaign as namedCampaign, row } from '../digest/figures.ts';

const envelope: Envelope = {
  date: Temporal.Instant.from('2026-03-03T06:30:00Z'),
  from: 'Callsheet <callsheet@example.com>',
  replyTo: 'ops@example.com',
  to: ['ana@example.com'],
  messageId: '<1@example.com>',
  list: 'Campaigns',
};
const csv = { content: Buffer.from('\ufeff"a"\r\n"ü"\r\n'), isWhole: true };
const message: DigestMessage = {
  name: 'Campaigns',
  subject: 'Kampagnen, «Ostern» 🐣',
  text: 'Hällo\n',
  html: '<p>Hällo</p>',
  chart: Buffer.from('\x89PNG'),
  csv: csv.content,
  csvName: 'campaigns-2026-03-02.csv',
};
const mime = (part: Partial<DigestMessage> = {}) => toMime({ ...message, ...part });
const headersOf = async (part: Partial<Envelope>) =>
  Object.fromEntries(
    (await PostalMime.parse(addressed(await mime(), { ...envelope, ...part }))).headers.map(
      ({ key, value }) => [key, value],
    ),
  );

/** The content types of a message, each with those inside it. */
function structure(source: string): string {
  const [head, ...rest] = source.split('\r\n\r\n');
  const header = head!.replaceAll(/\r\n[ \t]+/g, ' ');
  const type = /^content-type: *([^;\r\n]+)/im.exec(header)![1]!;
  const boundary = /boundary="?([^";\r\n]+)/i.exec(header)?.[1];
  if (boundary === undefined) return type;
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`).slice(1, -1);
  return `${type}(${parts.map((part) => structure(part.replace(/^\r\n/, ''))).join(', ')})`;
}

describe('the message of a digest', () => {
  it('has text or HTML with its chart, and beside them the CSV', async () => {
    expect(structure(await mime())).toBe(
      'multipart/mixed(multipart/alternative(text/plain, multipart/related(text/html, image/png)), text/csv)',
    );
    expect(structure(await mime({ chart: null }))).toBe(
      'multipart/mixed(multipart/alternative(text/plain, text/html), text/csv)',
    );
  });

  it('has subject, texts, chart and CSV unchanged, and the date, sender and recipient of the time it is sent', async () => {
    const id = newMessageId(envelope.from);
    const frozen = await mime();
    expect(frozen).not.toMatch(/^(date|from|reply-to|to|message-id|list-id|list-unsubscribe):/im);
    const mail = await PostalMime.parse(addressed(frozen, { ...envelope, messageId: id }));
    expect(mail).toMatchObject({
      subject: message.subject,
      messageId: id,
      date: '2026-03-03T06:30:00.000Z',
      from: { name: 'Callsheet', address: 'callsheet@example.com' },
      replyTo: [{ address: 'ops@example.com' }],
      to: [{ address: 'ana@example.com' }],
    });
    expect([mail.text?.trim(), mail.html?.trim()]).toEqual(['Hällo', '<p>Hällo</p>']);
    const [chart, attached] = mail.attachments;
    expect(chart).toMatchObject({ contentId: '<chart@callsheet>', disposition: 'inline', related: true });
    expect(Buffer.from(chart!.content as ArrayBuffer)).toEqual(message.chart);
    expect(attached).toMatchObject({ filename: message.csvName, disposition: 'attachment' });
    expect(Buffer.from(attached!.content as ArrayBuffer)).toEqual(csv.content);
  });

  it('says that a machine sent it and wants no absence notes, and of which list it is', async () => {
    expect(await headersOf({})).toMatchObject({
      'auto-submitted': 'auto-generated',
      'x-auto-response-suppress': 'All',
      'list-id': '<campaigns.example.com>',
    });
    const listId = async (list: string) => (await headersOf({ list }))['list-id'];
    expect(await listId('Año 2 – Coast')).toBe('<xn--ao-2-coast-t9a.example.com>');
    expect(await listId('??')).toBe('<-.example.com>');
    expect(await headersOf({ list: null })).not.toHaveProperty('list-id');
  });

  it('offers to leave by a mail to whom replies go to, if that is set', async () => {
    const unsubscribe = async (replyTo: string | null) =>
      (await headersOf({ list: 'Año 2', replyTo }))['list-unsubscribe'];
    expect(await unsubscribe('ops@example.com')).toBe(
      '<mailto:ops@example.com?subject=Unsubscribe%20from%20A%C3%B1o%202>',
    );
    expect(await unsubscribe('a?b%c@example.com')).toMatch(/^<mailto:a%3Fb%25c@example\.com\?subject=/);
    expect(await unsubscribe(null)).toBeUndefined();
  });

  it('has the name of its sender, in any script', async () => {
    const { from } = await PostalMime.parse(
      addressed(await mime(), { ...envelope, from: '"Peña, Ana" <ana@example.com>' }),
    );
    expect(from).toEqual({ name: 'Peña, Ana', address: 'ana@example.com' });
  });

  it.each([`${'ñ字'.repeat(30)}-2026-11-19.csv`])(
    'names its CSV %s by RFC 2231, in both headers',
    async (csvName) => {
      const source = await mime({ csvName });
      const headers = source.slice(source.indexOf('Content-Type: text/csv')).split('\r\n\r\n')[0]!;
      expect(headers).toMatch(/^[\x20-\x7e\r\n]+$/);
      expect(headers).not.toContain('=?');
      for (const name of ['name', 'filename']) {
        const parts = [...headers.matchAll(new RegExp(`[ ;]${name}\\*\\d+\\*=([^;\\r\\n]+)`, 'g'))];
        const value = parts.map(([, part]) => part).join('');
        expect(decodeURIComponent(value.replace("utf-8''", ''))).toBe(csvName);
      }
      expect((await PostalMime.parse(source)).attachments.at(-1)!.filename).toBe(csvName);
    },
  );

  it('is the same bytes for the same digest', async () => {
    expect(await mime()).toBe(await mime());
    expect(await mime()).not.toBe(await mime({ csv: Buffer.from('x') }));
  });
});

it('the domains of a message’s headers are those of DNS; what is none stays as it is, for the server to refuse', async () => {
  const from = 'Callsheet < ops@Exämple.com >';
  expect(newMessageId(from)).toMatch(/^<[\da-f-]{36}@xn--exmple-cua\.com>$/);
  expect(newMessageId('ops@exämple.com')).toMatch(/@xn--exmple-cua\.com>$/);
  const { headers } = await PostalMime.parse(addressed(await mime(), { ...envelope, from }));
  expect(headers.find(({ key }) => key === 'list-id')?.value).toBe('<campaigns.xn--exmple-cua.com>');
  expect(addressed('', { ...envelope, to: ['Ana@Exämple.com', 'ben@50%.example'] })).toContain(
    'To: <Ana@xn--exmple-cua.com>,\r\n <ben@50%.example>\r\n',
  );
});

it('a message reads neither files nor addresses of its own accord', async () => {
  const attached = (attachment: { path: string }) => buildMime({ text: 'x', attachments: [attachment] });
  await expect(attached({ path: import.meta.filename })).rejects.toThrow(/File access rejected/);
  await expect(attached({ path: 'http://127.0.0.1:9/' })).rejects.toThrow(/Url access rejected/);
});

it('a message without HTML or attachments is plain text', async () => {
  const plain = await buildMime({ subject: 'Übung', text: 'Hällo\n' });
  expect(structure(plain)).toBe('text/plain');
  expect(await PostalMime.parse(plain)).toMatchObject({ subject: 'Übung', text: 'Hällo\n', attachments: [] });
});

it('whatever a campaign is called changes neither subject, headers, HTML nor the rest of the CSV', async () => {
  const sent = async (campaign: string) => {
    const named = namedCampaign(campaign, 'North', 9, null);
    const content = Buffer.from(await csvText([row({ campaign })]));
    const given = figures({ campaigns: campaignsOf([named]) });
    const digest = await composeDigest(given, { content, isWhole: true });
    const source = addressed(await toMime(digest), envelope);
    return { digest, mail: await PostalMime.parse(source) };
  };
  const keysOf = ({ headers }: Awaited<ReturnType<typeof sent>>['mail']) => headers.map(({ key }) => key);
  const harmless = keysOf((await sent('Spring')).mail);
  const name = fc.oneof(
    fc.constantFrom('</td><script>x</script>', 'a\r\nBcc: eve@x.com\r\n\r\nb', '\r\n--_NmP\r\n', '\r\n.\r\n'),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('\r', '\n', '<', '>', '=', '-', '"', ':', 'a') }),
  );
  await fc.assert(
    fc.asyncProperty(name, async (campaign) => {
      const { digest, mail } = await sent(campaign);
      expect(keysOf(mail)).toEqual(harmless);
      expect(mail.subject).toBe(digest.subject);
      expect(mail.text?.trim()).toBe(digest.text.trim());
      expect(mail.html?.trim()).toBe(digest.html.trim());
      expect(mail.html).not.toMatch(/<script/i);
      expect(mail.attachments).toHaveLength(1);
      const attached = Buffer.from(mail.attachments[0]!.content as ArrayBuffer);
      const [line] = parse<{ campaign: string }>(attached, { columns: true, bom: true });
      expect(line!.campaign).toBe(defuse(unescapedName(campaign)));
    }),
  );
});
