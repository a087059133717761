import { expect, it } from 'vitest';
import type { HttpRequest } from '#lib/http/index.ts';
import { readFields } from './fields.ts';

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

it('a form with a file is its texts, and the file where one was chosen', async () => {
  const body = form(
    part('name', 'Shop'),
    part('logo', 'PNG', '; filename="a.png"'),
    part('other', '', '; filename=""'),
  );
  for (const type of ['multipart/form-data; boundary=xYz', 'Multipart/Form-Data; boundary="xYz"']) {
    const fields = await readFields(upload(body, type), true);
    expect(fields?.entries).toEqual([['name', 'Shop']]);
    expect([...(fields?.files ?? [])]).toEqual([['logo', Buffer.from('PNG')]]);
  }
});

it('a file is read by forms that take one, and by no other', async () => {
  expect(await readFields(upload(form(part('name', 'Shop'))))).toBeNull();
});

it('a hundred parts are read, and more are refused before they are taken apart', async () => {
  const of = (count: number) => upload(form(...Array.from({ length: count }, () => part('a', 'b'))));
  expect((await readFields(of(100), true))?.entries).toHaveLength(100);
  await expect(readFields(of(101), true)).rejects.toMatchObject({ status: 413 });
  await expect(readFields(upload(`${'--xYz\r\n'.repeat(30_000)}`), true)).rejects.toMatchObject({
    status: 413,
  });
});

it('the boundary that parts are counted by is the one that they are taken apart by', async () => {
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
    await expect(readFields(upload(many, type), true), type).rejects.toMatchObject({ status: 400 });
  for (const type of ['multipart/form-data;BOUNDARY=xYz', 'multipart/form-data; boundary="xYz"'])
    await expect(readFields(upload(many, type), true), type).rejects.toMatchObject({ status: 413 });
});

it('a file that is too large, a body that is cut, and one without a boundary are told apart', async () => {
  const large = form(part('logo', 'x'.repeat(400_000), '; filename="a.png"'));
  await expect(readFields(upload(large), true)).rejects.toThrow('the file is larger than');
  const cut = form(part('name', 'Shop')).slice(0, -20);
  await expect(readFields(upload(cut), true)).rejects.toThrow('the body is not multipart/form-data');
  await expect(readFields(upload('x', 'multipart/form-data'), true)).rejects.toThrow(
    'the body is not multipart/form-data',
  );
});
