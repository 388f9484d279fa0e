import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { redacted } from '../../src/support/redaction.ts';

const token = `t0k+en/with=odd&"quo'te"\\s ñ`;

/** Runs `statements` in a new process, with a logger `log` that redacts `token`. */
function logged(statements: string, { format = 'json', level = 'info' } = {}) {
  const source = (file: string) => JSON.stringify(path.resolve('src/support', file));
  const script = `
    import { createLogger } from ${source('logger.ts')};
    import { createRedactor } from ${source('redaction.ts')};
    const token = ${JSON.stringify(token)};
    const redactor = createRedactor();
    redactor.learn(token);
    const log = createLogger('${level}', '${format}', redactor);
    ${statements}
  `;
  const { status, signal, stdout, stderr } = spawnSync(
    'node_modules/.bin/node',
    ['--input-type=module', '-e', script],
    { encoding: 'utf8', timeout: 120_000 },
  );
  return { status, signal, stdout, stderr, lines: stderr.split('\n').filter((line) => line !== '') };
}

const everyWay = `
  const address = 'https://service.example.com/getClients.wr?' + new URLSearchParams({ sidtoken: token });
  log.info('the token is ' + token);
  log.info('GET ' + address);
  log.warn({ token, address, deep: { list: [token, address] } }, 'in fields');
  log.warn({ [token]: 1 }, 'in the name of a field');
  log.error(new Error('an error with ' + token));
  log.error({ err: new Error('an error with ' + address, { cause: new Error(token) }) }, 'beside ' + token);
  log.child({ token }).info('in a child');
  log.info({ body: JSON.stringify({ token }) }, 'in JSON: ' + JSON.stringify({ token }));
  log.info('formatted %s %j', token, { token });
`;

describe.each(['json', 'pretty'])('a log in the format %s', (format) => {
  const { status, stdout, stderr, lines } = logged(everyWay, { format });

  test('has each line that was logged, with the secret replaced', () => {
    expect(status).toBe(0);
    expect(lines.filter((line) => line.includes('the token is'))).toHaveLength(1);
    expect(stderr).toContain(`the token is ${redacted}`);
    expect(stderr).toContain(`getClients.wr?sidtoken=${redacted}`);
    for (const message of ['in fields', 'an error with', 'in a child', 'in JSON', 'formatted'])
      expect(stderr).toContain(message);
  });

  test('shows the secret in no spelling: not in messages, fields, errors, their stacks and causes', () => {
    const encoded = [token, encodeURIComponent(token), `${new URLSearchParams({ t: token })}`.slice(2)];
    const escaped = JSON.stringify(token).slice(1, -1);
    const spellings = [...encoded, escaped, JSON.stringify(escaped).slice(1, -1)];
    for (const spelling of spellings) expect(stderr).not.toContain(spelling);
    for (const part of ['t0k', 'quo', 'ñ']) expect(stderr).not.toContain(part);
  });

  test('leaves stdout to the results', () => {
    expect(stdout).toBe('');
  });
});

describe('a log line', () => {
  test('keeps its own words if one of them is a secret', () => {
    const { lines } = logged(`
      for (const word of ['mail', 'step', 'password', 'info']) redactor.learnPassword(word);
      log.info({ step: 'mail' }, 'mail: the password is refused for smtp://ana:password@host');
    `);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'info',
      step: 'mail',
      msg: `mail: the password is refused for smtp://ana:${redacted}@host`,
    });
  });

  test('is JSON of its own, with the level in words, the time, the fields and the message', () => {
    const { lines } = logged(
      `log.warn({ day: '2026-11-18', token }, 'late'); log.error(new Error('broken'));`,
    );
    const [late, broken] = lines.map((line) => JSON.parse(line));
    expect(late).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      day: '2026-11-18',
      token: redacted,
      msg: 'late',
    });
    expect(broken).toMatchObject({ level: 'error', msg: 'broken', err: { type: 'Error' } });
  });

  test('is not lost when the process is killed right after it', () => {
    for (const format of ['json', 'pretty']) {
      const last = `log.info('one'); log.info('the last words'); process.kill(process.pid, 'SIGKILL');`;
      const { signal, stderr } = logged(last, { format });
      expect(signal).toBe('SIGKILL');
      expect(stderr, format).toContain('the last words');
    }
  });
});
