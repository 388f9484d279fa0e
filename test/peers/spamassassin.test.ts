import { describe, expect, test } from 'vitest';
import { messages } from './messages.ts';
import { outputOf } from './program.ts';

/** How much speaks for spam, and which rules say so. */
async function examine(message: string) {
  const examined = await outputOf('spamassassin', ['-L', '-t', '-x'], message);
  const [, score, rules] = /^X-Spam-Status: \w+, score=(-?[\d.]+) .*?tests=([\w,\s]+)/ms.exec(examined)!;
  return { score: Number(score), rules };
}

describe('SpamAssassin, by its local rules', () => {
  test.each(messages)('finds nothing wrong with %s', async (_, message) => {
    const { score, rules } = await examine(await message());
    expect(rules).toContain('HTML_MESSAGE');
    expect(score, rules).toBeLessThan(1);
  });

  test('would find a fault in recipients without brackets', async () => {
    const [, message] = messages.find(([name]) => name === 'a busy day')!;
    const bare = (await message()).replace('To: <ana@example.com>', 'To: ana@example.com');
    expect((await examine(bare)).score).toBeGreaterThanOrEqual(1);
  });
});
