import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorsOf, file, load, minimal } from './loading.ts';

const token = 'Zx81Qm77LpTf20Wv';
const accounts = (content: string) => ({ SIDTOKEN: '', ACCOUNTS_FILE: file('accounts.yaml', content) });

/** Errors of settings with the token somewhere in them; there must be at least one, and none may contain it. */
function expectNotQuoted(environment: { [name: string]: string }): void {
  const errors = errorsOf(environment);
  expect(errors).not.toEqual([]);
  expect(errors.join('\n')).not.toContain(token);
}

describe('no error quotes a token', () => {
  test('that is malformed itself', () => {
    for (const malformed of [`${token} x`, `"${token}\tx"`, `x\n${token}`, `${token} # a comment`])
      expectNotQuoted({ SIDTOKEN: malformed });
    expectNotQuoted({ SIDTOKEN: '', SIDTOKEN_FILE: file('token', `sidtoken = ${token}`) });
    expectNotQuoted({ SIDTOKEN: token, SIDTOKEN_FILE: file('token', token) });
  });

  test('that was set in place of the path of its file', () => {
    expectNotQuoted({ SIDTOKEN: '', SIDTOKEN_FILE: token });
    expectNotQuoted(accounts(`- {name: main, sidtoken_file: ${token}}`));
    expectNotQuoted(accounts(`- {name: main, sidtoken_env: ${token}}`));
    expectNotQuoted({ DATABASE_URL_FILE: `postgres://u:${token}@db/x` });
  });

  test('that is part of the service’s address', () => {
    const { SERVICE_BASE_URL: address } = minimal;
    expectNotQuoted({ SERVICE_BASE_URL: `${address}?sidtoken=${token}` });
    expectNotQuoted({ SERVICE_BASE_URL: `https://me:${token}@service.example.com` });
    expectNotQuoted({ SERVICE_BASE_URL: `service.example.com/getClients.wr?sidtoken=${token}` });
  });

  test('nor a password in an address that is malformed', () => {
    for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL', 'SMTP_URL']) {
      for (const address of [`mysql://u:${token}@db/x`, `u:${token}@db`, `postgres:/u:${token}%@db`, token]) {
        expectNotQuoted({ [name]: address });
        expectNotQuoted({ [`${name}_FILE`]: file('address', address) });
      }
    }
  });

  test('in a file of accounts that is malformed', () => {
    const malformed = [
      `- {name: main, sidtoken: "${token}`,
      `- {name: main, sidtoken:${token}}`,
      `- {name: main, sidtoken: *${token}}`,
      `- name: main\n  <<: *${token}`,
      `- name: main\n  sidtoken: !a!${token} x`,
      `- name: main\n  sidtoken: |${token}`,
      `- name: main\n  sidtoken: @${token}`,
      `%${token}\n- name: main`,
      `- name: main\n  sidtoken: !!timestamp ${token}`,
      `- name: main\n  sidtoken ${token}`,
      `- name: main\n  sidtoken: ${token}\n  sidtoken: ${token}`,
      `- name: main\n  sidtoken: ${token}\n  sidtoken_env: ${token}`,
      `- name: main\n  sidtoken: ${token} ${token}`,
      `- name: main\n  sidtoken: [${token}]`,
      `- name: main\n  token: ${token}`,
      `- main: ${token}`,
      `- ${token}`,
      `main: ${token}`,
      `sidtoken=${token}`,
      token,
      `[{"name": "main", "sidtoken": "${token}",}, {"name": "main"]`,
    ];
    for (const content of malformed) expectNotQuoted(accounts(content));
  });

  test('but says the line of a value that YAML takes for an alias', () => {
    const [error] = errorsOf(accounts(`- name: main\n  sidtoken: *${token}`));
    expect(error).toMatch(
      /^ACCOUNTS_FILE is a file with a \* or << that YAML can't resolve \(line 2\): put /,
    );
  });

  test('nor does a warning of the YAML reader', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    load(accounts(`- {name: main, sidtoken: !unknown ${token}}`));
    await setImmediate();
    expect(warnings).toEqual([]);
  });
});
