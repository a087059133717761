import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeSecretFiles } from './environment.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(text: string): string {
  const file = path.join(folder, 'secret');
  writeFileSync(file, text);
  return file;
}

test.each(['GATEHOUSE_SECRET', 'DATABASE_URL', 'DIRECT_URL', 'SMTP_URL', 'CRON_SECRET', 'METRICS_TOKEN'])(
  'the value of %s_FILE is the content of the file, without its last line break',
  (name) => {
    for (const end of ['', '\n', '\r\n']) {
      const env: Record<string, string | undefined> = {
        [`${name}_FILE`]: fileWith(`a value${end}`),
        PORT: '1',
      };
      takeSecretFiles(env);
      expect(env).toEqual({ [name]: 'a value', PORT: '1' });
    }
  },
);

test('the suffix _FILE of a setting that is not secret is ignored, and so is an empty file name', () => {
  const env = { PORT_FILE: fileWith('1'), SMTP_URL_FILE: '' };
  takeSecretFiles(env);
  expect(env).toEqual({ PORT_FILE: path.join(folder, 'secret'), SMTP_URL_FILE: '' });
});

test('an empty or missing secret file, a folder, or an additional value causes one error line', () => {
  const refusal = (env: Record<string, string>) => () => takeSecretFiles(env);
  const nowhere = path.join(folder, 'nosuch');
  expect(refusal({ SMTP_URL_FILE: nowhere })).toThrow(`SMTP_URL_FILE: ${nowhere} cannot be read (ENOENT)`);
  expect(refusal({ SMTP_URL_FILE: folder })).toThrow(`SMTP_URL_FILE: ${folder} cannot be read (EISDIR)`);
  for (const text of ['', '\n'])
    expect(refusal({ SMTP_URL_FILE: fileWith(text) })).toThrow(
      `SMTP_URL_FILE: ${path.join(folder, 'secret')} is empty`,
    );
  expect(refusal({ SMTP_URL_FILE: nowhere, SMTP_URL: 'smtp://x' })).toThrow(
    'SMTP_URL and SMTP_URL_FILE are both set: remove one of them',
  );
});
