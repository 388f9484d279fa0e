import { expect, test } from 'vitest';
import { messages } from './messages.ts';
import { outputOf } from './program.ts';

/** Reads a message as Python's `email` does, and prints what it found. */
const program = `
import email, email.policy, json, sys
message = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
attachments = list(message.iter_attachments())
print(json.dumps({
    'subject': message['Subject'],
    'to': str(message['To']),
    'unsubscribe': str(message['List-Unsubscribe']),
    'text': message.get_body(('plain',)).get_content(),
    'types': [part.get_content_type() for part in attachments],
    'filenames': [part.get_filename() for part in attachments],
    'names': [email.utils.collapse_rfc2231_value(part.get_param('name', '')) for part in attachments],
    'defects': [str(defect) for part in message.walk() for defect in part.defects],
}))`;

const ofDay = { file: 'año-2-2026-11-19.csv', period: 'Thu 19 Nov' };
const others: Readonly<Record<string, typeof ofDay>> = {
  'a week': { file: 'año-2-2026-11-02-week.csv', period: 'Week of 2 Nov' },
  'a month': { file: 'año-2-2026-10-month.csv', period: 'October 2026' },
};

test.each(messages)(
  'Python’s email reads %s without a defect, and the names of its files',
  async (name, message) => {
    const read = JSON.parse(await outputOf('python3', ['-c', program], await message()));
    const { file, period } = others[name] ?? ofDay;
    const csv = /^an (alert|all clear)/.test(name) ? [] : [file];
    expect(read).toMatchObject({
      to: 'ana@example.com',
      filenames: csv,
      names: csv,
      types: csv.map(() => 'text/csv'),
      defects: [],
    });
    expect(read.text.length).toBeGreaterThan(100);
    if (csv.length > 0) {
      expect(read.subject).toContain(`Año 2, ${period}`);
      expect(read.unsubscribe.trim()).toBe(
        '<mailto:ops@example.com?subject=Unsubscribe%20from%20A%C3%B1o%202>',
      );
    }
  },
);
