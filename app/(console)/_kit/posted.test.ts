import { expect, it } from 'vitest';
import type { HttpRequest } from '#lib/http/message.ts';
import { type Fields, readFields } from './posted.ts';

function upload(body: string, contentType = 'multipart/form-data; boundary=xYz'): HttpRequest {
  const bytes = Buffer.from(body, 'latin1');
  return {
    headers: { 'content-type': contentType },
    body: async (limit: number) => (bytes.length > limit ? 'too-large' : bytes),
  } as unknown as HttpRequest;
}

const part = (name: string, value: string, more = '') =>
  `--xYz\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const form = (...parts: string[]) => `${parts.join('')}--xYz--\r\n`;

const anybody = async () => true;
const read = async (request: HttpRequest) => (await readFields(request, anybody)) as Fields | null;

it('an upload form yields its texts, and the file if one is selected', async () => {
  const body = form(
    part('name', 'Shop'),
    part('logo', 'PNG', '; filename="a.png"'),
    part('other', '', '; filename=""'),
  );
  for (const type of ['multipart/form-data; boundary=xYz', 'Multipart/Form-Data; boundary="xYz"']) {
    const fields = await read(upload(body, type));
    expect(fields?.entries).toEqual([['name', 'Shop']]);
    expect([...(fields?.files ?? [])]).toEqual([['logo', Buffer.from('PNG')]]);
  }
});

it('only upload forms read files', async () => {
  expect(await readFields(upload(form(part('name', 'Shop'))))).toBeNull();
});

it('a body of 100 parts is parsed, and a larger body is rejected before parsing', async () => {
  const of = (count: number) => upload(form(...Array.from({ length: count }, () => part('a', 'b'))));
  expect((await read(of(100)))?.entries).toHaveLength(100);
  await expect(readFields(of(101), anybody)).rejects.toMatchObject({ status: 413 });
  await expect(readFields(upload(`${'--xYz\r\n'.repeat(30_000)}`), anybody)).rejects.toMatchObject({
    status: 413,
  });
});

it('the count of parts and the parser use the same boundary', async () => {
  const many = form(...Array.from({ length: 5_200 }, () => part('a', 'b')));
  for (const type of [
    'multipart/form-data; xboundary=zzz; boundary=xYz',
    'multipart/form-data; boundary=xYz; boundary=zzz',
    'multipart/form-data; boundary=zzz; boundary=xYz',
    'multipart/form-data; boundary="\\x\\Y\\z"',
    'multipart/form-data; boundary=xYz; charset=utf-8',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="xYz',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])
    await expect(readFields(upload(many, type), anybody), type).rejects.toMatchObject({ status: 400 });
  for (const type of ['multipart/form-data;BOUNDARY=xYz', 'multipart/form-data; boundary="xYz"'])
    await expect(readFields(upload(many, type), anybody), type).rejects.toMatchObject({ status: 413 });
});

it('errors of an upload distinguish oversized files, truncated bodies and missing boundaries', async () => {
  const large = form(part('logo', 'x'.repeat(600_000), '; filename="a.png"'));
  await expect(readFields(upload(large), anybody)).rejects.toThrow('the file is larger than');
  const cut = form(part('name', 'Shop')).slice(0, -20);
  await expect(readFields(upload(cut), anybody)).rejects.toThrow('the body is not multipart/form-data');
  await expect(readFields(upload('x', 'multipart/form-data'), anybody)).rejects.toThrow(
    'the body is not multipart/form-data',
  );
});

it('the anti-forgery token must be the first part of an upload, and is checked before a file is parsed', async () => {
  const asked: string[] = [];
  const isOurs = async (token: string) => asked.push(token) > 0 && token === 'ours';
  const readParts = (...parts: string[]) => readFields(upload(form(...parts)), isOurs);
  const token = part('anti_forgery', 'ours');
  const logo = part('logo', 'PNG', '; filename="a.png"');
  expect(await readParts(token, logo)).toMatchObject({ entries: [['anti_forgery', 'ours']] });
  for (const parts of [
    [logo],
    [logo, token],
    [part('anti_forgery', 'theirs'), token, logo],
    [part('anti_forgery', 'ours', '; filename="a.png"'), logo],
    [part('x', '', '"; name="anti_forgery'), logo],
    [part('anti_forgery', `${'x'.repeat(3_000)}ours`), logo],
    [],
  ])
    expect(await readParts(...parts), parts.join()).toBe('forged');
  expect(new Set(asked)).toEqual(new Set(['ours', '', 'theirs']));
  // an invalid body of a form; the token in its first part is checked before the rest is parsed
  const broken = `${token}--xYz\r\nnonsense`;
  expect(await readFields(upload(broken.replace('ours', 'theirs')), isOurs)).toBe('forged');
  await expect(readFields(upload(broken), isOurs)).rejects.toMatchObject({ status: 400 });
});
