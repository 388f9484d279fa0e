import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { certificatesFile } from '../../src/config/files.ts';
import { errorOf } from '../../src/config/formats.ts';
import { file } from './loading.ts';

const whole = readFileSync(path.join(import.meta.dirname, '../support/smtp-certificate.pem'), 'utf8');
const [certificate] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(whole)!;
const broken = '-----BEGIN CERTIFICATE-----\nbm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----';
const read = (...parts: readonly string[]) => certificatesFile.parse(file('ca.pem', parts.join('\n')));
const refused = (...parts: readonly string[]) => errorOf(certificatesFile, file('ca.pem', parts.join('\n')));

test('certificates are read one by one, whatever else is in the file', () => {
  expect(read(certificate)).toEqual([certificate]);
  expect(read('# an authority', certificate, '', certificate, '# the end')).toEqual([
    certificate,
    certificate,
  ]);
});

test('a comment beside certificates may be in any encoding', () => {
  const bytes = Buffer.from(`# Autoridad de Certificaci\u00f3n\n${certificate}`, 'latin1');
  expect(certificatesFile.parse(file('ca.pem', bytes))).toEqual([certificate]);
});

test('a file without a certificate, or with one that can not be read, is an error that says so', () => {
  expect(refused('no certificate')).toMatch(/a file without a certificate in PEM/);
  expect(refused(broken)).toMatch(/a file with a certificate that can't be read/);
  expect(refused(certificate, broken)).toMatch(/a file with a certificate that can't be read/);
});
